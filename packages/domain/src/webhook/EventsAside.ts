import { Clock, Effect } from "effect"
import { NoSuch } from "../access/Administration.ts"
import { type Actor, type AuditedAction, makeAudit } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { DeliveryStore } from "./DeliveryStore.ts"

/** How many events that are set aside are listed at the most. */
export const listedMax = 1000

/** How many are had taken again at the most, in one transaction. */
const retriedMax = 10_000

/** The events that are set aside, of a tenant or null: of all, the oldest first. */
export const list = Effect.fn("EventsAside.list")(function* (tenantId: string | null, limit: number) {
  if (!Number.isInteger(limit) || limit < 1 || limit > listedMax) {
    return yield* new InvalidArgument({ field: "limit", reason: `must be a whole number from 1 to ${listedMax}` })
  }
  return yield* DeliveryStore.use((store) => store.listSetAside(tenantId, limit))
})

/** Who retries one event does so to the event, and who retries all to the tenant. */
const deedOf = (tenantId: string, eventId: string | null): AuditedAction =>
  eventId === null
    ? { operation: "UPDATE", action: "retry events", entityType: "tenant", entityId: tenantId }
    : { operation: "UPDATE", action: "retry", entityType: "event", entityId: eventId }

/**
 * Has an event of a tenant taken at once, or null: all of them, that are set aside and would be taken later. Those that
 * are set aside for good stay so: to whom they were sent they would be sent twice. Answers how many.
 */
export const retry = Effect.fn("EventsAside.retry")(function* (tenantId: string, eventId: string | null, actor: Actor) {
  const store = yield* DeliveryStore
  const audited = makeAudit(yield* Ids)
  const entry = yield* audited(actor, deedOf(tenantId, eventId), yield* Clock.currentTimeMillis)
  const retried = yield* store.retrySetAside(tenantId, eventId, retriedMax, entry)
  if (eventId !== null && retried === 0) return yield* new NoSuch({ what: "retryable dead letter", id: eventId })
  return retried
})
