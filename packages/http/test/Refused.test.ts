import { assert, describe, it, layer } from "@effect/vitest"
import { RateLimited } from "@wcs/domain/access/RateLimitTier"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { LastOwner } from "@wcs/domain/ownership/Ownership"
import * as HttpRefusal from "@wcs/domain/service/HttpRefusal"
import { codeOf, ErrorCodes, type Refusal, textOf } from "@wcs/domain/service/Refusals"
import { statusOf } from "@wcs/domain/shared/ErrorCode"
import { PasswordsBusy } from "@wcs/domain/user/Passwords"
import { answerOf, headersOf } from "@wcs/http/refusal/Refused"
import { failureOn } from "@wcs/http/Surface"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, References } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Deployment from "./Deployment.ts"

/** Refusals with their status and headers: those that have headers, and one without. */
const answers: ReadonlyArray<readonly [Refusal, number, Readonly<Record<string, string>>]> = [
  [new LastOwner({ holder: "wkr_1" }), 422, {}],
  [
    new RateLimited({ quota: { limit: 600, remaining: 0, resetSeconds: 17, exceeded: true } }),
    429,
    { "retry-after": "17" }
  ],
  [new HttpRefusal.Unavailable({ retryAfterSeconds: 1 }), 503, { "retry-after": "1" }],
  [new PasswordsBusy({ retryAfterSeconds: 1 }), 503, { "retry-after": "1" }],
  [new HttpRefusal.MethodNotAllowed({ allowed: ["GET", "HEAD"] }), 405, { allow: "GET, HEAD" }],
  [new HttpRefusal.PayloadTooLarge({ limitBytes: 1024 }), 413, { connection: "close" }],
  [new HttpRefusal.HeadersTooLarge({ limitBytes: 16384 }), 431, { connection: "close" }],
  [
    new HttpRefusal.RequestTimeout({ headersMillis: 15_000, bodyMillis: 60_000, uploadMillis: 600_000 }),
    408,
    { connection: "close" }
  ],
  [new HttpRefusal.MalformedRequest({ reason: "is not valid HTTP" }), 400, { connection: "close" }],
  [new HttpRefusal.UnsupportedMediaType({ part: "coding", supported: [] }), 415, { "accept-encoding": "identity" }]
]

const codes = ErrorCodes.of({ codeOf, statusOf })

const bodyOf = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.promise(() => HttpServerResponse.toWeb(response).json())

describe("refusals", () => {
  for (const [refusal, status, headers] of answers) {
    it.effect(`ENV-02, ENV-03: ${refusal._tag} is answered in the envelope, with its headers`, () =>
      Effect.gen(function* () {
        const answer = answerOf(codes, refusal, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(headersOf(refusal), headers)
        assert.deepStrictEqual(yield* bodyOf(answer), {
          error: { code: codeOf(refusal._tag), message: textOf(refusal), requestId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }
        })
      })
    )
  }

  it.effect("ENV-15, ENV-18: answers internal errors with INTERNAL in the error form of each surface", () =>
    Effect.gen(function* () {
      const message = "Internal error of the service. Try again later, or report the request id."
      const requestId = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
      const enveloped = { error: { code: "INTERNAL", message, requestId } }
      const expected = {
        newer: enveloped,
        outside: enveloped,
        token: { error: "server_error", error_description: message },
        legacy: { status: 500, message, field: null }
      }
      for (const surface of ["newer", "outside", "token", "legacy"] as const) {
        const answer = failureOn(surface, requestId)
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(yield* bodyOf(answer), expected[surface], surface)
      }
    })
  )
})

/** A broken store whose errors contain internals. */
const secret = "SQLITE_CORRUPT at /var/lib/wcs/wcs.sqlite: SELECT secret_hash FROM oauth_client"
const broken = Layer.merge(
  StoreSqlite.layerMemory,
  Layer.succeed(
    ResourceStore,
    ResourceStore.of({
      find: () => Effect.die(new Error(secret)),
      findText: () => Effect.die(new Error(secret)),
      findAll: () => Effect.die(new Error(secret)),
      versions: () => Effect.die(new Error(secret)),
      heldByEach: () => Effect.die(new Error(secret)),
      list: () =>
        Effect.sync(() => {
          throw new Error(secret)
        }),
      change: () => Effect.die(secret)
    })
  )
)

layer(Deployment.services(broken), { excludeTestServices: true })("a broken store", (it) => {
  it.effect("ENV-15, ENV-18: causes 500 INTERNAL without internals, with the common headers", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.settle
      const fetch = yield* Deployment.serve(Context.make(References.MinimumLogLevel, "None"))
      const token = yield* tokenOf("Super Admin")
      const path = "/openapi/v1/workers"
      const body = JSON.stringify({ identity: { displayName: "Ann" } })
      const sent = { method: "POST", headers: { "content-type": "application/json" }, body }
      for (const call of [{ path }, { path: `${path}/wkr_0000000000000000` }, { path, ...sent }]) {
        const answer = yield* Deployment.call({ ...call, token }).pipe(Effect.provideService(Deployment.Fetch, fetch))
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(answer.json, {
          error: {
            code: "INTERNAL",
            message: "Internal error of the service. Try again later, or report the request id.",
            requestId: answer.headers["x-request-id"]
          }
        })
        assert.property(answer.headers, "x-ratelimit-remaining")
        assert.notMatch(JSON.stringify(answer), /sqlite|secret_hash|\/var\//i)
      }
    })
  )
})
