import type { AuditEntry, EventDraft } from "@wcs/domain/Trail"
import type { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type BatchColumns, insertBatch } from "./BatchInsert.ts"
import { dialectOf } from "./Dialect.ts"

/** Writes what goes with a change, in the transaction of the change: one statement for each kind of row. */
export interface TrailWriter {
  readonly audit: (tenantId: string, entries: ReadonlyArray<AuditEntry>) => Effect.Effect<void, SqlError.SqlError>
  /** Keeps the events whose kind somebody of the tenant subscribes to. */
  readonly events: (
    tenantId: string,
    events: ReadonlyArray<EventDraft>,
    sequenceOf: (subjectId: string) => number
  ) => Effect.Effect<void, SqlError.SqlError>
}

const auditColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  account: "TEXT",
  bearer_kind: "TEXT",
  bearer_id: "TEXT",
  operation: "TEXT",
  action: "TEXT",
  entity_type: "TEXT",
  entity_id: "TEXT",
  request_id: "TEXT",
  at: "BIGINT"
} as const satisfies BatchColumns

const auditRow = (tenantId: string, entry: AuditEntry) => ({
  tenant_id: tenantId,
  id: entry.id,
  account: entry.account,
  bearer_kind: entry.bearer?.kind ?? null,
  bearer_id: entry.bearer?.id ?? null,
  operation: entry.operation,
  action: entry.action,
  entity_type: entry.entityType,
  entity_id: entry.entityId,
  request_id: entry.requestId,
  at: entry.at
})

const eventColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  kind: "TEXT",
  subject_id: "TEXT",
  sequence: "BIGINT",
  correlation_id: "TEXT",
  data: "TEXT",
  at: "BIGINT"
} as const satisfies BatchColumns

const eventRow = (tenantId: string, event: EventDraft, sequence: number) => ({
  tenant_id: tenantId,
  id: event.id,
  kind: event.kind,
  subject_id: event.subjectId,
  sequence,
  correlation_id: event.correlationId,
  data: JSON.stringify(event.data), // as text: JSON of Postgres would have its keys in an order of its own
  at: event.at
})

export const makeTrailWriter = (sql: SqlClient.SqlClient): TrailWriter => {
  const dialect = dialectOf(sql)
  return {
    audit: (tenantId, entries) => {
      const rows = entries.map((entry) => auditRow(tenantId, entry))
      return insertBatch(sql, dialect, "audit_event", auditColumns, rows, sql`true`)
    },
    events: (tenantId, events, sequenceOf) => {
      const rows = events.map((event) => eventRow(tenantId, event, sequenceOf(event.subjectId)))
      const isSubscribed = sql`EXISTS (
        SELECT 1 FROM subscription AS s WHERE s.tenant_id = ${tenantId} AND s.kind = fresh.kind)`
      return insertBatch(sql, dialect, "event", eventColumns, rows, isSubscribed)
    }
  }
}
