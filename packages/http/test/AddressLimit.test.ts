import { assert, layer } from "@effect/vitest"
import { newerRoot } from "@wcs/api/NewerSurface"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import { defaultRateLimits, RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { IsOutage } from "@wcs/http/request/Outage"
import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { Effect, Layer } from "effect"
import * as Deployment from "./Deployment.ts"

const quotaOf = ({ headers }: Deployment.Answer) =>
  ["limit", "remaining", "reset"].map((name) => headers[`x-ratelimit-${name}`])

/** A limiter whose store is away. */
const awayLimiter = Layer.succeed(
  RateLimiter,
  RateLimiter.of({
    limits: defaultRateLimits,
    take: () => Effect.die(new Error("away")),
    peek: () => Effect.die(new Error("away"))
  })
)

const deployment = Layer.merge(Deployment.services(), awayLimiter)

layer(Deployment.layer(deployment), { excludeTestServices: true })("while the limiter is away", (it) => {
  it.effect("RTL-08: calls of unknown callers are answered as ever, with the headers of an untouched limit", () =>
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

/** A store of which nothing can be asked. */
const awayStore = Layer.effect(
  AccessStore,
  Effect.map(AccessStore, (store) => AccessStore.of({ ...store, findPersonalToken: () => Effect.die("away") }))
).pipe(Layer.provideMerge(StoreMemory.layer))

const limits = { ...defaultRateLimits, unauthenticated: 1 }
const outage = Layer.succeed(IsOutage, (failure) => failure === "away")

layer(Layer.provide(Deployment.layer(Deployment.services(awayStore, limits)), outage), { excludeTestServices: true })(
  "while the store is away",
  (it) => {
    it.effect("RTL-08: a 503 has the headers, and counts against nobody", () =>
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
  }
)
