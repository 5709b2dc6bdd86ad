import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { nameOf, type Table } from "../backup/Tables.ts"
import { dialectOf, loadingLock } from "../engine/Dialect.ts"
import { migrations } from "../engine/Migrations.ts"
import { run } from "../engine/Script.ts"
import type { Change } from "./Changes.ts"
import { mend, mendKeys, replace } from "./Difference.ts"
import { open, passFences } from "./Fence.ts"
import { arriving, movedTables } from "./MovedTables.ts"
import { isFenced } from "./TableClasses.ts"

/** The databases of a move. */
interface Databases {
  readonly source: SqlClient.SqlClient
  readonly target: SqlClient.SqlClient
}

/** The rows of a move. */
export interface MovedRows extends Databases {
  readonly tenantId: string
}

const lockOf = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(CAST(${`arrival of ${tenantId}`} AS TEXT), 0))`

/** Ends the transaction in which another command loads the rows. It can be open although the command was killed. */
const endOther = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ${sql.literal(String(loadingLock))}
    AND CAST(objid AS BIGINT) = CAST(hashtext(${tenantId}) AS BIGINT) & 4294967295`

/** The claim of a tenant's arriving rows. */
interface Claim {
  readonly claim: string
  /** Whether the rows were taken: set in the same transaction. */
  readonly taken: boolean
}

const claims = (sql: SqlClient.SqlClient, tenantId: string) => sql.literal(`"${arriving(tenantId)}".wcs_claim`)

const readClaim = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  const [present] = yield* sql<{ readonly oid: unknown }>`SELECT
    to_regclass(${`"${arriving(tenantId)}".wcs_claim`}) AS oid`
  if (present?.oid === null) return undefined
  const [found] = yield* sql<Claim>`SELECT claim, taken FROM ${claims(sql, tenantId)}
    WHERE schema_size = ${migrations.length}`
  return found
})

/**
 * Makes a command the only one that can take the rows of a tenant. An earlier command has either taken them, or can no
 * longer do so. Returns whether the rows were taken.
 */
