import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as NodeWire from "@wcs/conformance/NodeWire"
import { Wire } from "@wcs/conformance/Wire"
import { Effect } from "effect"

const body = JSON.stringify({ data: [], meta: { requestId: "1" } })

/** Each path is answered in another coding, though none is asked for. */
const answers: Readonly<Record<string, readonly [coding: string, bytes: Buffer]>> = {
  "/plain": ["identity", Buffer.from(body)],
  "/gzip": ["gzip", zlib.gzipSync(body)],
  "/br": ["br", zlib.brotliCompressSync(body)],
  "/deflate": ["deflate", zlib.deflateSync(body)],
  "/twice": ["deflate, gzip", zlib.gzipSync(zlib.deflateSync(body))],
  "/nothing": ["gzip", Buffer.alloc(0)],
  "/broken": ["gzip", Buffer.from(body)],
  "/bomb": ["gzip", zlib.gzipSync(Buffer.alloc(NodeWire.maxAnswerBytes + 1))]
}

const listening = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer(({ url = "" }, response) => {
      const [coding, bytes] = answers[url] ?? ["identity", Buffer.alloc(0)]
      response.writeHead(200, { "Content-Encoding": coding }).end(bytes)
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
)

const ask = Effect.fnUntraced(function* (path: string) {
  const { port } = (yield* listening).address() as AddressInfo
  const { send } = yield* Wire
  return yield* send({ method: "GET", url: `http://127.0.0.1:${port}${path}`, headers: [], body: "" })
}, Effect.scoped)

const asked = (path: string) =>
  ask(path).pipe(Effect.result, Effect.provide(NodeWire.layer({ resolve: {}, secondsPerCall: 5 })))

describe("answers over sockets", () => {
  for (const path of ["/plain", "/gzip", "/br", "/deflate", "/twice"]) {
    it.live(`are read in whatever coding they come: ${path}`, () =>
      Effect.map(asked(path), (came) => {
        assert.strictEqual(came._tag === "Success" ? came.success.text : came.failure.detail, body)
      })
    )
  }

  it.live("may be empty, in any coding", () =>
    Effect.map(asked("/nothing"), (came) => {
      assert.strictEqual(came._tag === "Success" ? came.success.text : came.failure.detail, "")
    })
  )

  for (const path of ["/broken", "/bomb"]) {
    it.live(`are none where they cannot be read: ${path}`, () =>
      Effect.map(asked(path), (came) => {
        assert.strictEqual(came._tag === "Failure" ? came.failure.silence : "an answer", "malformed")
      })
    )
  }
})
