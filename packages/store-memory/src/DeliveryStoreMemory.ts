import type { Instant } from "@wcs/domain/shared/Instant"
import { inTurns } from "@wcs/domain/shared/Turns"
import type { Delivery, DeliveryDraft } from "@wcs/domain/webhook/Delivery"
import { type Claim, type ClaimedDelivery, DeliveryStore, type Redrive } from "@wcs/domain/webhook/DeliveryStore"
import { type FailedEvent, neverRetried } from "@wcs/domain/webhook/FanOut"
import { type Lease, needsRenewal } from "@wcs/domain/webhook/Lease"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { initialHealth, type WebhookHealth } from "@wcs/domain/webhook/WebhookHealth"
import { Effect, Layer, Option, Result } from "effect"
import { type KeptDelivery, MemoryTables, rowOf, type StoredLease, type TenantTables } from "./MemoryTables.ts"
import { change } from "./ResourceStoreMemory.ts"
import { placedPage } from "./SeriesPage.ts"

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

/** Whether the delivery was neither attempted by another worker nor redriven since the claim. */
const isAsClaimed = ({ delivery }: KeptDelivery, claimed: ClaimedDelivery): boolean =>
  delivery.dueAt === claimed.delivery.dueAt && delivery.attemptCount === claimed.delivery.attemptCount

const isChosen = ({ delivery }: KeptDelivery, { deliveryIds, from, states, to }: Redrive, now: Instant) =>
  (delivery.dueAt === null || delivery.dueAt > now) &&
  states.includes(delivery.state) &&
  (from === null || delivery.createdAt >= from) &&
  (to === null || delivery.createdAt < to) &&
  (deliveryIds === null || deliveryIds.includes(delivery.id))

const deliveryOf = (draft: DeliveryDraft): Delivery => ({
  ...draft,
  attemptCount: 0,
  failures: 0,
  attempts: [],
  lastResponse: null,
  dueAt: draft.state === "PENDING" ? draft.createdAt : null,
  deliveredAt: null
})

const isAttempted = ({ lastFailureAt, lastSuccessAt }: WebhookHealth): boolean =>
  lastFailureAt !== null || lastSuccessAt !== null

/** Removes up to `limit` matching rows, and returns how many. */
const drop = <Row>(rows: Array<Row>, isOver: (row: Row) => boolean, limit: number): number => {
  const gone = new Set(rows.filter(isOver).slice(0, limit))
  rows.splice(0, rows.length, ...rows.filter((row) => !gone.has(row)))
  return gone.size
}

const rowFor = (tables: TenantTables, id: string): KeptDelivery | undefined =>
  tables.deliveries.find(({ delivery }) => delivery.id === id)

