import type { AuditEntry, EventDraft } from "@wcs/domain/Trail"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
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

export const makeTrailWriter = (sql: SqlClient.SqlClient): TrailWriter => {
  const dialect = dialectOf(sql)
  const audit: TrailWriter["audit"] = (tenantId, entries) => {
    if (entries.length === 0) return Effect.void
    const rows = entries.map(({ bearer, ...entry }) => ({ ...entry, kind: bearer?.kind, bearer: bearer?.id }))
    return Effect.asVoid(sql`
      INSERT INTO audit_event (
        tenant_id, id, account, bearer_kind, bearer_id, operation, action, entity_type, entity_id, request_id, at
      )
      SELECT CAST(${tenantId} AS TEXT), value ->> 'id', value ->> 'account', value ->> 'kind', value ->> 'bearer',
        value ->> 'operation', value ->> 'action', value ->> 'entityType', value ->> 'entityId', value ->> 'requestId',
        CAST(value ->> 'at' AS BIGINT)
      FROM ${dialect.objects(JSON.stringify(rows))}`)
  }
  const events: TrailWriter["events"] = (tenantId, events, sequenceOf) => {
    if (events.length === 0) return Effect.void
    // The data travels as text, so that Postgres does not put its keys into an order of its own.
    const rows = events.map((event) => ({
      ...event,
      data: JSON.stringify(event.data),
      sequence: sequenceOf(event.subjectId)
    }))
    return Effect.asVoid(sql`
      INSERT INTO event (tenant_id, id, kind, subject_id, sequence, correlation_id, data, at)
      SELECT CAST(${tenantId} AS TEXT), value ->> 'id', value ->> 'kind', value ->> 'subjectId',
        CAST(value ->> 'sequence' AS BIGINT), value ->> 'correlationId', value ->> 'data',
        CAST(value ->> 'at' AS BIGINT)
      FROM ${dialect.objects(JSON.stringify(rows))}
      WHERE EXISTS (SELECT 1 FROM subscription AS s WHERE s.tenant_id = ${tenantId} AND s.kind = value ->> 'kind')`)
  }
  return { audit, events }
}
