import { Credential } from "@wcs/domain/holding/Credential"
import { type OwnerReference, type OwnerType, ownerTypes, perOwner } from "@wcs/domain/ownership/Ownership"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { keep } from "../engine/Query.ts"
import { isOpen } from "../resource/ProgressionRows.ts"
import { tableOf } from "../resource/ResourceTable.ts"
import { askedBy, enteringValues, factsOf, type SlotsRow } from "./OwnershipRows.ts"
import { recordset } from "./Recordset.ts"

/** A transition of one credential, with its new owner. */
interface Wanted {
  readonly credentialId: string
  readonly entering: OwnerReference | undefined
}

/** The row of a transition. `is_found` is false if the credential does not exist or is deleted. */
interface GroupRow extends SlotsRow {
  readonly place: unknown
  readonly is_found: unknown
  readonly access_writes: unknown
}

const columns = { place: "BIGINT", credential: "TEXT", ...perOwner(() => "TEXT") } as const
const nobody = perOwner(() => "")

/**
 * Reads the credentials of many transitions of a tenant, and their new owners, in one statement. Also reads the number of
 * the tenant's access writes.
 */
export const makeReadGroup = (sql: SqlClient.SqlClient) => {
  const statement = keep<{ tenantId: string; wanted: string }, GroupRow>(sql, (at) => {
    /** A value of the new owner, of any type. */
    const ofOwner = (select: (type: OwnerType) => Statement.Fragment) => {
      const cases = ownerTypes.map((type) => sql`WHEN ${sql.literal(`n.${type}`)} <> '' THEN (${select(type)})`)
      return sql`CASE ${sql.join(" ", false)(cases)} END`
    }
    const entering = enteringValues(sql, (value) =>
      ofOwner(
        (type) => sql`SELECT ${sql.literal(`${value} FROM ${type} AS o`)}
        WHERE o.tenant_id = ${at("tenantId")} AND ${sql.literal(`o.id = n.${type} AND o.deleted_at IS NULL`)}`
      )
    )
    const askedUntil = ofOwner(
      (type) => sql`SELECT max(i.expiry_date) FROM ${sql.literal(askedBy[type].type)} AS i
        WHERE i.tenant_id = ${at("tenantId")}
        AND ${sql.literal(`i.${ownerColumns[type]} = n.${type} AND ${isOpen("i")}`)}`
    )
    // The LIMIT forces a lookup by key for each row, independent of the planner's row estimate.
    return sql`SELECT n.place, r.id IS NOT NULL AS is_found, ${sql.literal(tableOf(Credential).selected)},
        r.credential_type, r.jurisdiction,
        EXISTS (SELECT 1 FROM subscription AS s WHERE s.tenant_id = ${at("tenantId")}) AS is_heard,
        ${entering}, ${askedUntil} AS asked_until,
        (SELECT e.writes FROM access_epoch AS e WHERE e.tenant_id = ${at("tenantId")}) AS access_writes
      FROM ${recordset(sql, "n", columns, at("wanted"))}
      LEFT JOIN LATERAL (SELECT * FROM credential AS c WHERE c.tenant_id = ${at("tenantId")} AND c.id = n.credential
        AND c.deleted_at IS NULL LIMIT 1) AS r ON true`
  })

  return Effect.fnUntraced(function* (tenantId: string, wanted: ReadonlyArray<Wanted>) {
    const json = wanted.map(({ credentialId, entering }, place) => {
      return { place, credential: credentialId, ...nobody, ...(entering && { [entering.type]: entering.id }) }
    })
    const rows = yield* statement({ tenantId, wanted: JSON.stringify(json) })
    const byPlace = new Map(rows.map((row) => [Number(row.place), row]))
    const rowsOf = (place: number) => {
      const row = byPlace.get(place)
      return { found: row?.is_found ? [row] : [], facts: factsOf(row) }
    }
    return { accessWrites: Number(rows[0]?.access_writes ?? 0), rowsOf }
  })
}
