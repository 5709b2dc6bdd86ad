import { Clock, Effect } from "effect"
import { NoSuch } from "../access/NoSuch.ts"
import { type Actor, type AuditedAction, makeAudit } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { DeliveryStore } from "./DeliveryStore.ts"

/** The maximum number of dead letters that one call lists. */
export const listedMax = 1000

/** The maximum number of dead letters that one transaction retries. */
const retriedMax = 10_000

/** Dead letters of one tenant, or of all tenants when null, oldest first. */
export const list = Effect.fn("DeadLetters.list")(function* (tenantId: string | null, limit: number) {
  if (!Number.isInteger(limit) || limit < 1 || limit > listedMax) {
    return yield* new InvalidArgument({ field: "limit", reason: `must be a whole number from 1 to ${listedMax}` })
  }
  return yield* DeliveryStore.use((store) => store.listDeadLetters(tenantId, limit))
})

/** The audited action: on the event when one is retried, else on the tenant. */
const actionOf = (tenantId: string, eventId: string | null): AuditedAction =>
  eventId === null
    ? { operation: "UPDATE", action: "retry events", entityType: "tenant", entityId: tenantId }
    : { operation: "UPDATE", action: "retry", entityType: "event", entityId: eventId }

/**
 * Sends one dead letter of a tenant now, or all of them when `eventId` is null. Returns how many. Skips those that are
 * never retried, because subscribers that already received the event would get it twice.
 */
export const retry = Effect.fn("DeadLetters.retry")(function* (tenantId: string, eventId: string | null, actor: Actor) {
  const store = yield* DeliveryStore
  const audited = makeAudit(yield* Ids)
  const entry = yield* audited(actor, actionOf(tenantId, eventId), yield* Clock.currentTimeMillis)
  const retried = yield* store.retryDeadLetters(tenantId, eventId, retriedMax, entry)
  if (eventId !== null && retried === 0) return yield* new NoSuch({ what: "retryable event", id: eventId })
  return retried
})
