import { readFileSync } from "node:fs"
import { connect, type TLSSocket } from "node:tls"
import { assert, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { Effect } from "effect"
import { bearer, call, certificateFile, server, superAdmin } from "../TestServer.ts"
import type { Reply } from "./Wire.ts"

const mebibyte = 1024 * 1024
const workers = "/openapi/v1/workers"

const create = (token: string) =>
  call(workers, {
    method: "POST",
    headers: { ...bearer(token), "content-type": "application/json" },
    body: JSON.stringify({ identity: { displayName: "Ann" } })
  })

/** Repeats a call until it returns this status. The server sees bytes and closed connections a moment later. */
const until = <E, R>(status: number, one: Effect.Effect<Reply, E, R>) =>
  Effect.repeat(one, { until: (reply) => reply.status === status })

/** Sends all of a body but its last byte, and returns the open connection. */
const hold = Effect.fnUntraced(function* (token: string, bytes: number) {
  const { port } = yield* Serving
  const ca = readFileSync(yield* certificateFile)
  const head = [
    `POST ${workers} HTTP/1.1`,
    "Host: localhost",
    `Authorization: ${bearer(token).authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${bytes}`
  ]
  return yield* Effect.acquireRelease(
    Effect.callback<TLSSocket>((resume) => {
      const socket = connect({ port, host: "127.0.0.1", ca })
      socket.on("error", () => {})
      const text = `${head.join("\r\n")}\r\n\r\n"${"a".repeat(bytes - 2)}`
      socket.write(text, () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

// `BodyBudget.test.ts` tests the shares of callers, tenants and networks.
for (const [setting, others] of [
  ["WCS_BODY_BYTES_PER_CALLER", 201],
  ["WCS_BODY_BYTES", 503]
] as const) {
  layer(server({ [setting]: String(mebibyte) }), { excludeTestServices: true })(
    `threat 43: bodies above ${setting}`,
    (it) => {
      it.effect(
        `are refused with 503, those of others get ${others}, until the held one ends or its client leaves`,
        () =>
          Effect.gen(function* () {
            const [one, other] = [yield* superAdmin, yield* superAdmin]
            const held = yield* hold(one, mebibyte)
            const refused = yield* until(503, create(one))
            assert.deepStrictEqual(
              [JSON.parse(refused.text).error.code, refused.headers["retry-after"]],
              ["UNAVAILABLE", "1"]
            )
            assert.match(String(refused.headers["x-ratelimit-limit"]), /^\d+$/)
            assert.strictEqual((yield* create(other)).status, others)
            assert.strictEqual(
              (yield* call(workers, { headers: bearer(one) })).status,
              200,
              "calls without a body work"
            )
            held.write('"')
            yield* until(201, create(one))
            const left = yield* hold(one, mebibyte)
            yield* until(503, create(one))
            left.destroy()
            yield* until(201, create(one))
          })
      )
    }
  )
}
