import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { nameOf, type Table } from "../backup/Tables.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { migrations } from "../engine/Migrations.ts"
import { differences, relationOf, type Side } from "./Difference.ts"
import { open, passFences } from "./Fence.ts"
import { arriving, isFilledByTriggers, movedTables } from "./MovedTables.ts"
import { tenantColumnOf } from "./TableClasses.ts"

const lockOf = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(CAST(${`arrival of ${tenantId}`} AS TEXT), 0))`

/** The claim of a tenant's arriving rows. */
interface Claim {
  readonly claim: string
  /** Whether the rows were taken: set in the same transaction. */
  readonly taken: boolean
}

const claims = (sql: SqlClient.SqlClient, tenantId: string) => sql.literal(`"${arriving(tenantId)}".wcs_claim`)

const readClaim = (sql: SqlClient.SqlClient, tenantId: string) =>
  Effect.map(
    sql<Claim>`SELECT claim, taken FROM ${claims(sql, tenantId)} WHERE schema_size = ${migrations.length}`,
    ([found]) => found
  )

/**
 * Makes a command the only one that can take the rows of a tenant, and waits for one that is taking them. Returns whether
 * the rows were taken. Rows that arrived under another schema are dropped.
 */
export const claim = (sql: SqlClient.SqlClient, tenantId: string, claim: string) =>
  Effect.gen(function* () {
    const schema = arriving(tenantId)
    yield* lockOf(sql, tenantId)
    const [present] = yield* sql<{ readonly oid: unknown }>`SELECT to_regclass(${`"${schema}".wcs_claim`}) AS oid`
    if (present?.oid !== null) {
      const found = yield* readClaim(sql, tenantId)
      if (found !== undefined) {
        yield* sql`UPDATE ${claims(sql, tenantId)} SET claim = ${claim}`
        return found.taken
      }
    }
    yield* sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
    yield* sql.unsafe(`CREATE SCHEMA "${schema}"`)
    yield* sql.unsafe(
      `CREATE TABLE "${schema}".wcs_claim (claim TEXT NOT NULL, taken BOOLEAN NOT NULL, schema_size INTEGER NOT NULL)`
    )
    yield* sql`INSERT INTO ${claims(sql, tenantId)} VALUES (${claim}, false, ${migrations.length})`
    return false
  }).pipe(sql.withTransaction)

/** Whether a command still has the claim and has not taken the rows. Waits for one that is taking them. */
export const isOpen = (sql: SqlClient.SqlClient, tenantId: string, claim: string) =>
  Effect.gen(function* () {
    yield* lockOf(sql, tenantId)
    const found = yield* readClaim(sql, tenantId)
    return found?.claim === claim && !found.taken
  }).pipe(sql.withTransaction)

/** Whether a database has rows of a tenant, besides those that are arriving. */
export const hasRows = (sql: SqlClient.SqlClient, tenantId: string) =>
  Effect.map(sql`SELECT 1 FROM account WHERE tenant_id = ${tenantId} LIMIT 1`, (found) => found.length > 0)

/** The rows were not taken. Nothing was changed. */
class NotTaken extends Data.TaggedError("NotTaken")<{ readonly reason: string }> {}

/**
 * Creates the tables for arriving rows, if they are not there. Workers of the target do not see them. They survive no crash of the
 * database, after which the copy begins anew.
 */
export const prepare = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  const schema = arriving(tenantId)
  for (const table of yield* movedTables(sql)) {
    const relation = relationOf(schema, table)
    const keys = table.key.map((index) => table.columns[index]?.name).join(", ")
    yield* sql.unsafe(`DO $do$ BEGIN IF to_regclass('${relation}') IS NULL THEN
      CREATE UNLOGGED TABLE ${relation} (LIKE ${table.name}); ALTER TABLE ${relation} ADD PRIMARY KEY (${keys});
      END IF; END $do$`)
  }
})

/** Drops the tables for arriving rows. */
export const discard = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql.unsafe(`DROP SCHEMA IF EXISTS "${arriving(tenantId)}" CASCADE`)

/**
 * Makes the target assign only positions above those of the arrived rows. An INSERT locks its table before it takes a
 * position, so nobody takes one meanwhile.
 */
const raisePositions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, table: Table, tenantId: string) {
  const { continueAfter, lastPosition, lockTable } = dialectOf(sql)
  const [highest] = yield* sql<{ readonly position: unknown }>`SELECT max(position) AS position
    FROM ${sql.literal(relationOf(arriving(tenantId), table))}`
  const wanted = Number(highest?.position ?? 0)
  const isReached = Effect.map(lastPosition(table.name), ([last]) => Number(last?.position ?? 0) >= wanted)
  if (yield* isReached) return
  yield* lockTable(table.name).pipe(
    Effect.andThen(isReached),
    Effect.flatMap((done) => (done ? Effect.void : continueAfter(table.name, wanted))),
    sql.withTransaction
  )
})

/**
 * Adds the signing keys of the source, which the signatures of the tenant's tokens and seals need. With `reseals`, keys that
 * both have get the sealed text of the source: its master key may have been rotated.
 */
export const copyKeys = Effect.fnUntraced(function* (
  source: SqlClient.SqlClient,
  target: SqlClient.SqlClient,
  { reseals }: { readonly reseals: boolean } = { reseals: false }
) {
  const keys = yield* source<Readonly<Record<string, unknown>>>`SELECT kid, use, sealed_private_key, created_at
    FROM signing_key ORDER BY position`
  const known = target.literal(
    reseals
      ? `DO UPDATE SET sealed_private_key = excluded.sealed_private_key
          WHERE signing_key.sealed_private_key <> excluded.sealed_private_key`
      : "DO NOTHING"
  )
  yield* target.withTransaction(
    Effect.gen(function* () {
      let written = 0
      for (const key of keys) {
        written += (yield* target`INSERT INTO signing_key ${target.insert(key)} ON CONFLICT (kid) ${known}
          RETURNING kid`).length
      }
      if (written === 0) return
      // processes read their keys again
      yield* target`INSERT INTO access_epoch (tenant_id, writes) VALUES ('', 1)
        ON CONFLICT (tenant_id) DO UPDATE SET writes = access_epoch.writes + 1`
    })
  )
})

/** Moves the arrived rows into the tables of the store, in the open transaction. */
const load = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tables: ReadonlyArray<Table>, tenantId: string) {
  const isOwn = (table: Table) => sql`${sql.literal(tenantColumnOf(nameOf(table)))} = ${tenantId}`
  const remove = (table: Table) => sql`DELETE FROM ${sql.literal(table.name)} WHERE ${isOwn(table)}`
  // The first database keeps the row of the tenant and those of its hosts, and workers noted their progress.
  for (const table of tables.toReversed()) yield* remove(table)
  for (const table of tables) {
    if (isFilledByTriggers(table)) yield* remove(table)
    const columns = sql.literal(table.columns.map(({ name }) => name).join(", "))
    yield* sql`INSERT INTO ${sql.literal(table.name)} (${columns})${dialectOf(sql).givenPositions}
      SELECT ${columns} FROM ${sql.literal(relationOf(arriving(tenantId), table))} WHERE ${isOwn(table)}`
  }
})

/**
 * Takes the arrived rows into the store, if they are exactly those of the source. `switching` runs in the same
 * transaction. Fails with `NotTaken` if a table differs or another process has claimed the rows.
 */
export const take = Effect.fnUntraced(function* <E>(
  source: Side,
  sql: SqlClient.SqlClient,
  { claim, tenantId }: { readonly claim: string; readonly tenantId: string },
  switching: Effect.Effect<unknown, E>
) {
  const tables = yield* movedTables(sql)
  for (const table of tables.filter(({ hasPositions }) => hasPositions)) yield* raisePositions(sql, table, tenantId)
  const [access] = yield* source.sql<{ readonly writes: unknown }>`SELECT writes FROM access_epoch
    WHERE tenant_id = ${tenantId}`
  const writes = Number(access?.writes ?? 0) + 1
  yield* Effect.gen(function* () {
    yield* dialectOf(sql).unlimited
    yield* lockOf(sql, tenantId)
    const present = yield* readClaim(sql, tenantId)
    if (present?.claim !== claim || present.taken) {
      return yield* new NotTaken({ reason: "Another wcs move-tenant has begun" })
    }
    // of an earlier move, if it could not be removed
    yield* passFences(sql)
    yield* open(sql, tenantId)
    yield* load(sql, tables, tenantId)
    for (const table of tables) {
      const different = yield* differences(source, { sql, schema: undefined }, table, tenantId)
      if (different > 0) return yield* new NotTaken({ reason: `The rows of ${nameOf(table)} differ` })
    }
    // It never falls, so that no process takes an earlier state of the tenant for the present one.
    yield* sql`INSERT INTO access_epoch (tenant_id, writes) VALUES (${tenantId}, ${writes}) ON CONFLICT (tenant_id)
      DO UPDATE SET writes = GREATEST(excluded.writes, access_epoch.writes + 1)`
    yield* sql`UPDATE ${claims(sql, tenantId)} SET taken = true`
    yield* switching
  }).pipe(sql.withTransaction)
})
