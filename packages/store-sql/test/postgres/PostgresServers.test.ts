import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { type StoresTest, tenantTest } from "@wcs/store-suite/Fixtures"
import { ownershipHistorySuite } from "@wcs/store-suite/ownership/OwnershipHistorySuite"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** A server: a store with 16 connections of its own. */
const serverOn = (url: Effect.Success<typeof freshDatabase>) =>
  Layer.build(
    Layer.fresh(
      Layer.provideMerge(
        Layer.provide(StoreSql.layerShared, AccessEpoch.layer),
        PgClient.layer({ url, maxConnections: 16 })
      )
    )
  )

/** Two servers of one database. Every second transition is by the other server. */
const twoServers = Layer.effectContext(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [yield* serverOn(url), yield* serverOn(url)]
    const [first, second] = [Context.get(one, OwnershipStore), Context.get(other, OwnershipStore)]
    let calls = 0
    const alternating = OwnershipStore.of({
      transition: (...given) => (calls++ % 2 === 0 ? first : second).transition(...given)
    })
    return Context.add(one, OwnershipStore, alternating)
  })
)

layer(twoServers, { excludeTestServices: true })("OWN-19, threat 20: transitions by two servers", (it) => {
  ownershipHistorySuite(tenantTest(it as StoresTest))

  it.effect("do not deadlock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [found] = yield* sql<{ readonly deadlocks: unknown }>`
        SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
      assert.strictEqual(Number(found?.deadlocks), 0)
    })
  )
})
