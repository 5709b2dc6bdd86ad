import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { MessageChoices } from "@wcs/domain/message/MessageChoices"
import { type OfficerKind, received } from "@wcs/domain/message/MessageKind"
import { defaultSettings, type MessageSettings } from "@wcs/domain/message/MessageSettings"
import type { Instant } from "@wcs/domain/shared/Instant"
import { equals, type JsonObject } from "@wcs/domain/shared/Json"
import { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { settingsOf } from "./MessageRows.ts"

/** Decides whether a change of choices may replace the present ones. */
type Check<Choices, E> = (present: Choices) => Result.Result<void, E>

/** Any choices may be replaced. */
export const always = () => Result.void

export const declinedBy = (sql: SqlClient.SqlClient, tenantId: string, accountId: string) =>
  sql<{ readonly kind: OfficerKind }>`SELECT d.kind FROM message_declined AS d
    WHERE d.tenant_id = ${tenantId} AND d.account_id = ${accountId} ORDER BY d.kind`

/** Keeps versions of what a tenant and its users have chosen about messages. */
const makeVersions = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const { type: kind } = MessageChoices

  const insert = (tenantId: string, id: string, version: number, at: Instant, choices: JsonObject) =>
    changes(
      sql`INSERT INTO resource_version ${sql.insert({
        ...{ tenant_id: tenantId, kind, id, version, worker_id: "", applicant_id: "" },
        ...{ created_at: 0, updated_at: at, deleted_at: null, document: JSON.stringify(choices) }
      })}`
    )

  return {
    /** Lets other changes of choices wait. The first ones have no row to lock. */
    lock: function* (tenantId: string): Script<void> {
      const lock = dialect.lockTenant("message_tenant", tenantId)
      if (lock !== undefined) yield* rows(lock)
    },

    /** Writes a version of changed choices. With the first one, those before are written, too. */
    keep: function* (tenantId: string, id: string, before: JsonObject, after: JsonObject, at: Instant): Script<void> {
      if (equals(before, after)) return
      const [newest] = yield* rows(
        sql<{ readonly version: unknown }>`SELECT max(version) AS version FROM resource_version
          WHERE tenant_id = ${tenantId} AND kind = ${kind} AND id = ${id}`
      )
      const last = Number(newest?.version ?? 0)
      if (last === 0) yield* insert(tenantId, id, 1, 0, before)
      yield* insert(tenantId, id, Math.max(last, 1) + 1, at, after)
    }
  }
}

/** Writes what a tenant and its users have chosen. */
export const makeChoices = (sql: SqlClient.SqlClient) => {
  const { forUpdate } = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const versions = makeVersions(sql)

  return {
    setSettings: function* <E>(
      tenantId: string,
      settings: MessageSettings,
      day: string,
      audit: AuditEntry,
      check: Check<MessageSettings, E>
    ): Script<Result.Result<void, E>> {
      yield* versions.lock(tenantId)
      const [before] = yield* rows(
        sql<{
          readonly enabled: unknown
          readonly last_day: string
          readonly document: string
        }>`SELECT m.enabled, m.last_day, m.document FROM message_tenant AS m WHERE m.tenant_id = ${tenantId}${forUpdate}`
      )
      // Damaged settings can be replaced.
      const present = Result.getOrElse(
        Result.try(() => settingsOf(tenantId, before?.document ?? null)),
        () => defaultSettings
      )
      const checked = check(present)
      if (Result.isFailure(checked)) return Result.fail(checked.failure)
      const isSwitched = settings.enabled && Number(before?.enabled ?? 0) === 0
      const row = {
        tenant_id: tenantId,
        enabled: settings.enabled ? 1 : 0,
        last_day: isSwitched ? day : (before?.last_day ?? ""),
        document: JSON.stringify(settings)
      }
      yield* changes(sql`INSERT INTO message_tenant ${sql.insert(row)} ON CONFLICT (tenant_id) DO UPDATE SET
        enabled = excluded.enabled, last_day = excluded.last_day, document = excluded.document`)
      if (isSwitched) yield* changes(sql`DELETE FROM red_worker WHERE tenant_id = ${tenantId} AND day = ''`)
      yield* versions.keep(tenantId, tenantId, present, settings, audit.at)
      yield* records.audit(tenantId, [audit])
      return Result.void
    },

    decline: function* <E>(
      tenantId: string,
      accountId: string,
      kinds: ReadonlyArray<OfficerKind>,
      audit: AuditEntry,
      check: Check<ReadonlyArray<OfficerKind>, E>
    ): Script<Result.Result<void, E>> {
      yield* versions.lock(tenantId)
      const present = (yield* rows(declinedBy(sql, tenantId, accountId))).map(({ kind }) => kind)
      const checked = check(present)
      if (Result.isFailure(checked)) return Result.fail(checked.failure)
      yield* changes(sql`DELETE FROM message_declined WHERE tenant_id = ${tenantId} AND account_id = ${accountId}`)
      for (const kind of kinds) {
        const row = { tenant_id: tenantId, account_id: accountId, kind }
        yield* changes(sql`INSERT INTO message_declined ${sql.insert(row)} ON CONFLICT DO NOTHING`)
      }
      yield* versions.keep(tenantId, accountId, received(present), received(kinds), audit.at)
      yield* records.audit(tenantId, [audit])
      return Result.void
    }
  }
}
