import { initialHealth, isAttempted } from "@wcs/domain/event/WebhookHealth"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { Delivery, DeliveryDraft } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore, type Redrive } from "@wcs/domain/webhook/DeliveryStore"
import type { FailedEvent } from "@wcs/domain/webhook/FanOut"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Layer, Option, Result } from "effect"
import { readDue, webhooks } from "./DeliveryDueMemory.ts"
import {
  type KeptDelivery,
  MemoryTables,
  rowOf,
  type Tables,
  type TenantTables,
  type UnsentEvent
} from "./MemoryTables.ts"
import { change } from "./ResourceStoreMemory.ts"
import { placedPage } from "./SeriesPage.ts"

/** Whether the delivery was neither attempted by another worker nor redriven since it was read. */
const isUnchanged = ({ delivery }: KeptDelivery, before: Delivery): boolean =>
  delivery.dueAt === before.dueAt && delivery.attemptCount === before.attemptCount

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

/** Removes up to `limit` matching rows, and returns how many. */
const drop = <Row>(rows: Array<Row>, isOver: (row: Row) => boolean, limit: number): number => {
  const gone = new Set(rows.filter(isOver).slice(0, limit))
  rows.splice(0, rows.length, ...rows.filter((row) => !gone.has(row)))
  return gone.size
}

const rowFor = (tables: TenantTables, id: string): KeptDelivery | undefined =>
  tables.deliveries.find(({ delivery }) => delivery.id === id)

