import type { Delivery, DeliveryDraft } from "@wcs/domain/Delivery"
import { type ClaimedDelivery, DeliveryStore, type Redrive } from "@wcs/domain/DeliveryStore"
import { forGood, type SetAside } from "@wcs/domain/FanOut"
import type { Instant } from "@wcs/domain/Instant"
import { inTurns } from "@wcs/domain/Turns"
import { Webhook, type WebhookFields } from "@wcs/domain/Webhook"
import { untried, type WebhookHealth } from "@wcs/domain/WebhookHealth"
import { Effect, Layer, Option, Result } from "effect"
import { type KeptDelivery, MemoryTables, rowOf, type TenantTables } from "./MemoryTables.ts"
import { change } from "./ResourceStoreMemory.ts"
import { placedPage } from "./SeriesPage.ts"

const isHeld = ({ delivery: { dueAt }, lease }: KeptDelivery, now: Instant): boolean =>
  lease !== null && dueAt !== null && dueAt > now

const dueAtOf = ({ delivery: { dueAt } }: KeptDelivery): Instant => dueAt ?? Number.POSITIVE_INFINITY

const byDueAt = (one: KeptDelivery, two: KeptDelivery): number => dueAtOf(one) - dueAtOf(two)

const earliest = (rows: ReadonlyArray<KeptDelivery>): Instant | null =>
  rows.length === 0 ? null : Math.min(...rows.map(dueAtOf))

/** The open deliveries of each webhook, the first due first. */
const openByWebhook = (deliveries: Iterable<KeptDelivery>): ReadonlyArray<ReadonlyArray<KeptDelivery>> => {
  const open = [...deliveries].filter(({ delivery }) => delivery.dueAt !== null).sort(byDueAt)
  return [...Map.groupBy(open, ({ delivery: { tenantId, webhookId } }) => `${tenantId} ${webhookId}`).values()]
}

const isChosen = ({ delivery, lease }: KeptDelivery, { deliveryIds, from, states, to }: Redrive, now: Instant) =>
  lease === null &&
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

