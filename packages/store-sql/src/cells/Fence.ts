import { Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { nameOf, type Table } from "../backup/Tables.ts"
import * as Changes from "./Changes.ts"
import { movedTables } from "./MovedTables.ts"
import { isFenced } from "./TableClasses.ts"

// A fence refuses every write to the rows of a tenant, by any process: also by one that has not heard of the move. It is
// built of triggers while the tenant is served. A row of `tenant_fence` closes it, and opens it again, at once. While it
// is open, the triggers write the changes of the tenant down. Most of the triggers exist only during a move, so that
// other writes cost nothing. The target has them too, for what the move itself writes.

/** The SQLSTATE of a write that a fence refuses. */
export const fencedState = "WCS01"

/** Whether a fence refused a write. The transaction was rolled back. */
export const isFencedOff = (failure: unknown): boolean =>
  SqlError.isSqlError(failure) && (failure.reason.cause as { readonly code?: unknown } | null)?.code === fencedState

// Each writer holds the lock until its transaction ends, so a fence closes only when all writes that passed it are visible.
// The move itself passes, but not what further triggers would write because of its rows: it moves those rows, too.
const makeFunction = `CREATE OR REPLACE FUNCTION wcs_fence() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE journal regclass; changed jsonb[];
BEGIN
  IF current_setting('wcs.moving', true) = 'on' THEN
    IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('fence of ' || TG_ARGV[0], 0));
    IF EXISTS (SELECT 1 FROM tenant_fence WHERE tenant_id = TG_ARGV[0]) THEN
      RAISE EXCEPTION 'the tenant is moved to another database' USING ERRCODE = '${fencedState}';
    END IF;
    ${Changes.noteChanges};
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$`

const triggersOf = ({ name }: Table, tenantId: string) => [
  {
    trigger: `wcs_fence_${tenantId}_write`,
    event: "INSERT OR UPDATE",
    condition: `NEW.tenant_id = '${tenantId}'`,
    name
  },
  { trigger: `wcs_fence_${tenantId}_delete`, event: "DELETE", condition: `OLD.tenant_id = '${tenantId}'`, name }
]

/** Lets the open transaction write behind its fences. */
export const passFences = (sql: SqlClient.SqlClient) => sql`SELECT set_config('wcs.moving', 'on', true)`

/** Rarely enough that reads and writes of all tenants, which wait behind an attempt, go on between two. */
const patiently = Schedule.spaced("2 seconds").pipe(Schedule.upTo({ times: 150 }))

/** Changes a table in one statement. Waits only for a moment for its lock, because all other statements wait behind. */
const alter = (sql: SqlClient.SqlClient, statements: ReadonlyArray<string>) =>
  sql
    .unsafe(`DO $do$ BEGIN PERFORM set_config('lock_timeout', '200ms', true); ${statements.join("; ")}; END $do$`)
    .pipe(
      Effect.retry({
        while: (error) => ["LockTimeoutError", "DeadlockError"].includes(error.reason._tag),
        schedule: patiently
      })
    )

/**
 * Tables whose fence stays closed for good after a move: a server that was started before `WCS_CELLS` was set could still
 * write in the source. Each write of a request or command also writes an audit entry.
 */
const guarded = ["account", "audit_event"]

/** The tables with the fence of a tenant. */
const builtOn = (sql: SqlClient.SqlClient, tenantId: string) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT CAST(c.relname AS TEXT) AS name FROM pg_trigger AS t
      JOIN pg_class AS c ON c.oid = t.tgrelid
      WHERE c.relnamespace = to_regnamespace(current_schema())
        AND starts_with(CAST(t.tgname AS TEXT), ${`wcs_fence_${tenantId}_`})`,
    (found) => new Set(found.map(({ name }) => name))
  )

/** The keys of a table as arguments of its triggers. */
const keysOf = ({ columns, key }: Table) => key.map((index) => `, '${columns[index]?.name}'`).join("")

const lockOf = (sql: SqlClient.SqlClient, tenantId: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('fence of ' || CAST(${tenantId} AS TEXT), 0))`

/**
 * Builds the fence of a tenant, which stays open. Waits for the transactions that have changed its tables: all later ones
 * write their changes down.
 */
export const build = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  yield* sql.unsafe(makeFunction)
  const built = yield* builtOn(sql, tenantId)
  for (const table of (yield* movedTables(sql)).filter((table) => isFenced(nameOf(table)))) {
    // Those that stayed from an earlier move can have an earlier key.
    if (built.has(table.name) && !guarded.includes(nameOf(table))) continue
    yield* alter(
      sql,
      triggersOf(table, tenantId).map(
        ({ condition, event, name, trigger }) => `CREATE OR REPLACE TRIGGER "${trigger}" BEFORE ${event} ON ${name}
          FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION wcs_fence('${tenantId}'${keysOf(table)})`
      )
    )
  }
  // Triggers that stayed from an earlier move have taken this lock.
  yield* sql.withTransaction(lockOf(sql, tenantId))
})

/** Refuses all writes from now on. All writes that were accepted are visible afterwards. */
export const close = (sql: SqlClient.SqlClient, tenantId: string, claim: string) =>
  Effect.gen(function* () {
    yield* lockOf(sql, tenantId)
    yield* sql`INSERT INTO tenant_fence ${sql.insert({ tenant_id: tenantId, claim })}
      ON CONFLICT (tenant_id) DO UPDATE SET claim = excluded.claim`
  }).pipe(sql.withTransaction)

/** Accepts writes again. With a claim, only if the same command has closed the fence. */
export const open = (sql: SqlClient.SqlClient, tenantId: string, claim?: string) =>
  sql`DELETE FROM tenant_fence WHERE tenant_id = ${tenantId}
    ${claim === undefined ? sql.literal("") : sql`AND claim = ${claim}`}`

/** Ends the notes of changes. It waits for the writes in flight, which would miss the table, and later ones wait for it. */
export const endChanges = (sql: SqlClient.SqlClient, tenantId: string) =>
  Effect.andThen(lockOf(sql, tenantId), Changes.end(sql, tenantId)).pipe(sql.withTransaction)

/** Removes the triggers of a move, besides those of a tenant that has left. An open fence only costs time. */
export const release = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  const closed = yield* sql`SELECT 1 FROM tenant_fence WHERE tenant_id = ${tenantId}`
  const built = yield* builtOn(sql, tenantId)
  for (const table of (yield* movedTables(sql)).filter(({ name }) => built.has(name))) {
    if (closed.length > 0 && guarded.includes(nameOf(table))) continue
    yield* alter(
      sql,
      triggersOf(table, tenantId).map(({ name, trigger }) => `DROP TRIGGER IF EXISTS "${trigger}" ON ${name}`)
    )
  }
})
