import { toldIn } from "@wcs/domain/audit/ToldFields"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { equals } from "@wcs/domain/shared/Json"
import type { SqlClient } from "effect/sql"
import { changes, rows, type Script } from "../engine/Script.ts"

/**
 * Writes a version of the told fields of a resource with secrets, if they have changed. The version before is written, too,
 * if an earlier release has kept none.
 */
export const makeWriteTold = (sql: SqlClient.SqlClient) => {
  const insert = (kind: string, tenantId: string, stored: Stored, document: string) =>
    changes(
      sql`INSERT INTO resource_version ${sql.insert({
        ...{ tenant_id: tenantId, kind, id: stored.id, version: stored.version, worker_id: "", applicant_id: "" },
        ...{ created_at: stored.createdAt, updated_at: stored.updatedAt, deleted_at: stored.deletedAt, document }
      })}`
    )
  return function* (
    resource: Pick<Resource, "told" | "type">,
    tenantId: string,
    before: Stored | undefined,
    next: Stored
  ): Script<void> {
    const told = toldIn(resource, next.fields)
    if (told === undefined) return
    if (before !== undefined) {
      const earlier = toldIn(resource, before.fields) ?? {}
      if (before.deletedAt === next.deletedAt && equals(earlier, told)) return
      const [kept] = yield* rows(
        sql`SELECT 1 AS one FROM resource_version WHERE tenant_id = ${tenantId} AND kind = ${resource.type}
          AND id = ${next.id} LIMIT 1`
      )
      if (kept === undefined) yield* insert(resource.type, tenantId, before, JSON.stringify(earlier))
    }
    yield* insert(resource.type, tenantId, next, JSON.stringify(told))
  }
}
