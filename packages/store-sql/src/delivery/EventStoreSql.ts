import type { Bearer } from "@wcs/domain/access/Caller"
import type { AuditEntry, AuditField, OwnershipChange } from "@wcs/domain/audit/AuditEntry"
import { EventStore, type OwnershipEntry, type StoredEvent } from "@wcs/domain/audit/EventStore"
import type { EventKind } from "@wcs/domain/event/EventKind"
import type { Owners } from "@wcs/domain/ownership/Ownership"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { auditColumns } from "../audit/RecordsWriter.ts"
import { jsonOf } from "../engine/StoredJson.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"

export interface EventRow {
  readonly position: unknown
  readonly id: string
  readonly kind: EventKind
  readonly subject_id: string
  readonly sequence: unknown
  readonly correlation_id: string | null
  readonly data: string
  readonly credential_type: string | null
  readonly jurisdiction: string | null
  readonly at: unknown
}

/** The columns of a SELECT of events `r`, for `eventOf`. */
export const selectedOfEvent =
  "r.position, r.id, r.kind, r.subject_id, r.sequence, r.correlation_id, r.data, r.credential_type, r.jurisdiction, r.at"

interface AuditRow {
  readonly id: string
  readonly account: string
  readonly bearer_kind: Bearer["kind"] | null
  readonly bearer_id: string | null
  readonly operation: AuditEntry["operation"]
  readonly action: string
  readonly entity_type: AuditEntry["entityType"]
  readonly entity_id: string
  readonly request_id: string
  readonly at: unknown
  readonly worker_before: string | null
  readonly applicant_before: string | null
  readonly worker_after: string | null
  readonly applicant_after: string | null
}

export const eventOf = (row: EventRow): StoredEvent & { readonly position: number } => ({
  position: Number(row.position),
  id: row.id,
  kind: row.kind,
  subjectId: row.subject_id,
  sequence: Number(row.sequence),
  correlationId: row.correlation_id,
  data: jsonOf(row.data, `the data of ${row.id}`),
  about: { credentialType: row.credential_type, jurisdiction: row.jurisdiction },
  at: Number(row.at)
})

const auditOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  account: row.account,
  bearer: row.bearer_kind === null || row.bearer_id === null ? null : { kind: row.bearer_kind, id: row.bearer_id },
  operation: row.operation,
  action: row.action,
  entityType: row.entity_type,
  entityId: row.entity_id,
  requestId: row.request_id,
  at: Number(row.at),
  ...(row.worker_after === null ? {} : { ownership: ownershipOf(row) })
})

const slotsOf = (worker: string | null, applicant: string | null): Owners => ({
  worker: worker === "" ? null : worker,
  applicant: applicant === "" ? null : applicant
})

const ownershipOf = (row: AuditRow): OwnershipChange => ({
  before: slotsOf(row.worker_before, row.applicant_before),
  after: slotsOf(row.worker_after, row.applicant_after)
})

const selectedOfAudit = Object.keys(auditColumns)
  .filter((column) => column !== "tenant_id")
  .map((column) => `r.${column}`)
  .join(", ")

const auditTable: TimelineTable<AuditField, AuditRow, AuditEntry> = {
  name: "audit_event",
  selected: selectedOfAudit,
  index: "audit_event_of_tenant",
  fields: {
    requestId: { column: "request_id", index: "audit_event_of_request" },
    entityId: { column: "entity_id", index: "audit_event_of_entity" },
    account: { column: "account", index: "audit_event_of_account" },
    action: { column: "action", index: "audit_event_of_action" },
    entityType: { column: "entity_type", index: "audit_event_of_type" },
    bearer: { column: "bearer_kind", index: "audit_event_of_bearer" }
  },
  time: "at",
  decode: auditOf
}

/** The audit entries of ownership changes. The index has the condition, so other entries are not read. */
const ownershipTable: TimelineTable<"entityId", AuditRow, OwnershipEntry> = {
  name: "audit_event",
  selected: selectedOfAudit,
  index: "audit_event_of_entity",
  only: "r.worker_after IS NOT NULL",
  fields: { entityId: { column: "entity_id", index: "audit_event_of_entity" } },
  decode: (row) => ({ ...auditOf(row), ownership: ownershipOf(row) })
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const auditPage = yield* makeTimelinePage(auditTable)
  const ownershipPage = yield* makeTimelinePage(ownershipTable)

  return EventStore.of({
    events: Effect.fn("EventStore.events")((tenantId, afterPosition, limit) =>
      sql<EventRow>`SELECT ${sql.literal(selectedOfEvent)} FROM event AS r
        WHERE r.tenant_id = ${tenantId} AND r.position > ${afterPosition} ORDER BY r.position LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(eventOf))
      )
    ),

    audit: Effect.fn("EventStore.audit")((tenantId, selection) => Effect.orDie(auditPage(tenantId, selection))),

    ownership: Effect.fn("EventStore.ownership")((tenantId, credentialId, selection) =>
      Effect.orDie(ownershipPage(tenantId, { ...selection, conditions: [{ field: "entityId", value: credentialId }] }))
    )
  })
})

export const layer = Layer.effect(EventStore, make)
