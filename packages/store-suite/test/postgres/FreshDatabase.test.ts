import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"

const databases = Effect.fnUntraced(function* (prefix: string) {
  const url = yield* freshDatabase
  const sql = yield* PgClient.makeClient({ url })
  const rows = yield* sql<{ readonly name: string }>`
    SELECT datname AS name FROM pg_database WHERE starts_with(datname, ${prefix})`
  return rows.map(({ name }) => name)
}, Effect.provide(Reactivity.layer))

it.live("creates a database on a real Postgres, and drops it when the scope closes", () =>
  Effect.gen(function* () {
    const name = yield* Effect.scoped(
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const sql = yield* PgClient.makeClient({ url })
        const [row] = yield* sql<{ readonly name: string; readonly version: string }>`
          SELECT current_database() AS name, current_setting('server_version_num') AS version`
        assert.isAtLeast(Number(row?.version), 150_000)
        return row?.name ?? ""
      })
    )
    assert.match(name, /^wcs_test_[0-9a-f]{32}$/)
    assert.deepStrictEqual(yield* Effect.scoped(databases(name)), [])
  }).pipe(Effect.provide(Reactivity.layer))
)
