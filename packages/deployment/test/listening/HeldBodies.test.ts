import { readFileSync } from "node:fs"
import { connect, type TLSSocket } from "node:tls"
import { assert, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { Users } from "@wcs/domain/user/Users"
import { Effect, Redacted } from "effect"
import { bearer, call, certificateFile, server, superAdmin } from "../TestServer.ts"
import type { Reply } from "./Wire.ts"

const mebibyte = 1024 * 1024
const json = { "content-type": "application/json" }
const workers = "/openapi/v1/workers"
const named = JSON.stringify({ identity: { displayName: "Ann" } })

const create = (token: string) => call(workers, { method: "POST", headers: { ...bearer(token), ...json }, body: named })

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

const assertUnavailable = (reply: Reply) => {
  assert.strictEqual(reply.status, 503, reply.text)
  assert.strictEqual(reply.headers["retry-after"], "1")
  assert.match(String(reply.headers["x-ratelimit-limit"]), /^\d+$/)
  return JSON.parse(reply.text)
}

layer(server({ WCS_BODY_BYTES_PER_CALLER: String(mebibyte) }), { excludeTestServices: true })(
  "threat 43: the bodies of one caller",
  (it) => {
    it.effect(
      "are refused with 503 above the caller's budget, those of other callers are accepted, and closing the connection frees the budget",
      () =>
        Effect.gen(function* () {
          const [one, other] = [yield* superAdmin, yield* superAdmin]
          assert.strictEqual((yield* create(one)).status, 201)
          const held = yield* hold(one, mebibyte)
          const refused = yield* until(503, create(one))
          assert.strictEqual(assertUnavailable(refused).error.code, "UNAVAILABLE")
          assert.strictEqual((yield* create(other)).status, 201)
          held.destroy()
          yield* until(201, create(one))
        })
    )

    it.effect("free the budget when they end or are refused", () =>
      Effect.gen(function* () {
        const one = yield* superAdmin
        const held = yield* hold(one, mebibyte)
        yield* until(503, create(one))
        held.write('"')
        yield* until(201, create(one))
        const tooLarge = `"${"a".repeat(mebibyte)}"`
        for (let index = 0; index < 3; index++) {
          const headers = { ...bearer(one), ...json, "transfer-encoding": "chunked" }
          assert.strictEqual((yield* call(workers, { method: "POST", headers, body: tooLarge })).status, 413)
        }
        assert.strictEqual((yield* create(one)).status, 201)
      })
    )
  }
)

/** A token of the legacy surface. */
const legacyToken = Effect.gen(function* () {
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  const actor = yield* operator
  const tenantId = tenant?.id ?? ""
  const email = "legacy@example.org"
  const { createUser } = yield* Administration
  const users = yield* Users
  yield* createUser(tenantId, email, "Super Admin", actor)
  yield* users.setVerified(tenantId, email, true, actor)
  const { token } = yield* users.createToken(tenantId, email, 3600, actor)
  return Redacted.value(token)
})

layer(server({ WCS_BODY_BYTES: String(mebibyte) }), { excludeTestServices: true })(
  "threat 43: the bodies of all callers",
  (it) => {
    it.effect("are refused with 503 over the total budget, in the shape of each surface", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* superAdmin, yield* superAdmin]
        const legacy = yield* legacyToken
        const held = yield* hold(one, mebibyte)
        assert.strictEqual(assertUnavailable(yield* until(503, create(other))).error.code, "UNAVAILABLE")

        const scan = { type: "wwcc-nsw", identifier: "WWC1234567E", first_name: "Ann", surname: "Example" }
        const scanned = call("/api/scan", {
          method: "POST",
          headers: { ...bearer(legacy), ...json },
          body: JSON.stringify(scan)
        })
        const onLegacy = assertUnavailable(yield* scanned)
        assert.deepStrictEqual([onLegacy.status, Object.keys(onLegacy)], [503, ["status", "message", "field"]])

        const granted = call("/openapi/v1/oauth/token", {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: "grant_type=client_credentials"
        })
        assert.strictEqual(assertUnavailable(yield* granted).error, "temporarily_unavailable")
        assert.strictEqual(
          (yield* call(workers, { headers: bearer(other) })).status,
          200,
          "calls without a body still work"
        )
        held.destroy()
        yield* until(201, create(other))
        assert.strictEqual((yield* scanned).status, 200)
        assert.strictEqual((yield* granted).status, 401)
      })
    )
  }
)
