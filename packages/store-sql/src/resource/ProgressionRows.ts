import type { Advance, Progression } from "@wcs/domain/crud/Progression"
import { ownerColumns } from "@wcs/domain/people/Owner"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { openStatuses } from "@wcs/domain/screening/Invitation"
import type { SqlClient } from "effect/sql"
import { type BatchColumns, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeHoldings } from "./HoldingsRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

const statuses = openStatuses.map((status) => `'${status}'`).join(", ")

/** Whether a recruitment check or fetch request is open. Must match the predicate of its partial index. */
export const isOpen = (row: string): string => `${row}.deleted_at IS NULL AND ${row}.status IN (${statuses})`

const writtenColumns = {
  tenant: "TEXT",
  invitation: "TEXT",
  version: "BIGINT",
  updated_at: "BIGINT",
  status: "TEXT",
  expiry_date: "TEXT",
  document: "TEXT",
  checksum: "BIGINT"
} as const satisfies BatchColumns

const writtenRow = (tenantId: string, resource: Resource, next: Stored) => {
  const row = tableOf(resource).inserted(tenantId, next)
  const at = (column: string) => row[column] ?? null
  return {
    tenant: tenantId,
    invitation: next.id,
    version: next.version,
    updated_at: next.updatedAt,
    status: at("status"),
    expiry_date: at("expiry_date"),
    document: at("document"),
    checksum: at("checksum")
  }
}

/** The statements for the table of recruitment checks, or of fetch requests. */
const makeStatements = (sql: SqlClient.SqlClient, resource: Resource, personColumn: string) => {
  const dialect = dialectOf(sql)
  const { name, selected } = tableOf(resource)
  const table = sql.literal(name)
  return {
    /** The open ones of a person, locked in the order of their ids. */
    open: keep<{ tenantId: string; id: string; today: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(selected)} FROM ${table} AS r${dialect.indexedBy(`${name}_open`)}
        WHERE r.tenant_id = ${at("tenantId")} AND r.${sql.literal(personColumn)} = ${at("id")}
        AND r.expiry_date >= ${at("today")} AND ${sql.literal(isOpen("r"))} ORDER BY r.id${dialect.forUpdate}`
    ),
    write: keepForBatches(
      sql,
      dialect,
      writtenColumns,
      ({ isOne, rows, fieldOf }) => sql`WITH n AS ${sql.literal(isOne ? "" : "MATERIALIZED ")}(${rows})
        UPDATE ${table} SET version = n.version, updated_at = n.updated_at, status = n.status,
          expiry_date = n.expiry_date, document = n.document, checksum = n.checksum FROM n
        WHERE ${table}.tenant_id = ${fieldOf("tenant")} AND ${table}.id = n.invitation`
    )
  }
}

/**
 * Carries out a progression and returns the advanced requests. One indexed lookup for a person without open ones, else
 * four statements. Holdings are read after the open rows are locked: of concurrent changes to one person's holdings,
 * the last one sees what the others committed.
 */
export const makeProgress = (sql: SqlClient.SqlClient) => {
  const holdings = makeHoldings(sql)
  const kept = new Map<Resource, ReturnType<typeof makeStatements>>()
  const statementsOf = (resource: Resource, personColumn: string) => {
    const statements = kept.get(resource) ?? makeStatements(sql, resource, personColumn)
    kept.set(resource, statements)
    return statements
  }

  return function* (tenantId: string, progression: Progression): Script<ReadonlyArray<Advance>> {
    const { credentialTypes, decide, person, resource, today } = progression
    const { open, write } = statementsOf(resource, ownerColumns[person.type])
    const found = (yield* rows(open({ tenantId, id: person.id, today }))).map(tableOf(resource).decode)
    if (found.length === 0) return []
    const held = yield* holdings.read(tenantId, { person, isLocked: false }, credentialTypes(found))
    const advances = decide(found, held)
    const [first, ...others] = advances.map(({ next }) => writtenRow(tenantId, resource, next))
    if (first !== undefined) yield* changes(write([first, ...others]))
    return advances
  }
}
