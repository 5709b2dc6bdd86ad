import { Clock, Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"

// The directory of the tenants that are not in the first database, or that move. It is in the first database, which also
// keeps the rows of all tenants and hosts, so that a host belongs to one tenant of all databases.

/** The name of the first database. */
export const firstCell = "main"

/**
 * The steps of a move.
 *
 * - `copying`: served in the source, while rows are copied.
 * - `frozen`: nobody serves. The target has all rows, or none that counts.
 * - `switched`: served in the target. The rows in the source still have to be put aside.
 * - `left`: served in the target. The source keeps the rows aside.
 * - `settled`: no move. The tenant is in `cell`.
 */
export type Step = "copying" | "frozen" | "switched" | "left" | "settled"

/** The place of a tenant. */
export interface Place {
  readonly tenantId: string
  /** The database that has the tenant: until the switch the source, afterwards the target. */
  readonly cell: string
  /** The other database of the move. Empty if there is none. */
  readonly other: string
  readonly step: Step
  /** The command that may change the place. */
  readonly claim: string
  readonly changedAt: number
}

/** Another command has claimed the move since. */
export class ClaimLost extends Data.TaggedError("ClaimLost") {}

interface PlaceRow {
  readonly tenant_id: string
  readonly cell: string
  readonly other: string
  readonly step: string
  readonly claim: string
  readonly changed_at: unknown
}

const steps: ReadonlyArray<string> = ["copying", "frozen", "switched", "left", "settled"] satisfies ReadonlyArray<Step>

const isStep = (text: string): text is Step => steps.includes(text)

const placeOf = ({ cell, changed_at, claim, other, step, tenant_id }: PlaceRow): Place => ({
  tenantId: tenant_id,
  cell,
  other,
  step: isStep(step) ? step : "frozen", // of a newer program: nobody serves what is not understood
  claim,
  changedAt: Number(changed_at)
})

/** A value that changes with every change of the directory. */
export const revision = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{
      readonly revision: string
    }>`SELECT CAST(count(*) AS TEXT) || ' ' || CAST(COALESCE(sum(changed_at), 0) AS TEXT)
      AS revision FROM tenant_place`,
    ([row]) => row?.revision ?? ""
  )

/** All places, each with the hosts of its tenant. */
export const readPlaces = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<
      PlaceRow & { readonly host: string | null }
    >`SELECT p.tenant_id, p.cell, p.other, p.step, p.claim, p.changed_at, h.host
      FROM tenant_place AS p LEFT JOIN tenant_host AS h ON h.tenant_id = p.tenant_id ORDER BY p.tenant_id, h.ordinal`,
    (rows) =>
      [...Map.groupBy(rows, (row) => row.tenant_id).values()].flatMap((found) => {
        const [first] = found
        return first === undefined
          ? []
          : [{ ...placeOf(first), hosts: found.flatMap(({ host }) => (host === null ? [] : [host])) }]
      })
  )

/** The databases that the directory names, besides the first one. */
export const namedCells = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT DISTINCT p.cell AS name FROM tenant_place AS p WHERE p.cell <> ${firstCell}`,
    (rows) => rows.map(({ name }) => name)
  )

/** The place of a tenant. Without a row, the tenant is in the first database. */
export const findPlace = (sql: SqlClient.SqlClient, tenantId: string) =>
  Effect.map(
    sql<PlaceRow>`SELECT * FROM tenant_place WHERE tenant_id = ${tenantId}`,
    ([row]): Place =>
      row === undefined
        ? { tenantId, cell: firstCell, other: "", step: "settled", claim: "", changedAt: 0 }
        : placeOf(row)
  )

/** Makes the caller the only command that may change the place of a tenant. Returns the place with the new claim. */
export const claimPlace = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenantId: string) {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* sql<PlaceRow>`INSERT INTO tenant_place (tenant_id, cell, other, step, claim, changed_at)
    VALUES (${tenantId}, ${firstCell}, '', 'settled', CAST(gen_random_uuid() AS TEXT), ${now})
    ON CONFLICT (tenant_id) DO UPDATE SET claim = excluded.claim,
      changed_at = GREATEST(excluded.changed_at, tenant_place.changed_at + 1)
    RETURNING *`
  return yield* Effect.orDie(Effect.fromNullishOr(rows.map(placeOf)[0]))
})

/** Writes the place of a tenant. Fails if another command has claimed it. */
export const putPlace = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, place: Omit<Place, "changedAt">) {
  const { cell, claim, other, step, tenantId } = place
  const now = yield* Clock.currentTimeMillis
  const written = yield* sql`UPDATE tenant_place SET cell = ${cell}, other = ${other}, step = ${step},
    changed_at = GREATEST(${now}, changed_at + 1)
    WHERE tenant_id = ${tenantId} AND claim = ${claim} RETURNING tenant_id`
  if (written.length === 0) return yield* new ClaimLost()
})

/** Gives hosts to a tenant in the directory. Returns one that belongs to another tenant, if there is one. */
export const reserveHosts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenantId: string,
  hosts: ReadonlyArray<string>
) {
  for (const [index, host] of hosts.entries()) {
    yield* sql`INSERT INTO tenant_host ${sql.insert({ host, tenant_id: tenantId, ordinal: 1000 + index })}
      ON CONFLICT (host) DO NOTHING`
    const [found] = yield* sql<{
      readonly owner: string
    }>`SELECT tenant_id AS owner FROM tenant_host WHERE host = ${host}`
    if (found?.owner !== tenantId) return host
  }
  return undefined
})

/** Keeps only these hosts of a tenant in the directory, in this order. */
export const keepHosts = (sql: SqlClient.SqlClient, tenantId: string, hosts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM tenant_host WHERE tenant_id = ${tenantId} AND NOT ${sql.in("host", hosts)}`
    for (const [ordinal, host] of hosts.entries()) {
      yield* sql`UPDATE tenant_host SET ordinal = ${ordinal} WHERE tenant_id = ${tenantId} AND host = ${host}`
    }
    yield* sql`UPDATE tenant_place SET changed_at = GREATEST(${yield* Clock.currentTimeMillis}, changed_at + 1)
      WHERE tenant_id = ${tenantId}`
  }).pipe(sql.withTransaction)
