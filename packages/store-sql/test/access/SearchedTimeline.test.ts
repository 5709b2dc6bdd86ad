import { assert, layer } from "@effect/vitest"
import { parseSearch } from "@wcs/domain/shared/SearchWords"
import { makeTimelinePage } from "@wcs/store-sql/engine/TimelineTable"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { store } from "../temporary.ts"

layer(store)("a search in a timeline", (it) => {
  it.effect("counts only the rows that meet the conditions of the list, too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [id, role] of Object.entries({ one: "Admin", two: "Viewer" })) {
        const account = { tenant_id: "t", id, kind: "user", role, created_at: 1, words: " ng", words_of: " " }
        yield* sql`INSERT INTO account ${sql.insert(account)}`
        yield* sql`INSERT INTO search_word ${sql.insert({ tenant_id: "t", kind: "user", word: "ng", id })}`
      }
      const page = yield* makeTimelinePage<"role", { readonly id: string }, { readonly id: string }>({
        name: "account",
        selected: "r.id",
        index: "account_of_tenant",
        fields: { role: { column: "role", index: "account_of_tenant" } },
        searched: "user",
        decode: ({ id }) => ({ id })
      })
      const { total } = yield* page("t", {
        conditions: [{ field: "role", value: "Admin" }],
        sought: parseSearch("ng") ?? assert.fail(),
        direction: "asc",
        pageSize: 25,
        after: undefined,
        includeDeleted: true,
        includeTotal: true
      })
      assert.strictEqual(total, 1)
    })
  )
})
