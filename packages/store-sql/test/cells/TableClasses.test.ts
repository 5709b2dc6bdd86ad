import { assert, it } from "@effect/vitest"
import { tableClasses, tenantColumnOf } from "@wcs/store-sql/cells/TableClasses"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { Effect } from "effect"
import { makeCell } from "./movedTenant.ts"

it.live("threat 92: every table says what a move of a tenant does with its rows", () =>
  Effect.gen(function* () {
    const { sql } = yield* makeCell("main")
    const columns = Map.groupBy(yield* dialectOf(sql).catalogue, ({ table }) => table.toLowerCase())
    assert.deepStrictEqual(Object.keys(tableClasses).toSorted(), [...columns.keys()].toSorted())
    for (const [table, found] of columns) {
      const isOfTenants =
        found.some(({ column }) => column === tenantColumnOf(table)) &&
        !["tenant_fence", "tenant_place"].includes(table)
      const isShared = tableClasses[table] === "shared"
      assert.strictEqual(isShared, !isOfTenants, table)
    }
  })
)
