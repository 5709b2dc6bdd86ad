import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { nameOf, type Table } from "../backup/Tables.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { relationOf } from "./Difference.ts"
import type { ClaimLost } from "./Directory.ts"
import { passFences } from "./Fence.ts"
import { left, movedTables } from "./MovedTables.ts"
import { tableClasses, tenantColumnOf } from "./TableClasses.ts"

interface PuttingAside {
  /** Whether the rows of the directory stay. */
  readonly keepsDirectory: boolean
  /** Fails if the tenant is not in another database. Called when no other command can put the rows aside. */
  readonly mayGo: Effect.Effect<void, ClaimLost | SqlError.SqlError>
}

/**
 * Puts the rows of a tenant aside, in one transaction: into tables of a schema of their own, where they can be read. The
 * first database keeps those of the directory.
 */
export const putAside = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenantId: string,
  { keepsDirectory, mayGo }: PuttingAside
) {
  const tables = yield* movedTables(sql)
  const schema = left(tenantId)
  const isOwn = (table: Table) => sql`${sql.literal(tenantColumnOf(nameOf(table)))} = ${tenantId}`
  yield* Effect.gen(function* () {
    yield* dialectOf(sql).unlimited
    yield* passFences(sql)
    const [present] = yield* sql<{ readonly oid: unknown }>`SELECT to_regnamespace(${`"${schema}"`}) AS oid`
    if (present?.oid !== null) return // an earlier run did this
    yield* sql.unsafe(`CREATE SCHEMA "${schema}"`)
    yield* mayGo
    for (const table of tables) {
      // Such a statement has no parameters. The id has only letters, digits and an underscore.
      yield* sql.unsafe(`CREATE TABLE ${relationOf(schema, table)} AS
        SELECT * FROM ${table.name} WHERE ${tenantColumnOf(nameOf(table))} = '${tenantId}'`)
    }
    // Those that others refer to, and those that triggers fill, are the last.
    const isKept = (table: Table) => keepsDirectory && tableClasses[nameOf(table)] === "directory"
    const [directory, others] = [
      tables.filter((table) => tableClasses[nameOf(table)] === "directory"),
      tables.filter((table) => tableClasses[nameOf(table)] !== "directory")
    ]
    for (const table of [...others, ...directory.toReversed()]) {
      if (!isKept(table)) yield* sql`DELETE FROM ${sql.literal(table.name)} WHERE ${isOwn(table)}`
    }
    yield* sql`DELETE FROM compliance_mark WHERE tenant_id = ${tenantId}`
  }).pipe(sql.withTransaction)
})

/** Deletes the rows that were put aside. */
export const forget = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql.unsafe(`DROP SCHEMA IF EXISTS "${left(tenantId)}" CASCADE`)