/** Forgets those of a list that pass a test, at most so many, and answers how many. */
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
    if (!isThere) deliveries.push({ position: nextPosition(), delivery: deliveryOf(draft), lease: null })
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

  /** What of a webhook's open deliveries can be claimed: those due, as far as there are places. */
  const claimable = (open: ReadonlyArray<KeptDelivery>, now: Instant, perWebhook: number) => {
    const places = perWebhook - open.filter((row) => isHeld(row, now)).length
    return open.filter((row) => dueAtOf(row) <= now).slice(0, Math.max(0, places))
  }

  /** Who has waited longest comes first: since its delivery was due, or since it had its last turn. */
  const turnOf = ([first]: ReadonlyArray<KeptDelivery>) => {
    if (first === undefined) return { since: 0, servedAt: 0 }
    const { tenantId, webhookId } = first.delivery
    const servedAt = of(tenantId).servedAt.get(webhookId) ?? 0
    return { since: Math.max(dueAtOf(first), servedAt), servedAt }
  }

  /** When something of a webhook can be claimed next: where all places are taken, when the first of them is free. */
  const nextOf = (open: ReadonlyArray<KeptDelivery>, now: Instant, perWebhook: number): Instant | null => {
    const held = open.filter((row) => isHeld(row, now))
    return earliest(held.length >= perWebhook ? held : open)
  }

  return DeliveryStore.of({
    fanOut: Effect.fn("DeliveryStore.fanOut")(({ asideUntil, limit, now }, decide) =>
      Effect.sync(() => {
        const taken = waiting
          .filter(({ from }) => from <= now)
          .sort((one, two) => one.from - two.from)
          .slice(0, limit)
        const setAside = taken.flatMap((one): ReadonlyArray<SetAside> => {
          const { at, id, kind, tenantId } = one.event
          const drafts = Result.try(() =>
            decide({ ...one.event, wasSetAside: one.from > 0 }, subscribers(of(tenantId), kind))
          )
          if (Result.isFailure(drafts)) {
            one.from = asideUntil(at)
            return [{ tenantId, eventId: id, until: one.from, fault: drafts.failure }]
          }
          drafts.success.forEach(insert)
          waiting.splice(waiting.indexOf(one), 1)
          return []
        })
        return { taken: taken.length, setAside }
      })
    ),

    setAside: Effect.fn("DeliveryStore.setAside")((tenantId, eventId, until) =>
      Effect.sync(() => {
        const found = waiting.find(({ event }) => event.tenantId === tenantId && event.id === eventId)
        if (found !== undefined) found.from = until
      })
    ),

    begin: Effect.fn("DeliveryStore.begin")((draft, audit) =>
      Effect.sync(() => {
        insert(draft)
        of(draft.tenantId).audit.push(audit)
      })
    ),

    claim: Effect.fn("DeliveryStore.claim")(({ lease, leaseMillis, limit, now, perWebhook }) =>
      Effect.sync(() => {
        const queues = openByWebhook(all())
          .map((open) => claimable(open, now, perWebhook))
          .filter((queue) => queue.length > 0)
          .map((queue) => ({ queue, turn: turnOf(queue) }))
          .sort((one, two) => one.turn.since - two.turn.since || one.turn.servedAt - two.turn.servedAt)
          .map(({ queue }) => queue)
        const claimed = inTurns(queues, limit).map((row): ClaimedDelivery => {
          row.delivery = { ...row.delivery, dueAt: now + leaseMillis }
          row.lease = lease
          of(row.delivery.tenantId).servedAt.set(row.delivery.webhookId, now)
          return { delivery: row.delivery, lease, webhook: Result.succeed(webhookOf(row.delivery)) }
        })
        const next = openByWebhook(all()).flatMap((open) => nextOf(open, now, perWebhook) ?? [])
        return { claimed, nextDueAt: next.length === 0 ? null : Math.min(...next) }
      })
    ),

    settle: Effect.fn("DeliveryStore.settle")((settlements, assess) =>
      Effect.sync(() => {
        const assessed = new Map<string, { readonly tenantId: string; readonly webhookId: string }>()
        for (const { delivery, lease, succeeded } of settlements) {
          const { id, tenantId, webhookId } = delivery
          const tables = of(tenantId)
          const row = rowFor(tables, id)
          if (row === undefined || row.lease !== lease) continue
          row.delivery = delivery
          row.lease = null
          if (succeeded === null) continue
          tables.health.set(webhookId, assess(tables.health.get(webhookId) ?? untried, succeeded))
          assessed.set(`${tenantId} ${webhookId}`, { tenantId, webhookId })
        }
        return [...assessed.values()].map(({ tenantId, webhookId }) => ({
          tenantId,
          webhookId,
          health: of(tenantId).health.get(webhookId) ?? untried
        }))
      })
    ),

    release: Effect.fn("DeliveryStore.release")((claimed, now) =>
      Effect.sync(() => {
        for (const { delivery, lease } of claimed) {
          const row = rowFor(of(delivery.tenantId), delivery.id)
          if (row === undefined || row.lease !== lease) continue
          row.delivery = { ...row.delivery, dueAt: now }
          row.lease = null
        }
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
        const health = tables.health.get(webhookId) ?? untried
        const changed = change(tables, Webhook, webhookId, [], ({ current }) =>
          Result.map(
            Result.fromOption(current, () => "gone"),
            (webhook) => decide(webhook, health)
          )
        )
        return Result.isSuccess(changed) && changed.success._tag === "Changed"
      })
    ),

    forget: Effect.fn("DeliveryStore.forget")(({ asideBefore, before, limit }) =>
      Effect.sync(() => {
        let forgotten = 0
        const aside = new Set(waiting.filter(({ from }) => from === forGood).map(({ event }) => event.id))
        for (const { deliveries, events } of tenants.values()) {
          forgotten += drop(
            deliveries,
            ({ delivery: { createdAt, dueAt } }) => createdAt < before && dueAt === null,
            limit
          )
          const isWaiting = new Set(waiting.map(({ event }) => event.id))
          const isLeft = new Set(deliveries.map(({ delivery }) => delivery.eventId))
          forgotten += drop(events, ({ at, id }) => at < before && !isWaiting.has(id) && !isLeft.has(id), limit)
          forgotten += drop(events, ({ at, id }) => at < asideBefore && aside.has(id) && !isLeft.has(id), limit)
        }
        const isKept = new Set([...tenants.values()].flatMap(({ events }) => events.map(({ id }) => id)))
        waiting.splice(0, waiting.length, ...waiting.filter(({ event }) => isKept.has(event.id)))
        return forgotten
      })
    )
  })
})

export const layer: Layer.Layer<DeliveryStore, never, MemoryTables> = Layer.effect(DeliveryStore, make)