const insert = ({ nextPosition, of }: Tables, draft: DeliveryDraft): void => {
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

/** Makes an event a dead letter. */
const makeDeadLetter = (event: UnsentEvent, until: Instant | null): void => {
  event.state = until === null ? "dead" : "retrying"
  event.retryAt = until
}

const fanOut = (tables: Tables): DeliveryStore["Service"]["fanOut"] =>
  Effect.fn("DeliveryStore.fanOut")(({ retryAt, limit, now }, decide) =>
    Effect.sync(() => {
      const taken = tables.unsent
        .filter(({ retryAt, state }) => state !== "dead" && (retryAt ?? 0) <= now)
        .sort((one, two) => (one.retryAt ?? 0) - (two.retryAt ?? 0))
        .slice(0, limit)
      const deadLettered = taken.flatMap((one): ReadonlyArray<FailedEvent> => {
        const { at, id, kind, tenantId } = one.event
        const drafts = Result.try(() =>
          decide({ ...one.event, isRetry: one.state === "retrying" }, subscribers(tables.of(tenantId), kind))
        )
        if (Result.isFailure(drafts)) {
          const until = retryAt(at)
          makeDeadLetter(one, until)
          return [{ tenantId, eventId: id, until, fault: drafts.failure }]
        }
        for (const draft of drafts.success) insert(tables, draft)
        tables.unsent.splice(tables.unsent.indexOf(one), 1)
        return []
      })
      return { taken: taken.length, deadLettered }
    })
  )

const deadLetter = ({ unsent }: Tables): DeliveryStore["Service"]["deadLetter"] =>
  Effect.fn("DeliveryStore.deadLetter")((tenantId, eventId, until) =>
    Effect.sync(() => {
      const found = unsent.find(({ event }) => event.tenantId === tenantId && event.id === eventId)
      if (found !== undefined) makeDeadLetter(found, until)
    })
  )

const listDeadLetters = ({ unsent }: Tables): DeliveryStore["Service"]["listDeadLetters"] =>
  Effect.fn("DeliveryStore.listDeadLetters")((tenantId, limit) =>
    Effect.sync(() =>
      unsent
        .filter(({ event, state }) => state !== "pending" && (tenantId === null || event.tenantId === tenantId))
        .map(({ event: { at, id, kind, tenantId }, retryAt }) => ({ tenantId, eventId: id, kind, at, until: retryAt }))
        .sort((one, two) => one.at - two.at)
        .slice(0, limit)
    )
  )

const retryDeadLetters = ({ of, unsent }: Tables): DeliveryStore["Service"]["retryDeadLetters"] =>
  Effect.fn("DeliveryStore.retryDeadLetters")((tenantId, eventId, limit, audit) =>
    Effect.sync(() => {
      const retried = unsent
        .filter(
          ({ event, retryAt }) =>
            event.tenantId === tenantId &&
            (eventId === null || event.id === eventId) &&
            retryAt !== null &&
            retryAt > audit.at
        )
        .sort((one, two) => one.event.at - two.event.at)
        .slice(0, limit)
      for (const one of retried) one.retryAt = audit.at
      if (retried.length > 0) of(tenantId).audit.push(audit)
      return retried.length
    })
  )

const begin = (tables: Tables): DeliveryStore["Service"]["begin"] =>
  Effect.fn("DeliveryStore.begin")((draft, audit) =>
    Effect.sync(() => {
      insert(tables, draft)
      tables.of(draft.tenantId).audit.push(audit)
    })
  )

const settle = ({ of }: Tables): DeliveryStore["Service"]["settle"] =>
  Effect.fn("DeliveryStore.settle")((settlements, now, assess) =>
    Effect.sync(() => {
      const assessed = new Map<string, { readonly tenantId: string; readonly webhookId: string }>()
      for (const { before, delivery, succeeded } of settlements) {
        const { id, tenantId, webhookId } = delivery
        const tables = of(tenantId)
        const row = rowFor(tables, id)
        tables.servedAt.set(webhookId, now)
        if (row === undefined || !isUnchanged(row, before)) continue
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
  )

const find = ({ of }: Tables): DeliveryStore["Service"]["find"] =>
  Effect.fn("DeliveryStore.find")((tenantId, id) =>
    Effect.sync(() => Option.fromUndefinedOr(rowFor(of(tenantId), id)?.delivery))
  )

const list = ({ of }: Tables): DeliveryStore["Service"]["list"] =>
  Effect.fn("DeliveryStore.list")((tenantId, webhookId, selection) =>
    Effect.sync(() =>
      placedPage(
        of(tenantId)
          .deliveries.filter(({ delivery }) => delivery.webhookId === webhookId)
          .map(({ delivery, position }) => ({ ...delivery, position })),
        selection
      )
    )
  )

const redrive = ({ of }: Tables): DeliveryStore["Service"]["redrive"] =>
  Effect.fn("DeliveryStore.redrive")((tenantId, webhookId, redrive, audit) =>
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
  )

const countRedrive = ({ of }: Tables): DeliveryStore["Service"]["countRedrive"] =>
  Effect.fn("DeliveryStore.countRedrive")((tenantId, webhookId, redrive, now) =>
    Effect.sync(() => {
      const matching = of(tenantId).deliveries.filter(
        (row) => row.delivery.webhookId === webhookId && isChosen(row, redrive, now)
      )
      return Math.min(matching.length, redrive.limit)
    })
  )

const health = ({ of }: Tables): DeliveryStore["Service"]["health"] =>
  Effect.fn("DeliveryStore.health")((tenantId, webhookIds) =>
    Effect.sync(
      () => new Map([...of(tenantId).health].filter(([id, health]) => webhookIds.includes(id) && isAttempted(health)))
    )
  )

const changeWebhook = ({ of }: Tables): DeliveryStore["Service"]["changeWebhook"] =>
  Effect.fn("DeliveryStore.changeWebhook")((tenantId, webhookId, decide) =>
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
  )

const forget = ({ tenants, unsent }: Tables): DeliveryStore["Service"]["forget"] =>
  Effect.fn("DeliveryStore.forget")(({ deadBefore, before, limit }) =>
    Effect.sync(() => {
      let forgotten = 0
      const dead = new Set(unsent.filter(({ state }) => state === "dead").map(({ event }) => event.id))
      for (const { deliveries, events } of tenants.values()) {
        forgotten += drop(
          deliveries,
          ({ delivery: { createdAt, dueAt } }) => createdAt < before && dueAt === null,
          limit
        )
        const isUnsent = new Set(unsent.map(({ event }) => event.id))
        const isLeft = new Set(deliveries.map(({ delivery }) => delivery.eventId))
        forgotten += drop(events, ({ at, id }) => at < before && !isUnsent.has(id) && !isLeft.has(id), limit)
        forgotten += drop(events, ({ at, id }) => at < deadBefore && dead.has(id) && !isLeft.has(id), limit)
      }
      const isKept = new Set([...tenants.values()].flatMap(({ events }) => events.map(({ id }) => id)))
      unsent.splice(0, unsent.length, ...unsent.filter(({ event }) => isKept.has(event.id)))
      return forgotten
    })
  )

export const make = Effect.map(MemoryTables, (tables) =>
  DeliveryStore.of({
    fanOut: fanOut(tables),
    deadLetter: deadLetter(tables),
    listDeadLetters: listDeadLetters(tables),
    retryDeadLetters: retryDeadLetters(tables),
    begin: begin(tables),
    readDue: readDue(tables),
    webhooks: webhooks(tables),
    settle: settle(tables),
    find: find(tables),
    list: list(tables),
    redrive: redrive(tables),
    countRedrive: countRedrive(tables),
    health: health(tables),
    changeWebhook: changeWebhook(tables),
    forget: forget(tables)
  })
)

export const layer: Layer.Layer<DeliveryStore, never, MemoryTables> = Layer.effect(DeliveryStore, make)
