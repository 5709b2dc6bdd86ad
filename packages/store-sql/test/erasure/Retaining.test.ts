import { assert, layer } from "@effect/vitest"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { putTenant } from "@wcs/store-suite/access/AccessFixtures"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { distributedStore, engines } from "../engines.ts"

const announce = Effect.fnUntraced(function* (tenantId: string, status: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO erasure ${sql.insert({
    ...{ tenant_id: tenantId, worker_id: `wkr_${tenantId}`, reason: "REQUEST", status, account: "urn:account:1" },
    ...{ request_id: "req_1", requested_at: 0 }
  })}`
})

for (const [engine, store] of [...engines, ["a Postgres that is distributed by tenant", distributedStore] as const]) {
  layer(store, { excludeTestServices: true })(`tenants with workers to erase on ${engine}`, (it) => {
    it.effect("are those that keep workers for a time, or have announced erasures, page by page", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tenants = yield* Effect.all([putTenant, putTenant, putTenant, putTenant])
        const [limited = "", announcing = "", done = ""] = tenants.map(({ tenant }) => tenant.id)
        yield* sql`UPDATE tenant SET retention_years = 7 WHERE id = ${limited}`
        yield* announce(announcing, "ANNOUNCED")
        yield* announce(done, "ERASED")
        const { retaining } = yield* ErasureStore
        const found = (after: string | null, limit: number) =>
          Effect.map(retaining(after, limit), (all) => all.map(({ tenantId }) => tenantId))
        assert.deepStrictEqual(yield* found(null, 10), [limited, announcing])
        assert.deepStrictEqual(yield* found(null, 1), [limited])
        assert.deepStrictEqual(yield* found(limited, 10), [announcing])
      })
    )
  })
}
