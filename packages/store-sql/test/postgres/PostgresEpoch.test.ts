import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { hear } from "@wcs/postgres/Hearing"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { putTenant } from "@wcs/store-suite/access/AccessFixtures"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Layer, type Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** A store with its own epoch, as in a process of its own. */
const instance = (
  url: Redacted.Redacted,
  heard: Effect.Effect<Effect.Effect<void>, never, PgClient.PgClient | Scope.Scope>
) =>
  Layer.build(
    Layer.fresh(
      StoreSql.layerShared.pipe(
        Layer.provide(Layer.unwrap(Effect.map(heard, AccessEpoch.layerShared))),
        Layer.provide(PgClient.layer({ url, maxConnections: 4 }))
      )
    )
  )

const listening = Effect.gen(function* () {
  return yield* hear(yield* PgClient.PgClient, AccessEpoch.channel)
})

const epochOf = (store: Context.Context<AccessStore>) => Effect.sync(Context.get(store, AccessStore).epoch)

/** Lets pending database operations run. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** The epoch once it has been read and no longer moves: earlier writes have been seen. */
const settled = Effect.fnUntraced(function* (store: Context.Context<AccessStore>) {
  let epoch = yield* Effect.repeat(Effect.andThen(turn, epochOf(store)), { until: (looked) => looked > 0 })
  for (let still = 0; still < 20; still++) {
    yield* turn
    const now = yield* epochOf(store)
    if (now !== epoch) still = 0
    epoch = now
  }
  return epoch
})

it.effect("a write of one process raises the epoch of another, by notification", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [yield* instance(url, Effect.succeed(Effect.never)), yield* instance(url, listening)]
    // The test clock stands still, so nothing is polled.
    const before = yield* settled(other)
    yield* Effect.provideContext(putTenant, one)
    yield* Effect.repeat(Effect.andThen(turn, epochOf(other)), { until: (epoch) => epoch !== before })
  })
)

it.effect("a write of one process raises the epoch of another half a second later without a notification", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [
      yield* instance(url, Effect.succeed(Effect.never)),
      yield* instance(url, Effect.succeed(Effect.never))
    ]
    const before = yield* settled(other)
    yield* Effect.provideContext(putTenant, one)
    assert.strictEqual(yield* settled(other), before)
    yield* TestClock.adjust("500 millis")
    yield* Effect.repeat(Effect.andThen(turn, epochOf(other)), { until: (epoch) => epoch !== before })
  })
)
