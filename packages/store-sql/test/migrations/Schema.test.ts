import { assert, layer } from "@effect/vitest"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { store } from "../temporary.ts"

const indexesOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const names = yield* sql<{ readonly name: string }>`SELECT name FROM pragma_index_list(${table})`
  return yield* Effect.forEach(names, ({ name }) =>
    Effect.map(sql<{ readonly name: string }>`SELECT name FROM pragma_index_info(${name}) ORDER BY seqno`, (columns) =>
      columns.map((column) => column.name)
    )
  )
})

layer(store)("the schema", (it) => {
  for (const resource of definitions) {
    it.effect(`has a text column for each column of a ${resource.type}, and no other`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const columns = yield* sql<{ readonly name: string; readonly type: string; readonly notnull: number }>`
          SELECT name, type, "notnull" FROM pragma_table_info(${resource.type})`
        const own = ["tenant_id", "id", "version", "created_at", "updated_at", "deleted_at", "document", "checksum"]
        const rest = columns.filter(({ name }) => !own.includes(name) && !name.startsWith("words"))
        assert.deepStrictEqual(
          columns.flatMap(({ name }) => (name.startsWith("words") ? [name] : [])),
          resource.searched === undefined ? [] : ["words", "words_of"]
        )
        assert.sameMembers(
          rest.map(({ name }) => name),
          // The result of all checks is no part of a worker's document, nor is whether a message reaches a person.
          [
            ...Object.keys(resource.columns),
            ...(resource.type === "worker" ? ["compliance"] : []),
            ...(resource.addresses === undefined ? [] : ["unreachable"])
          ]
        )
        for (const { name, notnull, type } of rest) {
          assert.strictEqual(`${type} ${notnull}`, name === "unreachable" ? "TEXT 0" : "TEXT 1", name)
        }
      })
    )

    it.effect(`finds and sorts a ${resource.type} by an index that begins with tenant and column and ends in id`, () =>
      Effect.gen(function* () {
        const indexes = yield* indexesOf(resource.type)
        for (const column of [...Object.keys(resource.columns), "created_at", "updated_at"]) {
          const leading = indexes.filter(([first, second]) => first === "tenant_id" && second === column)
          assert.isNotEmpty(leading, column)
          for (const index of leading) assert.strictEqual(index.at(-1), "id", column)
        }
        for (const column of ["created_at", "updated_at", ...Object.values(resource.sorts)]) {
          assert.deepInclude(indexes, ["tenant_id", column, "id"])
        }
      })
    )
  }

  it.effect("is strict, and every row has a rowid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lax = yield* sql`SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND name NOT LIKE 'sqlite%' AND (strict = 0 OR wr = 1)`
      assert.deepStrictEqual(lax, [])
    })
  )
})
