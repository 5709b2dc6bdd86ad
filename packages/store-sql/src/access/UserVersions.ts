import type { Account } from "@wcs/domain/access/Account"
import type { Instant } from "@wcs/domain/shared/Instant"
import { equals } from "@wcs/domain/shared/Json"
import { accessOf, UserAccess } from "@wcs/domain/user/UserAccess"
import type { SqlClient } from "effect/sql"
import { changes, rows, type Script } from "../engine/Script.ts"

/** Writes a version of what a user may reach, if it has changed. An older user gets the version before, too. */
export const makeWriteVersion = (sql: SqlClient.SqlClient) => {
  const insert = (version: number, updatedAt: Instant, account: Account) =>
    changes(
      sql`INSERT INTO resource_version ${sql.insert({
        ...{ tenant_id: account.tenantId, kind: UserAccess.type, id: account.id, version },
        ...{ worker_id: "", applicant_id: "", created_at: account.createdAt, updated_at: updatedAt },
        ...{ deleted_at: account.deactivatedAt, document: JSON.stringify(accessOf(account)) }
      })}`
    )
  return function* (before: Account | undefined, after: Account, at: Instant): Script<void> {
    const isSame =
      before !== undefined && before.deactivatedAt === after.deactivatedAt && equals(accessOf(before), accessOf(after))
    if (isSame) return
    const [newest] = yield* rows(
      sql<{ readonly version: unknown }>`SELECT max(version) AS version FROM resource_version
        WHERE tenant_id = ${after.tenantId} AND kind = ${UserAccess.type} AND id = ${after.id}`
    )
    const last = Number(newest?.version ?? 0)
    if (last === 0 && before !== undefined) yield* insert(1, before.createdAt, before)
    yield* insert(last === 0 && before !== undefined ? 2 : last + 1, at, after)
  }
}
