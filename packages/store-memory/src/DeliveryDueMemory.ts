import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Option, Result } from "effect"
import { type KeptDelivery, rowOf, type Tables } from "./MemoryTables.ts"

const dueAtOf = ({ delivery: { dueAt } }: KeptDelivery): Instant => dueAt ?? Number.POSITIVE_INFINITY

/** The open deliveries by webhook, first due first. */
const openByWebhook = ({ tenants }: Tables): ReadonlyMap<string, ReadonlyArray<KeptDelivery>> => {
  const open = [...tenants.values()]
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ delivery }) => delivery.dueAt !== null)
    .sort((one, two) => dueAtOf(one) - dueAtOf(two))
  return Map.groupBy(open, ({ delivery }) => delivery.webhookId)
}

export const readDue = (tables: Tables): DeliveryStore["Service"]["readDue"] =>
  Effect.fn("DeliveryStore.readDue")(({ limit, now, partitions, perWebhook, queues }) =>
    Effect.sync(() => {
      const queueOf = new Map(queues.map((queue) => [queue.webhookId, queue]))
      /** Since when a webhook waits: since it was last served, or since its first delivery is due. */
      const since = ([webhookId, rows]: readonly [string, ReadonlyArray<KeptDelivery>]) =>
        Math.max(
          ...rows
            .slice(0, 1)
            .flatMap((row) => [tables.of(row.delivery.tenantId).servedAt.get(webhookId) ?? 0, dueAtOf(row)])
        )
      const own = [...openByWebhook(tables)]
        .filter(([webhookId]) => partitions.includes(partitionOf(webhookId)))
        .sort((one, two) => since(one) - since(two))
      const further = own.filter((one) => !queueOf.has(one[0]) && since(one) <= now).slice(0, limit)
      const deliveries = own.flatMap(([webhookId, rows]) => {
        const { known, room } = queueOf.get(webhookId) ?? { known: new Set(), room: perWebhook }
        const isRead = queueOf.has(webhookId) || further.some(([id]) => id === webhookId)
        const due = rows.filter((row) => dueAtOf(row) <= now && !known.has(row.delivery.id))
        return isRead ? due.slice(0, room).map(({ delivery }) => delivery) : []
      })
      const later = own.flatMap(([, rows]) => rows.map(dueAtOf)).filter((dueAt) => dueAt > now)
      return {
        deliveries,
        isLimited: further.length === limit,
        nextDueAt: later.length === 0 ? null : Math.min(...later)
      }
    })
  )

export const webhooks = ({ of }: Tables): DeliveryStore["Service"]["webhooks"] =>
  Effect.fn("DeliveryStore.webhooks")((keys) =>
    Effect.sync(
      () =>
        new Map(
          keys.map(({ tenantId, webhookId }) => {
            const found = Option.fromUndefinedOr(rowOf(of(tenantId), Webhook, webhookId))
            const living = Option.filter(found, ({ deletedAt }) => deletedAt === null)
            return [webhookId, Result.succeed(Option.map(living, ({ fields }) => fields))]
          })
        )
    )
  )
