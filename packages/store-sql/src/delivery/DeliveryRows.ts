import type { EventKind } from "@wcs/domain/event/EventKind"
import type { Delivery, DeliveryDraft, DeliveryState } from "@wcs/domain/webhook/Delivery"
import type { Settlement } from "@wcs/domain/webhook/DeliveryStore"
import { keepsAnswers } from "@wcs/domain/webhook/Exchange"
import { Result } from "effect"
import type { BatchColumns } from "../engine/Batch.ts"

export interface DeliveryRow {
  readonly position: unknown
  readonly tenant_id: string
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly subject_id: string | null
  readonly kind: EventKind
  readonly correlation_id: string | null
  readonly state: DeliveryState
  readonly attempt_count: unknown
  readonly failures: unknown
  readonly due_at: unknown
  readonly created_at: unknown
  readonly delivered_at: unknown
  readonly attempts: string
  readonly last_response: string | null
  readonly body: string
  readonly traceparent: string | null
}

/** The columns of a new delivery. */
export const deliveryColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  webhook_id: "TEXT",
  event_id: "TEXT",
  subject_id: "TEXT",
  kind: "TEXT",
  correlation_id: "TEXT",
  state: "TEXT",
  attempt_count: "BIGINT",
  failures: "BIGINT",
  due_at: "BIGINT",
  created_at: "BIGINT",
  attempts: "TEXT",
  body: "TEXT",
  traceparent: "TEXT",
  keeps_answers: "BIGINT"
} as const satisfies BatchColumns

export const deliveryRow = (draft: DeliveryDraft) => ({
  tenant_id: draft.tenantId,
  id: draft.id,
  webhook_id: draft.webhookId,
  event_id: draft.eventId,
  subject_id: draft.subjectId,
  kind: draft.kind,
  correlation_id: draft.correlationId,
  state: draft.state,
  attempt_count: 0,
  failures: 0,
  due_at: draft.state === "PENDING" ? draft.createdAt : null,
  created_at: draft.createdAt,
  attempts: "[]",
  body: draft.body,
  traceparent: draft.traceparent,
  keeps_answers: keepsAnswers(draft.kind) ? 1 : 0
})

/** The columns that an attempt changes, and those that detect a concurrent change. */
export const settledColumns = {
  tenant: "TEXT",
  delivery: "TEXT",
  attempted: "BIGINT",
  was_due_at: "BIGINT",
  state: "TEXT",
  attempt_count: "BIGINT",
  failures: "BIGINT",
  due_at: "BIGINT",
  delivered_at: "BIGINT",
  attempts: "TEXT",
  last_response: "TEXT"
} as const satisfies BatchColumns

export const settledRow = ({ before, delivery }: Settlement) => ({
  tenant: delivery.tenantId,
  delivery: delivery.id,
  attempted: before.attemptCount,
  was_due_at: before.dueAt,
  state: delivery.state,
  attempt_count: delivery.attemptCount,
  failures: delivery.failures,
  due_at: delivery.dueAt,
  delivered_at: delivery.deliveredAt,
  attempts: JSON.stringify(delivery.attempts),
  last_response: delivery.lastResponse
})

const read = [
  ...Object.keys(deliveryColumns).filter((column) => column !== "keeps_answers"),
  ...["delivered_at", "last_response"]
]

/** The columns of a SELECT for `deliveryOf`, without the position. */
export const selectedOfDelivery = (alias: string): string => read.map((column) => `${alias}.${column}`).join(", ")

/** Past attempts. Empty when unreadable, so that the delivery is still attempted. */
const attemptsOf = (text: string): Delivery["attempts"] => {
  const read = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(read) && Array.isArray(read.success) ? read.success : []
}

const timeOf = (value: unknown): number | null => (value === null ? null : Number(value))

export const deliveryOf = (row: Omit<DeliveryRow, "position">): Delivery => ({
  id: row.id,
  tenantId: row.tenant_id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  subjectId: row.subject_id,
  kind: row.kind,
  correlationId: row.correlation_id,
  state: row.state,
  body: row.body,
  traceparent: row.traceparent,
  attemptCount: Number(row.attempt_count),
  failures: Number(row.failures),
  attempts: attemptsOf(row.attempts),
  lastResponse: row.last_response,
  dueAt: timeOf(row.due_at),
  createdAt: Number(row.created_at),
  deliveredAt: timeOf(row.delivered_at)
})
