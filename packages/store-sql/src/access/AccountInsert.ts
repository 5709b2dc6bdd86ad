import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { EmailTaken } from "@wcs/domain/token/AccessStore"
import { type User, wordsOfUser } from "@wcs/domain/user/User"
import { Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { rows, type Script } from "../engine/Script.ts"
import { makeWordsWriter, userWordsSource, wordsText } from "../resource/SearchRows.ts"
import { makeLiveCounts } from "./LiveCounts.ts"
import { makeWriteVersion } from "./UserVersions.ts"

/** Inserts a user's account if `judge` allows one more user. Returns the position of the row. */
export const makeInsertAccount = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const counts = makeLiveCounts(sql)
  const writeWords = makeWordsWriter(sql)
  const writeVersion = makeWriteVersion(sql)
  return function* <E>(
    user: Pick<User, "account" | "firstName" | "surname">,
    row: Readonly<Record<string, string | number | null>>,
    audit: AuditEntry,
    judge: (others: number) => Result.Result<void, E>
  ): Script<Result.Result<number, EmailTaken | E>> {
    const { email, id, tenantId } = user.account
    const words = wordsOfUser(user)
    const searched = { words: wordsText(words), words_of: userWordsSource(user) }
    const judged = judge(yield* counts.users(tenantId))
    if (Result.isFailure(judged)) return Result.fail(judged.failure)
    const [inserted] = yield* rows(
      sql<{ readonly position: unknown }>`INSERT INTO account ${sql.insert({ ...row, ...searched })}
        ON CONFLICT (tenant_id, email) DO NOTHING RETURNING position`
    )
    if (inserted === undefined) return Result.fail(new EmailTaken({ email: email ?? "" }))
    yield* writeWords("user", tenantId, id, [], words)
    yield* writeVersion(undefined, user.account, audit.at)
    yield* records.audit(tenantId, [audit])
    return Result.succeed(Number(inserted.position))
  }
}
