import { assert, layer } from "@effect/vitest"
import { newerRoot } from "@wcs/api/NewerSurface"
import { defaultRateLimits, RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { IsOutage } from "@wcs/http/request/Outage"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer } from "effect"
import * as Deployment from "./Deployment.ts"

const quotaOf = ({ headers }: Deployment.Answer) =>
  ["limit", "remaining", "reset"].map((name) => headers[`x-ratelimit-${name}`])

/** A limiter whose store is unavailable. */
const awayLimiter = Layer.succeed(
  RateLimiter,
  RateLimiter.of({
    limits: defaultRateLimits,
    take: () => Effect.die(new Error("away")),
    takeBoth: () => Effect.die(new Error("away")),
    peek: () => Effect.die(new Error("away"))
  })
)

const deployment = Layer.merge(Deployment.services(), awayLimiter)

layer(Deployment.layer(deployment), { excludeTestServices: true })("while the rate limiter is unavailable", (it) => {
  it.effect("RTL-08: answers unauthenticated calls with the headers of an unused limit", () =>
    Effect.gen(function* () {
      for (const [path, status, headers] of [
        ["/openapi.json", 200, {}],
        ["/nonsense", 404, {}],
        [`${newerRoot}/workers`, 401, {}],
        [`${newerRoot}/workers`, 404, { host: "nobody.example" }],
        [`${newerRoot}/workers`, 400, { "x-test-plain": "1" }]
      ] as const) {
        const answer = yield* Deployment.call({ path, headers })
        assert.strictEqual(answer.status, status, path)
        assert.deepStrictEqual(quotaOf(answer), ["120", "120", "60"], path)
      }
    })
  )
})

/** A store that fails every operation. */
const awayStore = Layer.effect(
  AccessStore,
  Effect.map(AccessStore, (store) =>
    AccessStore.of({ ...store, findPersonalToken: () => Effect.die("away"), findClient: () => Effect.die("away") })
  )
).pipe(Layer.provideMerge(StoreSqlite.layerMemory))

const limits = { ...defaultRateLimits, unauthenticated: 1 }
const outage = Layer.succeed(IsOutage, (failure) => failure === "away")

layer(Layer.provide(Deployment.layer(Deployment.services(awayStore, limits)), outage), { excludeTestServices: true })(
  "while the store is unavailable",
  (it) => {
    it.effect("RTL-08: sends the rate limit headers with a 503 and does not count the call", () =>
      Effect.gen(function* () {
        const { tokenOf } = yield* Deployment.Settled
        const token = yield* tokenOf("Viewer")
        for (let call = 0; call < 3; call++) {
          const answer = yield* Deployment.call({ path: `${newerRoot}/workers`, token })
          assert.strictEqual(answer.status, 503)
          assert.deepStrictEqual(quotaOf(answer), ["1", "1", "60"])
        }
        assert.deepStrictEqual(quotaOf(yield* Deployment.call({ path: "/nonsense" })), ["1", "0", "60"])
      })
    )

    it.effect("ENV-02: answers 503 temporarily_unavailable at the token endpoint", () =>
      Effect.gen(function* () {
        const answer = yield* Deployment.call({
          method: "POST",
          path: `${newerRoot}/oauth/token`,
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: "grant_type=client_credentials&client_id=wcs_oauth_0000000000000000&client_secret=secret"
        })
        assert.strictEqual(answer.status, 503)
        assert.include(answer.text, '"error":"temporarily_unavailable"')
        assert.strictEqual(answer.headers["retry-after"], "1")
      })
    )
  }
)