export const make = Effect.map(MemoryTables, ({ nextPosition, of, tenants, waiting }) => {
  const all = () => [...tenants.values()].flatMap(({ deliveries }) => deliveries)

  const insert = (draft: DeliveryDraft): void => {
    const { deliveries } = of(draft.tenantId)
    const isThere = deliveries.some(
      ({ delivery: { eventId, webhookId } }) => eventId === draft.eventId && webhookId === draft.webhookId
    )
    if (!isThere) deliveries.push({ position: nextPosition(), delivery: deliveryOf(draft) })
  }

  const subscribers = (tables: TenantTables, kind: WebhookFields["events"][number]) =>
    [...tables.subscriptions].flatMap(([webhookId, kinds]) => {
      const webhook = kinds.has(kind) ? rowOf(tables, Webhook, webhookId) : undefined
      return webhook === undefined || webhook.deletedAt !== null
        ? []
        : [{ webhookId, createdAt: webhook.createdAt, fields: webhook.fields }]
    })

  const webhookOf = ({ tenantId, webhookId }: Delivery): Option.Option<WebhookFields> =>
    Option.fromUndefinedOr(rowOf(of(tenantId), Webhook, webhookId)).pipe(
      Option.filter(({ deletedAt }) => deletedAt === null),
      Option.map(({ fields }) => fields)
    )

  /** The valid lease of a webhook at a time, if any. */
  const leaseOf = ({ tenantId, webhookId }: WebhookKey, now: Instant): StoredLease | undefined => {
    const lease = of(tenantId).leases.get(webhookId)
    return lease !== undefined && lease.until > now ? lease : undefined
  }

  /** Releases leases without unsettled deliveries and renews the others. Returns the valid leases by webhook id. */
  const renewLeases = ({ holder, leaseMillis, leases, now }: Claim): ReadonlyMap<string, Lease> => {
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
    webhook: WebhookKey,
    own: ReadonlyMap<string, Lease>,
    { leases, now, perWebhook, acquires }: Claim
  ) => {
    const known = leases.find(({ webhookId }) => webhookId === webhook.webhookId)
    const isForIt = own.has(webhook.webhookId) || (acquires && leaseOf(webhook, now) === undefined)
    return isForIt ? (known?.room ?? perWebhook) : 0
  }

  /** The due deliveries of a webhook that the worker may claim, and since when the webhook waits. */
  const queueOf = ({ rows, webhook }: Open, room: number, isKnown: (row: KeptDelivery) => boolean, now: Instant) => {
    const waiting = rows.filter((row) => !isKnown(row))
    const servedAt = of(webhook.tenantId).servedAt.get(webhook.webhookId) ?? 0
    return {
      due: waiting.filter((row) => dueAtOf(row) <= now).slice(0, room),
      since: Math.max(servedAt, ...waiting.slice(0, 1).map(dueAtOf)),
      servedAt
    }
  }

  /** When the worker may claim more of a webhook: at the next due time, or at the end of the lease without room. */
  const nextOf = ({ rows, webhook }: Open, room: number, isKnown: (row: KeptDelivery) => boolean, now: Instant) => {
    const until = leaseOf(webhook, now)?.until
    const waiting = rows.filter((row) => !isKnown(row)).map(dueAtOf)
    return until === undefined || room > 0 ? Math.min(until ?? Number.POSITIVE_INFINITY, ...waiting) : until
  }

  return DeliveryStore.of({
    fanOut: Effect.fn("DeliveryStore.fanOut")(({ retryAt, limit, now }, decide) =>
      Effect.sync(() => {
        const taken = waiting
          .filter(({ from }) => from <= now)
          .sort((one, two) => one.from - two.from)
          .slice(0, limit)
        const deadLettered = taken.flatMap((one): ReadonlyArray<FailedEvent> => {
          const { at, id, kind, tenantId } = one.event
          const drafts = Result.try(() =>
            decide({ ...one.event, isRetry: one.from > 0 }, subscribers(of(tenantId), kind))
          )
          if (Result.isFailure(drafts)) {
            one.from = retryAt(at)
            return [{ tenantId, eventId: id, until: one.from, fault: drafts.failure }]
          }
          drafts.success.forEach(insert)
          waiting.splice(waiting.indexOf(one), 1)
          return []
        })
        return { taken: taken.length, deadLettered }
      })
    ),

    deadLetter: Effect.fn("DeliveryStore.deadLetter")((tenantId, eventId, until) =>
      Effect.sync(() => {
        const found = waiting.find(({ event }) => event.tenantId === tenantId && event.id === eventId)
        if (found !== undefined) found.from = until
      })
    ),

    listDeadLetters: Effect.fn("DeliveryStore.listDeadLetters")((tenantId, limit) =>
      Effect.sync(() =>
        waiting
          .filter(({ event, from }) => from > 0 && (tenantId === null || event.tenantId === tenantId))
          .map(({ event: { at, id, kind, tenantId }, from }) => ({ tenantId, eventId: id, kind, at, until: from }))
          .sort((one, two) => one.at - two.at)
          .slice(0, limit)
      )
    ),

    retryDeadLetters: Effect.fn("DeliveryStore.retryDeadLetters")((tenantId, eventId, limit, audit) =>
      Effect.sync(() => {
        const retried = waiting
          .filter(
            ({ event, from }) =>
              event.tenantId === tenantId &&
              (eventId === null || event.id === eventId) &&
              from > audit.at &&
              from < neverRetried
          )
          .sort((one, two) => one.event.at - two.event.at)
          .slice(0, limit)
        for (const one of retried) one.from = audit.at
        if (retried.length > 0) of(tenantId).audit.push(audit)
        return retried.length
      })
    ),

    begin: Effect.fn("DeliveryStore.begin")((draft, audit) =>
      Effect.sync(() => {
        insert(draft)
        of(draft.tenantId).audit.push(audit)
      })
    ),

    claim: Effect.fn("DeliveryStore.claim")((request) =>
      Effect.sync(() => {
        const { holder, leaseMillis, leases, limit, now } = request
        const own = renewLeases(request)
        const known = new Set(leases.flatMap(({ unsettled }) => [...unsettled]))
        const isKnown = ({ delivery }: KeptDelivery) => known.has(delivery.id)
        const open = openByWebhook(all()).map((one) => ({ ...one, room: roomOf(one.webhook, own, request) }))
        const queues = open
          .map((one) => queueOf(one, one.room, isKnown, now))
          .filter(({ due }) => due.length > 0)
          .sort((one, two) => one.since - two.since || one.servedAt - two.servedAt)
          .map(({ due }) => due)
        const claimed = inTurns(queues, limit).map(({ delivery }): ClaimedDelivery => {
          const { id, tenantId, webhookId } = delivery
          known.add(id)
          of(tenantId).servedAt.set(webhookId, now)
          if (!own.has(webhookId)) of(tenantId).leases.set(webhookId, { holder, until: now + leaseMillis })
          return { delivery, webhook: Result.succeed(webhookOf(delivery)) }
        })
        const next = open.map((one) => {
          const count = claimed.filter(({ delivery }) => delivery.webhookId === one.webhook.webhookId).length
          return nextOf(one, one.room - count, isKnown, now)
        })
        const isIdle = own.size + claimed.length === 0
        return {
          claimed,
          nextDueAt: next.length === 0 ? null : Math.min(...next),
          isLeasedByOthers: isIdle && open.some(({ webhook }) => (leaseOf(webhook, now)?.holder ?? holder) !== holder)
        }
      })
    ),

    settle: Effect.fn("DeliveryStore.settle")((settlements, assess) =>
      Effect.sync(() => {
        const assessed = new Map<string, { readonly tenantId: string; readonly webhookId: string }>()
        for (const { claimed, delivery, succeeded } of settlements) {
          const { id, tenantId, webhookId } = delivery
          const tables = of(tenantId)
          const row = rowFor(tables, id)
          if (row === undefined || !isAsClaimed(row, claimed)) continue
          row.delivery = delivery
          if (succeeded === null) continue
          tables.health.set(webhookId, assess(tables.health.get(webhookId) ?? initialHealth, succeeded))
          assessed.set(`${tenantId} ${webhookId}`, { tenantId, webhookId })
        }
        return [...assessed.values()].map(({ tenantId, webhookId }) => ({
          tenantId,
          webhookId,
          health: of(tenantId).health.get(webhookId) ?? initialHealth
        }))
      })
    ),

    find: Effect.fn("DeliveryStore.find")((tenantId, id) =>
      Effect.sync(() => Option.fromUndefinedOr(rowFor(of(tenantId), id)?.delivery))
    ),

    list: Effect.fn("DeliveryStore.list")((tenantId, webhookId, selection) =>
      Effect.sync(() =>
        placedPage(
          of(tenantId)
            .deliveries.filter(({ delivery }) => delivery.webhookId === webhookId)
            .map(({ delivery, position }) => ({ ...delivery, position })),
          selection
        )
      )
    ),

    redrive: Effect.fn("DeliveryStore.redrive")((tenantId, webhookId, redrive, audit) =>
      Effect.sync(() => {
        const now = audit.at
        of(tenantId).audit.push(audit)
        const chosen = of(tenantId).deliveries.filter(
          (row) => row.delivery.webhookId === webhookId && isChosen(row, redrive, now)
        )
        const redriven = chosen.slice(0, redrive.limit)
        for (const row of redriven) {
          row.delivery = { ...row.delivery, state: "PENDING", failures: 0, dueAt: now, deliveredAt: null }
        }
        return { redriven: redriven.length, hasMore: chosen.length > redriven.length }
      })
    ),

    countRedrive: Effect.fn("DeliveryStore.countRedrive")((tenantId, webhookId, redrive, now) =>
      Effect.sync(() => {
        const matching = of(tenantId).deliveries.filter(
          (row) => row.delivery.webhookId === webhookId && isChosen(row, redrive, now)
        )
        return Math.min(matching.length, redrive.limit)
      })
    ),

    health: Effect.fn("DeliveryStore.health")((tenantId, webhookIds) =>
      Effect.sync(
        () => new Map([...of(tenantId).health].filter(([id, health]) => webhookIds.includes(id) && isAttempted(health)))
      )
    ),

    changeHealth: Effect.fn("DeliveryStore.changeHealth")((tenantId, webhookId, change) =>
      Effect.sync(() => {
        const { health } = of(tenantId)
        const current = health.get(webhookId)
        if (current !== undefined) health.set(webhookId, change(current))
      })
    ),

    changeWebhook: Effect.fn("DeliveryStore.changeWebhook")((tenantId, webhookId, decide) =>
      Effect.sync(() => {
        const tables = of(tenantId)
        const health = tables.health.get(webhookId) ?? initialHealth
        const changed = change(tables, Webhook, webhookId, [], ({ current }) =>
          Result.map(
            Result.fromOption(current, () => "gone"),
            (webhook) => decide(webhook, health)
          )
        )
        return Result.isSuccess(changed) && changed.success._tag === "Changed"
      })
    ),

    forget: Effect.fn("DeliveryStore.forget")(({ deadBefore, before, limit }) =>
      Effect.sync(() => {
        let forgotten = 0
        const dead = new Set(waiting.filter(({ from }) => from === neverRetried).map(({ event }) => event.id))
        for (const { deliveries, events } of tenants.values()) {
          forgotten += drop(
            deliveries,
            ({ delivery: { createdAt, dueAt } }) => createdAt < before && dueAt === null,
            limit
          )
          const isWaiting = new Set(waiting.map(({ event }) => event.id))
          const isLeft = new Set(deliveries.map(({ delivery }) => delivery.eventId))
          forgotten += drop(events, ({ at, id }) => at < before && !isWaiting.has(id) && !isLeft.has(id), limit)
          forgotten += drop(events, ({ at, id }) => at < deadBefore && dead.has(id) && !isLeft.has(id), limit)
        }
        const isKept = new Set([...tenants.values()].flatMap(({ events }) => events.map(({ id }) => id)))
        waiting.splice(0, waiting.length, ...waiting.filter(({ event }) => isKept.has(event.id)))
        return forgotten
      })
    )
  })
})

export const layer: Layer.Layer<DeliveryStore, never, MemoryTables> = Layer.effect(DeliveryStore, make)
