import * as PgClient from "@effect/sql-pg/PgClient"
import { nameOf, type Table } from "@wcs/store-sql/backup/Tables"
import { relationOf } from "@wcs/store-sql/cells/Difference"
import type { Cell } from "@wcs/store-sql/cells/Move"
import { movedTables } from "@wcs/store-sql/cells/MovedTables"
import { tenantColumnOf } from "@wcs/store-sql/cells/TableClasses"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"

/** A database with the present schema. */
export const makeCell = Effect.fnUntraced(function* (name: string) {
  const url = yield* freshDatabase
  const context = yield* Layer.build(
    Layer.provide(PgClient.layer({ url, maxConnections: 4 }), Layer.succeed(References.TracerEnabled, false))
  )
  const sql = Context.get(context, SqlClient.SqlClient)
  yield* migrate(migrations).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  // The rows of `fill` have any values.
  const checks = yield* sql<{ readonly name: string; readonly relation: string }>`SELECT conname AS name,
    CAST(CAST(conrelid AS regclass) AS TEXT) AS relation FROM pg_constraint
    WHERE contype = 'c' AND connamespace = to_regnamespace('public')`
  for (const { name, relation } of checks) yield* sql.unsafe(`ALTER TABLE ${relation} DROP CONSTRAINT "${name}"`)
  return { name, sql } satisfies Cell
})

const columnsOf = ({ columns }: Table) => columns.filter(({ name }) => name !== "position")

/** Inserts rows of a tenant into every table that moves: no values of the service, but every column. */
export const fill = Effect.fnUntraced(function* ({ sql }: Cell, tenantId: string, count: number) {
  const tables = (yield* movedTables(sql)).toSorted(
    (a, b) => Number(nameOf(b) === "tenant") - Number(nameOf(a) === "tenant")
  )
  for (const table of tables) {
    const ofTenant = tenantColumnOf(nameOf(table))
    const isSingle =
      nameOf(table) === "tenant" || columnsOf(table).filter((_, index) => table.key.includes(index)).length === 0
    const rows: ReadonlyArray<Record<string, string | number>> = Array.from(
      { length: isSingle ? 1 : count },
      (_, number) =>
        Object.fromEntries(
          columnsOf(table).map(({ isInteger, name }) => [
            name,
            name === ofTenant ? tenantId : isInteger ? number : `${name} ${number} of ${tenantId}`
          ])
        )
    )
    const [head = {}, ...others] = rows
    yield* sql`INSERT INTO ${sql.literal(table.name)} ${sql.insert([head, ...others])} ON CONFLICT DO NOTHING`
  }
})

/** All rows of a tenant in the tables that move, as text. */
export const rowsOf = Effect.fnUntraced(function* ({ sql }: Cell, tenantId: string, schema?: string) {
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const table of yield* movedTables(sql)) {
    const all = sql.literal(table.columns.map(({ name }) => name).join(", "))
    const rows = yield* sql<{ readonly row: string }>`SELECT ${dialectOf(sql).jsonArray(sql`${all}`)} AS row
      FROM ${sql.literal(relationOf(schema, table))}
      WHERE ${sql.literal(tenantColumnOf(nameOf(table)))} = ${tenantId}`
    found[nameOf(table)] = rows.map(({ row }) => row).toSorted()
  }
  return found
})
