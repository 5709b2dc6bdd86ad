import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loopback, outbound, receiver, send } from "./Receivers.ts"

const interim = (status: string) => `HTTP/1.1 ${status}\r\nX-Note: HTTP/1.1 100\r\n\r\n`
const accepted = "HTTP/1.1 202 Accepted\r\nContent-Length: 16\r\n\r\nHTTP/1.1 100 one"

/** Answers with these parts. The client reads each part before the next one, as far as the network allows. */
const inParts = (parts: ReadonlyArray<string>) => (socket: Socket) => {
  socket.setNoDelay(true)
  const [part, ...others] = parts
  const next = () => inParts(others)(socket)
  // sockets of this process are read between two turns of the event loop
  if (part !== undefined) socket.write(part, () => setImmediate(() => setImmediate(next)))
}

const sequences: ReadonlyArray<readonly [what: string, parts: ReadonlyArray<string>]> = [
  ["100 with the final response", [interim("100 Continue") + accepted]],
  ["100 before the final response", [interim("100 Continue"), accepted]],
  ["100 in single bytes", [...(interim("100 Continue") + accepted)]],
  ["100, 102 and 103", [interim("100 Continue"), interim("102 Processing") + interim("103 Early Hints"), accepted]],
  ["20 interim responses", [interim("100 Continue").repeat(20) + accepted]],
  ["20 interim responses before the final one", [interim("100 Continue").repeat(20), accepted]],
  [
    "20 interim responses, with a part of the final one",
    [`${interim("100 Continue").repeat(20)}HTTP`, accepted.slice(4)]
  ],
  ["no interim response", [accepted]]
]

const endless: ReadonlyArray<readonly [what: string, parts: ReadonlyArray<string>]> = [
  ["21 interim responses", [interim("100 Continue").repeat(21) + accepted]],
  [
    "21 interim responses, one after the other",
    [...Array.from({ length: 21 }, () => interim("100 Continue")), accepted]
  ],
  ["an interim response of more than 16 KiB", [`HTTP/1.1 103 Early Hints\r\nX-A: ${"a".repeat(16_384)}`]]
]

describe("interim responses (RFC 9110, section 15.2)", () => {
  it.live.each(sequences)("a delivery skips them on each request of a connection: %s", ([_, parts]) =>
    Effect.gen(function* () {
      const { port } = yield* receiver(inParts(parts))
      for (let request = 0; request < 2; request++) {
        assert.deepInclude(yield* send(`http://127.0.0.1:${port}/`), {
          _tag: "Answered",
          status: 202,
          retryAfterMillis: null,
          excerpt: "HTTP/1.1 100 one"
        })
      }
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback })))
  )

  it.live.each(sequences)("`fetch`, for the register and the collector, skips them: %s", ([_, parts]) =>
    Effect.gen(function* () {
      const { port } = yield* receiver(inParts(parts))
      const answer = yield* Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" })
        return [response.status, await response.text()]
      })
      assert.deepStrictEqual(answer, [202, "HTTP/1.1 100 one"])
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback })))
  )

  it.live.each(endless)("threat 18: a delivery fails after %s", ([_, parts]) =>
    Effect.gen(function* () {
      const { port } = yield* receiver(inParts(parts))
      assert.deepStrictEqual(yield* send(`http://127.0.0.1:${port}/`), {
        _tag: "Unanswered",
        fault: "INVALID_RESPONSE"
      })
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback })))
  )
})
