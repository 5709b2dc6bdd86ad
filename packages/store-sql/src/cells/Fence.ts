import { Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { nameOf, type Table } from "../backup/Tables.ts"
import { movedTables } from "./MovedTables.ts"
import { isFenced } from "./TableClasses.ts"

// A fence refuses every write to the rows of a tenant, by any process: also by one that has not heard of the move. It is
// built of triggers while the tenant is served. A row of `tenant_fence` closes it, and opens it again, at once. The
// triggers exist only during a move, so that other writes cost nothing.

/** The SQLSTATE of a write that a fence refuses. */
export const fencedState = "WCS01"

/** Whether a fence refused a write. The transaction was rolled back. */
export const isFencedOff = (failure: unknown): boolean =>
  SqlError.isSqlError(failure) && (failure.reason.cause as { readonly code?: unknown } | null)?.code === fencedState

// Each writer holds the lock until its transaction ends, so a fence closes only when all writes that passed it are visible.
const makeFunction = `CREATE OR REPLACE FUNCTION wcs_fence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('wcs.moving', true) IS DISTINCT FROM 'on' THEN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('fence of ' || TG_ARGV[0], 0));
    IF EXISTS (SELECT 1 FROM tenant_fence WHERE tenant_id = TG_ARGV[0]) THEN
      RAISE EXCEPTION 'the tenant is moved to another database' USING ERRCODE = '${fencedState}';
    END IF;
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

/** The tables with the fence of a tenant. */
const builtOn = (sql: SqlClient.SqlClient, tenantId: string) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT CAST(c.relname AS TEXT) AS name FROM pg_trigger AS t
      JOIN pg_class AS c ON c.oid = t.tgrelid
      WHERE c.relnamespace = to_regnamespace(current_schema())
        AND starts_with(CAST(t.tgname AS TEXT), ${`wcs_fence_${tenantId}_`})`,
    (found) => new Set(found.map(({ name }) => name))
  )

/** Builds the fence of a tenant, which stays open. Waits for the transactions that have changed its tables. */
export const build = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  yield* sql.unsafe(makeFunction)
  const built = yield* builtOn(sql, tenantId)
  for (const table of (yield* movedTables(sql)).filter((table) => isFenced(nameOf(table)) && !built.has(table.name))) {
    yield* alter(
      sql,
      triggersOf(table, tenantId).map(
        ({ condition, event, name, trigger }) => `CREATE TRIGGER "${trigger}" BEFORE ${event} ON ${name}
          FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION wcs_fence('${tenantId}')`
      )
    )
  }
})

/** Refuses all writes from now on. All writes that were accepted are visible afterwards. */
export const close = (sql: SqlClient.SqlClient, tenantId: string, claim: string) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('fence of ' || CAST(${tenantId} AS TEXT), 0))`
    yield* sql`INSERT INTO tenant_fence ${sql.insert({ tenant_id: tenantId, claim })}
      ON CONFLICT (tenant_id) DO UPDATE SET claim = excluded.claim`
  }).pipe(sql.withTransaction)

/** Accepts writes again. With a claim, only if the same command has closed the fence. */
export const open = (sql: SqlClient.SqlClient, tenantId: string, claim?: string) =>
  sql`DELETE FROM tenant_fence WHERE tenant_id = ${tenantId}
    ${claim === undefined ? sql.literal("") : sql`AND claim = ${claim}`}`

/** Opens and removes the fence of a tenant. An open fence only costs time, so one that cannot be removed now stays. */
export const remove = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  yield* open(sql, tenantId)
  const built = yield* builtOn(sql, tenantId)
  for (const table of (yield* movedTables(sql)).filter(({ name }) => built.has(name))) {
    yield* alter(
      sql,
      triggersOf(table, tenantId).map(({ name, trigger }) => `DROP TRIGGER IF EXISTS "${trigger}" ON ${name}`)
    )
  }
})
