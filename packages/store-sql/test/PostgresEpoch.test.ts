import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/AccessStore"
import { hear } from "@wcs/postgres/Hearing"
import { freshDatabase } from "@wcs/postgres-engine/FreshDatabase"
import * as AccessEpoch from "@wcs/store-sql/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { putTenant } from "@wcs/store-suite/AccessFixtures"
import { Context, Effect, Layer, type Redacted, Schedule, type Scope } from "effect"

/** A store of a process of its own, as far as it knows. */
const instance = (
  url: Redacted.Redacted,
  heard: Effect.Effect<Effect.Effect<void>, never, PgClient.PgClient | Scope.Scope>
) =>
  Layer.build(
    Layer.fresh(
      StoreSql.layerWith(Layer.unwrap(Effect.map(heard, AccessEpoch.layerShared))).pipe(
        Layer.provide(PgClient.layer({ url, maxConnections: 4 }))
      )
    )
  )

const listening = Effect.gen(function* () {
  return yield* hear(yield* PgClient.PgClient, AccessEpoch.channel)
})

const epochOf = (store: Context.Context<AccessStore>) => Context.get(store, AccessStore).epoch

/** The epoch once it stands still: what was written while the store was built has been seen. */
const settled = Effect.fnUntraced(function* (store: Context.Context<AccessStore>) {
  let epoch = yield* epochOf(store)
  for (let still = 0; still < 20; still++) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    const now = yield* epochOf(store)
    if (now !== epoch) still = 0
    epoch = now
  }
  return epoch
})

it.effect("a write of one process moves the epoch of another, which is told of it", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [yield* instance(url, Effect.succeed(Effect.never)), yield* instance(url, listening)]
    // No clock goes on in this test: nothing is looked at that was not heard of.
    const before = yield* settled(other)
    yield* Effect.provideContext(putTenant, one)
    yield* Effect.repeat(
      Effect.andThen(
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
        epochOf(other)
      ),
      { until: (epoch) => epoch !== before }
    )
    assert.notStrictEqual(yield* epochOf(other), before)
  })
)

it.live("a write of one process moves the epoch of another within a second, where nothing is heard", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [
      yield* instance(url, Effect.succeed(Effect.never)),
      yield* instance(url, Effect.succeed(Effect.never))
    ]
    const before = yield* settled(other)
    yield* Effect.provideContext(putTenant, one)
    yield* Effect.repeat(epochOf(other), {
      schedule: Schedule.spaced("10 millis"),
      until: (epoch) => epoch !== before
    }).pipe(Effect.timeout("1 second"))
  })
)