export const claim = (sql: SqlClient.SqlClient, tenantId: string, claim: string) =>
  Effect.gen(function* () {
    const schema = arriving(tenantId)
    yield* endOther(sql, tenantId)
    yield* lockOf(sql, tenantId)
    const found = yield* readClaim(sql, tenantId)
    if (found !== undefined) {
      yield* sql`UPDATE ${claims(sql, tenantId)} SET claim = ${claim}`
      return found.taken
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
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly reason: string }> {}

/** Drops the claim. */
export const discard = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql.unsafe(`DROP SCHEMA IF EXISTS "${arriving(tenantId)}" CASCADE`)

/** The last position of a table of the source, and the one of the target. */
const positionsOf = Effect.fnUntraced(function* ({ source, target }: Databases, { name }: Table) {
  const [[wanted], [present]] = yield* Effect.all([
    dialectOf(source).lastPosition(name),
    dialectOf(target).lastPosition(name)
  ])
  return { wanted: Number(wanted?.position ?? 0), present: Number(present?.position ?? 0) }
})

/**
 * Makes the target assign only positions above those of the source. An INSERT locks its table before it takes a position,
 * so nobody takes one meanwhile.
 */
export const raisePositions = Effect.fnUntraced(function* (databases: Databases) {
  const { target } = databases
  const { continueAfter, lockTable } = dialectOf(target)
  for (const table of (yield* movedTables(target)).filter(({ hasPositions }) => hasPositions)) {
    const found = yield* positionsOf(databases, table)
    if (found.wanted <= found.present) continue
    yield* Effect.gen(function* () {
      yield* lockTable(table.name)
      const { present, wanted } = yield* positionsOf(databases, table)
      if (wanted > present) yield* continueAfter(table.name, wanted)
    }).pipe(target.withTransaction)
  }
})

/** The same for the positions that were assigned since: few, and the loaded rows keep the tables from being locked. */
export const passPositions = Effect.fnUntraced(function* (databases: Databases) {
  const { target } = databases
  for (const table of (yield* movedTables(target)).filter(({ hasPositions }) => hasPositions)) {
    const { present, wanted } = yield* positionsOf(databases, table)
    if (wanted <= present) continue
    yield* target`SELECT max(nextval(pg_get_serial_sequence(${table.name}, 'position')))
      FROM generate_series(1, CAST(${wanted - present} AS BIGINT))`
  }
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

/**
 * Runs an effect in the transaction that loads the rows into the tables of the target. Nobody else sees the rows before it
 * commits: neither the workers of the target, nor a command that lists its tenants.
 */
export const loading = <A, E, R>(sql: SqlClient.SqlClient, tenantId: string, load: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* dialectOf(sql).unlimited
    yield* sql`SELECT pg_advisory_xact_lock(${sql.literal(String(loadingLock))}, hashtext(${tenantId}))`
    yield* passFences(sql)
    // The statistics do not know the loaded rows.
    yield* sql`SELECT set_config('enable_seqscan', 'off', true)`
    return yield* load
  }).pipe(sql.withTransaction)

/** Rows that were copied. */
export interface Copied {
  /** How many were different. */
  readonly different: number
  /** Those that must be copied again: another row has a unique value of theirs. */
  readonly refused: ReadonlyArray<Change>
}

const fencedTables = (sql: SqlClient.SqlClient) =>
  Effect.map(movedTables(sql), (tables) => tables.filter((table) => isFenced(nameOf(table))))

/** Makes the loaded rows those of the source: all, or those with the keys of changes. */
export const copy = Effect.fnUntraced(function* (moved: MovedRows, changes?: ReadonlyArray<Change>) {
  const keys = Map.groupBy(changes ?? [], ({ name }) => name)
  let different = 0
  const refused: Array<Change> = []
  for (const table of yield* fencedTables(moved.source)) {
    const changed = [...new Set(keys.get(table.name)?.map(({ key }) => key))]
    if (changes !== undefined && changed.length === 0) continue
    const compared = { ...moved, table }
    const mended = yield* changes === undefined ? mend(compared) : mendKeys(compared, changed)
    different += mended.different
    refused.push(...mended.refused.map((key) => ({ name: table.name, key })))
  }
  return { different, refused } satisfies Copied
})

/**
 * Takes the loaded rows, which are those of the source, in the open transaction, and adds the audit entry of the move. Fails
 * with `NotTaken` if another command has claimed the rows.
 */
export const take = Effect.fnUntraced(function* (moved: MovedRows, claim: string, entry: AuditEntry) {
  const { source, target: sql, tenantId } = moved
  yield* lockOf(sql, tenantId)
  const present = yield* readClaim(sql, tenantId)
  if (present?.claim !== claim || present.taken) {
    return yield* new NotTaken({ reason: "Another wcs move-tenant has begun" })
  }
  // The first database keeps the row of the tenant and those of its hosts, and workers noted their progress.
  const unfenced = (yield* movedTables(source)).filter((table) => !isFenced(nameOf(table)))
  yield* replace(unfenced.map((table) => ({ ...moved, table })))
  yield* passPositions(moved)
  yield* run(makeRecordsWriter(sql).audit(tenantId, [entry]))
  // of an earlier move
  yield* open(sql, tenantId)
  const [access] = yield* source<{ readonly writes: unknown }>`SELECT writes FROM access_epoch
    WHERE tenant_id = ${tenantId}`
  const writes = Number(access?.writes ?? 0) + 1
  // It never falls, so that no process takes an earlier state of the tenant for the present one.
  yield* sql`INSERT INTO access_epoch (tenant_id, writes) VALUES (${tenantId}, ${writes}) ON CONFLICT (tenant_id)
    DO UPDATE SET writes = GREATEST(excluded.writes, access_epoch.writes + 1)`
  yield* sql`UPDATE ${claims(sql, tenantId)} SET taken = true`
})
