import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { SingleSignOnStore, type SubjectBinding, type Ticket } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { changes, type Script } from "../engine/Script.ts"

/** The failure for a ticket that was used before. It rolls back the tickets written before it. */
const used = "used"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const records = makeRecordsWriter(sql)

  function* use(
    tenantId: string,
    tickets: ReadonlyArray<Ticket>,
    at: number
  ): Script<Result.Result<true, typeof used>> {
    yield* changes(sql`DELETE FROM sso_ticket WHERE tenant_id = ${tenantId} AND expires_at < ${at}`)
    for (const { expiresAt, key } of tickets) {
      const row = { tenant_id: tenantId, ticket_key: key, expires_at: expiresAt }
      const written = yield* changes(
        sql`INSERT INTO sso_ticket ${sql.insert(row)} ON CONFLICT (tenant_id, ticket_key) DO NOTHING`
      )
      if (written === 0) return Result.fail(used)
    }
    return Result.succeed(true)
  }

  function* bind({ accountId, providerId, subject, tenantId }: SubjectBinding, audit: AuditEntry): Script<boolean> {
    const row = { tenant_id: tenantId, provider_id: providerId, subject, account_id: accountId }
    const written = yield* changes(sql`INSERT INTO sso_subject ${sql.insert(row)} ON CONFLICT DO NOTHING`)
    if (written === 0) return false
    // `UserInvite.joined`. No cached account contains these columns, so the epoch stays.
    yield* changes(sql`UPDATE account SET joined_at = COALESCE(joined_at, ${audit.at}),
      invite_hash = NULL, invite_expires_at = NULL WHERE tenant_id = ${tenantId} AND id = ${accountId}`)
    yield* records.audit(tenantId, [audit])
    return true
  }

  return SingleSignOnStore.of({
    use: Effect.fn("SingleSignOnStore.use")((tenantId, tickets, at) =>
      Effect.catch(
        atomically<true, typeof used>(() => use(tenantId, tickets, at)),
        () => Effect.succeed(false)
      )
    ),
    accountOf: Effect.fn("SingleSignOnStore.accountOf")((tenantId, providerId, subject) =>
      sql<{ readonly account_id: string }>`SELECT account_id FROM sso_subject
        WHERE tenant_id = ${tenantId} AND provider_id = ${providerId} AND subject = ${subject}`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), ({ account_id }) => account_id))
      )
    ),
    bind: Effect.fn("SingleSignOnStore.bind")((binding, audit) =>
      atomically<boolean>(function* () {
        return Result.succeed(yield* bind(binding, audit))
      })
    ),
    record: Effect.fn("SingleSignOnStore.record")((tenantId, audit) =>
      atomically<void>(function* () {
        return Result.succeed(yield* records.audit(tenantId, [audit]))
      })
    )
  })
})

export const layer = Layer.effect(SingleSignOnStore, make)
