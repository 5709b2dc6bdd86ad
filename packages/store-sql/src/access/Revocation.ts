import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { SqlClient } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

/** What can be revoked, by the column that names it. */
const keys = { oauth_client: "client_id", personal_token: "id", legacy_token: "id", session: "id" } as const

/** Sets `revoked_at` where it is not set, with the entry, and says whether there is such a row at all. */
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
