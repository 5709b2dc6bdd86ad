import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { SqlClient } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

/** Revocable tables, each with its key column. */
const keys = { oauth_client: "client_id", personal_token: "id", legacy_token: "id", session: "id" } as const

/** Sets `revoked_at` unless it is set, and writes the entry. Returns whether the row exists. */
export type Revoke = (
  table: keyof typeof keys,
  tenantId: string,
  id: string,
  at: Instant,
  audit: AuditEntry
) => Script<boolean>

export const makeRevoke = (sql: SqlClient.SqlClient, records: RecordsWriter): Revoke =>
  function* (table, tenantId, id, at, audit) {
    const row = sql`tenant_id = ${tenantId} AND ${sql(keys[table])} = ${id}`
    const revoked = yield* changes(sql`UPDATE ${sql(table)} SET revoked_at = ${at} WHERE ${row} AND revoked_at IS NULL`)
    if (revoked === 0) return (yield* rows(sql`SELECT 1 AS one FROM ${sql(table)} WHERE ${row}`)).length > 0
    yield* records.audit(tenantId, [audit])
    return true
  }
