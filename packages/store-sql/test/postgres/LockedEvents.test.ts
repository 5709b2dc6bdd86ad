import { assert, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { happen, putWebhook } from "@wcs/store-suite/delivery/DeliveryFixtures"
import { start } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { distributedStore, postgresStore } from "../engines.ts"

/** Locks events until the returned effect runs. */
const locked = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const lock = sql`SELECT 1 FROM event WHERE ${sql.in("id", ids)} FOR UPDATE`
  const holder = yield* Effect.forkChild(
    sql.withTransaction(Effect.all([lock, Deferred.succeed(isLocked, undefined), Deferred.await(isOver)]))
  )
  yield* Deferred.await(isLocked)
  return Effect.andThen(Deferred.succeed(isOver, undefined), Fiber.join(holder))
})

const fanOut = Effect.fnUntraced(function* (limit: number) {
  const seen: Array<string> = []
  const store = yield* DeliveryStore
  yield* store.fanOut({ now: start, limit, retryAt: () => null }, ({ id }) => {
    seen.push(id)
    return []
  })
  return seen
})

for (const [name, store] of [
  ["one Postgres", postgresStore],
  ["a Postgres that is distributed by tenant", distributedStore]
] as const) {
  layer(store, { excludeTestServices: true })(`fan-outs on ${name}`, (it) => {
    it.effect("look beyond events that another transaction has locked", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* putWebhook(), yield* putWebhook()]
        const happened = [one, one, other, one, other].map(({ tenantId }) => happen(tenantId))
        const ids = (yield* Effect.all(happened)).map(({ id }) => id)
        const release = yield* locked(ids.slice(0, 3))
        assert.deepStrictEqual(yield* fanOut(2), ids.slice(3))
        assert.deepStrictEqual(yield* fanOut(2), [])
        yield* release
        assert.deepStrictEqual(yield* fanOut(2), ids.slice(0, 2))
        assert.deepStrictEqual(yield* fanOut(2), ids.slice(2, 3))
      })
    )
  })
}
