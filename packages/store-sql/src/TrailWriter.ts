import type { EventKind } from "@wcs/domain/EventKind"
import type { AuditEntry, EventDraft } from "@wcs/domain/Trail"
import type { SqlClient, Statement } from "effect/sql"
import { type BatchColumns, type BatchRow, keepForBatches } from "./Batch.ts"
import { dialectOf } from "./Dialect.ts"
import { changes, type Script } from "./Script.ts"

/** Writes what goes with a change, in the transaction of the change. Audit entries and events are one statement each. */
export interface TrailWriter {
  readonly audit: (tenantId: string, entries: ReadonlyArray<AuditEntry>) => Script<void>
  /** Keeps the events whose kind somebody of the tenant subscribes to. */
  readonly events: (
    tenantId: string,
    events: ReadonlyArray<EventDraft>,
    sequenceOf: (subjectId: string) => number
  ) => Script<void>
  /** Replaces the kinds of event that a resource of the tenant is told of. */
  readonly subscription: (tenantId: string, subscriberId: string, kinds: ReadonlyArray<EventKind>) => Script<void>
}

/** What an audit entry fills. */
export const auditColumns = {
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

export const auditRow = (tenantId: string, entry: AuditEntry) => ({
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

/** What an event fills. */
export const eventColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  kind: "TEXT",
  subject_id: "TEXT",
  sequence: "BIGINT",
  correlation_id: "TEXT",
  data: "TEXT",
  at: "BIGINT"
} as const satisfies BatchColumns

export const eventRow = (tenantId: string, event: EventDraft, sequence: number) => ({
  tenant_id: tenantId,
  id: event.id,
  kind: event.kind,
  subject_id: event.subjectId,
  sequence,
  correlation_id: event.correlationId,
  data: JSON.stringify(event.data), // as text: JSON of Postgres would have its keys in an order of its own
  at: event.at
})

/** Whether somebody of the tenant subscribes to the kind of the event `fresh`. */
const isSubscribed =
  "EXISTS (SELECT 1 FROM subscription AS s WHERE s.tenant_id = fresh.tenant_id AND s.kind = fresh.kind)"

/** Inserts rows in their order. `condition` may speak of a row as `fresh`. */
const insertInto = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: BatchColumns,
  rows: Statement.Fragment,
  condition: Statement.Fragment
) => sql`INSERT INTO ${sql.literal(table)} (${sql.literal(Object.keys(columns).join(", "))})
  SELECT * FROM (${rows}) AS fresh WHERE ${condition}`

/** Writes audit entries where a condition holds. */
export const insertAudit = (sql: SqlClient.SqlClient, rows: Statement.Fragment, condition: Statement.Fragment) =>
  insertInto(sql, "audit_event", auditColumns, rows, condition)

/** Writes the events that somebody subscribes to, where a condition holds. */
export const insertEvents = (sql: SqlClient.SqlClient, rows: Statement.Fragment, condition: Statement.Fragment) =>
  insertInto(sql, "event", eventColumns, rows, sql`${sql.literal(isSubscribed)} AND ${condition}`)

/** Inserts any number of rows with one statement. */
const makeInsert = <Columns extends BatchColumns>(
  sql: SqlClient.SqlClient,
  columns: Columns,
  insert: typeof insertAudit
) => {
  const statement = keepForBatches(sql, dialectOf(sql), columns, ({ rows }) => insert(sql, rows, sql`true`))
  return function* (batch: ReadonlyArray<BatchRow<Columns>>): Script<void> {
    const [first, ...others] = batch
    if (first !== undefined) yield* changes(statement([first, ...others]))
  }
}

const makeSubscribe = (sql: SqlClient.SqlClient): TrailWriter["subscription"] =>
  function* (tenantId, subscriberId, kinds) {
    yield* changes(sql`DELETE FROM subscription WHERE tenant_id = ${tenantId} AND subscriber_id = ${subscriberId}`)
    if (kinds.length === 0) return
    yield* changes(sql`INSERT INTO subscription (tenant_id, kind, subscriber_id)
      SELECT DISTINCT CAST(${tenantId} AS TEXT), value, CAST(${subscriberId} AS TEXT)
      FROM ${dialectOf(sql).texts(JSON.stringify(kinds))}`)
  }

export const makeTrailWriter = (sql: SqlClient.SqlClient): TrailWriter => {
  const writeAudit = makeInsert(sql, auditColumns, insertAudit)
  const writeEvents = makeInsert(sql, eventColumns, insertEvents)
  return {
    audit: (tenantId, entries) => writeAudit(entries.map((entry) => auditRow(tenantId, entry))),
    events: (tenantId, events, sequenceOf) =>
      writeEvents(events.map((event) => eventRow(tenantId, event, sequenceOf(event.subjectId)))),
    subscription: makeSubscribe(sql)
  }
}
