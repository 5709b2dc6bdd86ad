import { assert, layer } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Worker } from "@wcs/domain/people/Worker"
import { totalLimit } from "@wcs/domain/resource/ListQuery"
import { created, freshTenant, listIds, mint, put, select, workerFields } from "@wcs/store-suite/Fixtures"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "./engines.ts"

/** Copies the tenant's only worker, in one statement: as many creates would take long. The ids are in order. */
const copies = Effect.fnUntraced(function* (tenantId: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const [row = {}] = yield* sql`SELECT * FROM worker WHERE tenant_id = ${tenantId}`
  const others = Object.keys(row).filter((column) => column !== "id")
  yield* sql.unsafe(`INSERT INTO worker (id, ${others.join(", ")})
    WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${count})
    SELECT id || (100000 + n), ${others.join(", ")} FROM worker CROSS JOIN series WHERE tenant_id = '${tenantId}'`)
})

for (const [engine, stores] of engines) {
  layer(stores, { excludeTestServices: true })(`a list of more rows than are counted, on ${engine}`, (it) => {
    it.effect("stops counting at the limit, and is read beyond it", () =>
      Effect.gen(function* () {
        const [store, tenantId] = [yield* ResourceStore, freshTenant()]
        const { id } = yield* put(Worker, tenantId, created(mint("worker"), workerFields()))
        yield* copies(tenantId, totalLimit)
        const { total } = yield* store.list(Worker, tenantId, select({ pageSize: 1, includeTotal: true }))
        assert.strictEqual(total, totalLimit)
        const last = yield* listIds(Worker, tenantId, { offset: totalLimit, pageSize: 1 })
        assert.deepStrictEqual(last, [`${id}${100_000 + totalLimit}`])
      })
    )
  })
}
