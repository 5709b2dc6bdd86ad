import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { LoginBasis } from "@wcs/domain/session/LoginBasis"
import type { Session } from "@wcs/domain/session/Session"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import type { Row } from "../engine/Columns.ts"
import { changes, type Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { account } from "./AccessRows.ts"
import { makeAccessWrite } from "./AccessWrite.ts"
import { makeRevoke } from "./Revocation.ts"
import * as Rows from "./SessionRows.ts"

const sessionTable: TimelineTable<"accountId", Row, Session> = {
  name: "session",
  selected: Rows.session.selected("r"),
  index: "session_of_tenant",
  fields: { accountId: { column: "account_id", index: "session_of_account" } },
  ends: "revoked_at",
  decode: Rows.session.of
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = makeRecordsWriter(sql)
  const revoke = makeRevoke(sql, records)
  const page = yield* makeTimelinePage(sessionTable)
  const accessWrite = yield* makeAccessWrite
  const columns = sql.literal(Rows.session.selected("s"))

  const write = <A>(tenantId: string, script: () => Script<A>) =>
    accessWrite<A>(tenantId, function* () {
      return Result.succeed(yield* script())
    })

  function* insert(
    session: Session,
    audit: AuditEntry,
    replaces: string | null,
    holds: (basis: LoginBasis | undefined) => boolean
  ): Script<boolean> {
    const { accountId, createdAt, tenantId } = session
    if (!holds(yield* Rows.basisOf(sql, session))) return false
    if (replaces !== null) {
      const replaced = yield* changes(sql`UPDATE session SET revoked_at = ${createdAt}
        WHERE tenant_id = ${tenantId} AND id = ${replaces} AND revoked_at IS NULL`)
      if (replaced === 0) return false
    }
    yield* changes(sql`DELETE FROM session
      WHERE tenant_id = ${tenantId} AND account_id = ${accountId} AND expires_at <= ${createdAt}`)
    yield* changes(sql`INSERT INTO session ${sql.insert(Rows.session.row(session))}`)
    yield* records.audit(tenantId, [audit])
    return true
  }

  return SessionStore.of({
    insert: Effect.fn("SessionStore.insert")((session, audit, replaces, holds) =>
      write(session.tenantId, () => insert(session, audit, replaces, holds))
    ),
    find: Effect.fn("SessionStore.find")((tenantId, tokenHash) =>
      sql<Row>`SELECT ${columns}, ${sql.literal(account.selected("a"))}
        FROM session AS s JOIN account AS a ON a.id = s.account_id AND a.tenant_id = s.tenant_id
        WHERE s.tenant_id = ${tenantId} AND s.token_hash = ${tokenHash}`.pipe(
        Effect.orDie,
        Effect.map(([row]) =>
          row === undefined ? Option.none() : Option.some({ session: Rows.session.of(row), account: account.of(row) })
        )
      )
    ),
    findById: Effect.fn("SessionStore.findById")((tenantId, id) =>
      sql<Row>`SELECT ${columns} FROM session AS s WHERE s.tenant_id = ${tenantId} AND s.id = ${id}`.pipe(
        Effect.orDie,
        Effect.map(([row]) => (row === undefined ? Option.none() : Option.some(Rows.session.of(row))))
      )
    ),
    page: Effect.fn("SessionStore.page")((tenantId, selection) => Effect.orDie(page(tenantId, selection))),
    revoke: Effect.fn("SessionStore.revoke")((tenantId, id, at, audit) =>
      write(tenantId, () => revoke("session", tenantId, id, at, audit))
    ),
    revokeAll: Effect.fn("SessionStore.revokeAll")((tenantId, accountId, keep, at, audit) =>
      write(tenantId, function* () {
        const ended = yield* changes(Rows.endSessions(sql, tenantId, accountId, at, keep))
        if (ended > 0) yield* records.audit(tenantId, [audit])
      })
    ),
    revokeOfProvider: Effect.fn("SessionStore.revokeOfProvider")((tenantId, providerId, at, audit) =>
      write(tenantId, function* () {
        const ended = yield* changes(sql`UPDATE session SET revoked_at = ${at}
          WHERE tenant_id = ${tenantId} AND provider_id = ${providerId} AND revoked_at IS NULL`)
        if (ended > 0) yield* records.audit(tenantId, [audit])
      })
    ),
    touch: Effect.fn("SessionStore.touch")((tenantId, id, at) =>
      Effect.orDie(
        Effect.asVoid(sql`UPDATE session SET seen_at = ${at}
          WHERE tenant_id = ${tenantId} AND id = ${id} AND seen_at < ${at}`)
      )
    )
  })
})

export const layer = Layer.effect(SessionStore, make)
