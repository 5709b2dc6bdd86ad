import type { Instant } from "@wcs/domain/shared/Instant"
import { inTurns } from "@wcs/domain/shared/Turns"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import type { Claim, ClaimedDelivery, DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { type Lease, needsRenewal } from "@wcs/domain/webhook/Lease"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Option, Result } from "effect"
import { type KeptDelivery, rowOf, type StoredLease, type Tables } from "./MemoryTables.ts"

const dueAtOf = ({ delivery: { dueAt } }: KeptDelivery): Instant => dueAt ?? Number.POSITIVE_INFINITY

const byDueAt = (one: KeptDelivery, two: KeptDelivery): number => dueAtOf(one) - dueAtOf(two)

type WebhookKey = Pick<Delivery, "tenantId" | "webhookId">

/** The open deliveries of a webhook, first due first. */
interface Open {
  readonly webhook: WebhookKey
  readonly rows: ReadonlyArray<KeptDelivery>
}

const openByWebhook = (deliveries: Iterable<KeptDelivery>): ReadonlyArray<Open> => {
  const open = [...deliveries].filter(({ delivery }) => delivery.dueAt !== null).sort(byDueAt)
  return [...Map.groupBy(open, ({ delivery: { tenantId, webhookId } }) => `${tenantId} ${webhookId}`).values()].flatMap(
    (rows) => rows.slice(0, 1).map(({ delivery }) => ({ webhook: delivery, rows }))
  )
}

const all = ({ tenants }: Tables) => [...tenants.values()].flatMap(({ deliveries }) => deliveries)

const webhookOf = ({ of }: Tables, { tenantId, webhookId }: Delivery): Option.Option<WebhookFields> =>
  Option.fromUndefinedOr(rowOf(of(tenantId), Webhook, webhookId)).pipe(
    Option.filter(({ deletedAt }) => deletedAt === null),
    Option.map(({ fields }) => fields)
  )

/** The valid lease of a webhook at a time, if any. */
const leaseOf = ({ of }: Tables, { tenantId, webhookId }: WebhookKey, now: Instant): StoredLease | undefined => {
  const lease = of(tenantId).leases.get(webhookId)
  return lease !== undefined && lease.until > now ? lease : undefined
}

/** Releases leases without unsettled deliveries and renews the others. Returns the valid leases by webhook id. */
const renewLeases = ({ of }: Tables, { holder, leaseMillis, leases, now }: Claim): ReadonlyMap<string, Lease> => {
  const own = leases.filter(({ tenantId, webhookId }) => of(tenantId).leases.get(webhookId)?.holder === holder)
  for (const { servedAt, tenantId, unsettled, webhookId } of own) {
    const { leases: kept, servedAt: servedAtOf } = of(tenantId)
    servedAtOf.set(webhookId, servedAt)
    if (unsettled.size === 0) kept.delete(webhookId)
    else if (needsRenewal(kept.get(webhookId)?.until ?? now, now, leaseMillis))
      kept.set(webhookId, { holder, until: now + leaseMillis })
  }
  return new Map(own.filter(({ unsettled }) => unsettled.size > 0).map((lease) => [lease.webhookId, lease]))
}

/** How many more deliveries of a webhook the worker may claim. */
const roomOf = (
  tables: Tables,
  webhook: WebhookKey,
  own: ReadonlyMap<string, Lease>,
  { leases, now, perWebhook, acquires }: Claim
) => {
  const known = leases.find(({ webhookId }) => webhookId === webhook.webhookId)
  const isForIt = own.has(webhook.webhookId) || (acquires && leaseOf(tables, webhook, now) === undefined)
  return isForIt ? (known?.room ?? perWebhook) : 0
}

/** The due deliveries of a webhook that the worker may claim, and since when the webhook waits. */
const queueOf = (
  { of }: Tables,
  { rows, webhook }: Open,
  room: number,
  isKnown: (row: KeptDelivery) => boolean,
  now: Instant
) => {
  const waiting = rows.filter((row) => !isKnown(row))
  const servedAt = of(webhook.tenantId).servedAt.get(webhook.webhookId) ?? 0
  return {
    due: waiting.filter((row) => dueAtOf(row) <= now).slice(0, room),
    since: Math.max(servedAt, ...waiting.slice(0, 1).map(dueAtOf)),
    servedAt
  }
}

/** When the worker may claim more of a webhook: at the next due time, or at the end of the lease without room. */
const nextOf = (
  tables: Tables,
  { rows, webhook }: Open,
  room: number,
  isKnown: (row: KeptDelivery) => boolean,
  now: Instant
) => {
  const until = leaseOf(tables, webhook, now)?.until
  const waiting = rows.filter((row) => !isKnown(row)).map(dueAtOf)
  return until === undefined || room > 0 ? Math.min(until ?? Number.POSITIVE_INFINITY, ...waiting) : until
}

export const claim = (tables: Tables): DeliveryStore["Service"]["claim"] =>
  Effect.fn("DeliveryStore.claim")((request) =>
    Effect.sync(() => {
      const { holder, leaseMillis, leases, limit, now } = request
      const own = renewLeases(tables, request)
      const known = new Set(leases.flatMap(({ unsettled }) => [...unsettled]))
      const isKnown = ({ delivery }: KeptDelivery) => known.has(delivery.id)
      const open = openByWebhook(all(tables)).map((one) => ({
        ...one,
        room: roomOf(tables, one.webhook, own, request)
      }))
      const queues = open
        .map((one) => queueOf(tables, one, one.room, isKnown, now))
        .filter(({ due }) => due.length > 0)
        .sort((one, two) => one.since - two.since || one.servedAt - two.servedAt)
        .map(({ due }) => due)
      const claimed = inTurns(queues, limit).map(({ delivery }): ClaimedDelivery => {
        const { id, tenantId, webhookId } = delivery
        known.add(id)
        tables.of(tenantId).servedAt.set(webhookId, now)
        if (!own.has(webhookId)) tables.of(tenantId).leases.set(webhookId, { holder, until: now + leaseMillis })
        return { delivery, webhook: Result.succeed(webhookOf(tables, delivery)) }
      })
      const next = open.map((one) => {
        const count = claimed.filter(({ delivery }) => delivery.webhookId === one.webhook.webhookId).length
        return nextOf(tables, one, one.room - count, isKnown, now)
      })
      const isIdle = own.size + claimed.length === 0
      return {
        claimed,
        nextDueAt: next.length === 0 ? null : Math.min(...next),
        isLeasedByOthers:
          isIdle && open.some(({ webhook }) => (leaseOf(tables, webhook, now)?.holder ?? holder) !== holder)
      }
    })
  )
