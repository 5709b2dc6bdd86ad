import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { leaving } from "./MovedTables.ts"

// The keys of the rows of a tenant that change while it is copied. The triggers of the fence write them, in the
// transaction of the change, so that the freeze handles only what has changed.

/** A row that was inserted, changed or deleted. */
export interface Change {
  /** The table, in the spelling of the engine. */
  readonly name: string
  /** The primary key, as a JSON array. */
  readonly key: string
}

/** Changes that are read at once. */
const changesMax = 10_000

/** The table of the changes of a tenant. */
const journalOf = (tenantId: string): string => `"${leaving(tenantId)}".wcs_change`

/** The table with the command that reads the changes. */
const claimOf = (tenantId: string): string => `"${leaving(tenantId)}".wcs_claim`

/** Inserts a row of the trigger `wcs_fence`, if the tenant of its first argument is being copied. */
export const noteChanges = `journal := to_regclass('"wcs_leaving_' || TG_ARGV[0] || '".wcs_change');
  IF journal IS NOT NULL THEN
    IF TG_OP <> 'INSERT' THEN changed := ARRAY[to_jsonb(OLD)]; END IF;
    IF TG_OP <> 'DELETE' THEN changed := changed || to_jsonb(NEW); END IF;
    EXECUTE format('INSERT INTO %s (name, key) SELECT $1, (SELECT CAST(jsonb_agg(r -> k ORDER BY o) AS TEXT)
      FROM unnest($3) WITH ORDINALITY AS a (k, o) WHERE o > 1) FROM unnest($2) AS c (r)', journal)
      USING TG_TABLE_NAME, changed, TG_ARGV;
  END IF`

/** Creates the table of changes, or empties that of an interrupted move, for the command with the claim. */
export const begin = (sql: SqlClient.SqlClient, tenantId: string, claim: string) =>
  Effect.gen(function* () {
    const journal = journalOf(tenantId)
    yield* sql.unsafe(`CREATE SCHEMA IF NOT EXISTS "${leaving(tenantId)}"`)
    yield* sql.unsafe(`CREATE TABLE IF NOT EXISTS ${journal} (
      number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL
    )`)
    yield* sql.unsafe(`CREATE TABLE IF NOT EXISTS ${claimOf(tenantId)} (claim TEXT NOT NULL)`)
    yield* sql`DELETE FROM ${sql.literal(claimOf(tenantId))}`
    yield* sql`INSERT INTO ${sql.literal(claimOf(tenantId))} VALUES (${claim})`
    yield* sql.unsafe(`TRUNCATE ${journal}`)
  }).pipe(sql.withTransaction)

/**
 * Removes and returns the earliest changes, or none if another command has begun. A row that changes later has a later
 * change.
 */
export const take = (sql: SqlClient.SqlClient, tenantId: string, claim: string) => {
  const journal = sql.literal(journalOf(tenantId))
  return sql<Change>`DELETE FROM ${journal} WHERE number IN (SELECT number FROM ${journal} ORDER BY number
      LIMIT ${sql.literal(String(changesMax))})
    AND EXISTS (SELECT 1 FROM ${sql.literal(claimOf(tenantId))} WHERE claim = ${claim}) RETURNING name, key`
}

/** Drops the table of changes. */
export const end = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql.unsafe(`DROP SCHEMA IF EXISTS "${leaving(tenantId)}" CASCADE`)
