import { EmailTaken } from "@wcs/domain/access/AccessStore"
import type { Account } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { rows, type Script } from "../engine/Script.ts"
import { makeLiveCounts } from "./LiveCounts.ts"

/** Inserts a user's account if `judge` allows one more user. Returns the position of the row. */
export const makeInsertAccount = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const counts = makeLiveCounts(sql)
  return function* <E>(
    { email, tenantId }: Pick<Account, "email" | "tenantId">,
    values: Statement.RecordInsertHelper,
    audit: AuditEntry,
    judge: (others: number) => Result.Result<void, E>
  ): Script<Result.Result<number, EmailTaken | E>> {
    const judged = judge(yield* counts.users(tenantId))
    if (Result.isFailure(judged)) return Result.fail(judged.failure)
    const [inserted] = yield* rows(
      sql<{ readonly position: unknown }>`INSERT INTO account ${values}
        ON CONFLICT (tenant_id, email) DO NOTHING RETURNING position`
    )
    if (inserted === undefined) return Result.fail(new EmailTaken({ email: email ?? "" }))
    yield* records.audit(tenantId, [audit])
    return Result.succeed(Number(inserted.position))
  }
}
