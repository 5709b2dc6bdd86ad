import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import type { KnownQueue, WebhookKey, Webhooks } from "@wcs/domain/webhook/DeliveryStore"
import { Option, Result } from "effect"
import type { ClaimedDelivery } from "./Attempting.ts"

/** The most deliveries to read ahead of one webhook, and about as many of all. */
const aheadPerWebhook = 64
const aheadMax = 4096

/** The most webhooks to read ahead of. Above it, those without attempts are dropped and read again in turn. */
const webhooksMax = 1024

/** How long a webhook is used before it is read again. */
const freshMillis = 1000

const none: ReadonlySet<string> = new Set()

interface Queue extends WebhookKey {
  readonly partition: number
  /** Deliveries that are not attempted yet, first due first. */
  readonly ready: Array<Delivery>
  /** Ids of the deliveries in flight, and of those whose results are not stored. */
  readonly unsettled: Set<string>
  inFlight: number
  /** The last read may have left due deliveries behind. */
  hasMore: boolean
  webhook: ClaimedDelivery["webhook"]
  /** When the webhook was read. */
  readAt: Instant
}

/**
 * The deliveries that were read ahead, by webhook. Tenants take turns, and the webhooks of each tenant. `perWebhook`
 * limits the attempts in flight of one webhook. As many further results may wait to be stored.
 */
export const make = (perWebhook: number, isActive: (partition: number) => boolean) => {
  const queues = new Map<string, Queue>()
  /** The queues that may have a delivery to attempt, in turn, by tenant. */
  const turns = new Map<string, Set<Queue>>()
  let isWanting = false

  const isReady = ({ inFlight, ready, unsettled }: Queue): boolean =>
    ready.length > 0 && inFlight < perWebhook && unsettled.size < 2 * perWebhook

  const enqueue = (queue: Queue): void => {
    if (!isReady(queue)) return
    const ofTenant = turns.get(queue.tenantId)
    if (ofTenant === undefined) turns.set(queue.tenantId, new Set([queue]))
    else ofTenant.add(queue)
  }

  const queueOf = ({ tenantId, webhookId }: WebhookKey): Queue => {
    const known = queues.get(webhookId)
    if (known !== undefined) return known
    const partition = partitionOf(webhookId)
    const state = { inFlight: 0, hasMore: false, webhook: Result.succeed(Option.none()), readAt: -freshMillis }
    const queue: Queue = { tenantId, webhookId, partition, ready: [], unsettled: new Set(), ...state }
    queues.set(webhookId, queue)
    return queue
  }

  const ahead = (): number =>
    Math.max(perWebhook, Math.min(aheadPerWebhook, Math.floor(aheadMax / Math.max(1, queues.size))))

  const roomIn = ({ hasMore, ready }: Queue): number =>
    hasMore && ready.length >= ahead() / 2 ? 0 : Math.max(0, ahead() - ready.length)

  const drop = (isDropped: (queue: Queue) => boolean): void => {
    for (const queue of queues.values()) {
      if (!isDropped(queue)) continue
      queue.ready.length = 0
      queue.hasMore = false
      if (queue.unsettled.size === 0) queues.delete(queue.webhookId)
    }
  }

  /** The first queue in turn that has a delivery to attempt. Takes it out of the turns. */
  const nextQueue = (now: Instant): Queue | undefined => {
    for (const [tenantId, ofTenant] of turns) {
      for (const queue of ofTenant) {
        ofTenant.delete(queue)
        if (!isReady(queue) || !isActive(queue.partition)) continue
        if (now - queue.readAt >= freshMillis) {
          isWanting = true
          continue
        }
        turns.delete(tenantId)
        if (ofTenant.size > 0) turns.set(tenantId, ofTenant)
        return queue
      }
      turns.delete(tenantId)
    }
    return undefined
  }

  return {
    /** The partitions with unsettled deliveries. */
    busy: (): ReadonlySet<number> =>
      new Set([...queues.values()].flatMap(({ partition, unsettled }) => (unsettled.size > 0 ? partition : []))),

    /** The queues in leased partitions, with the room for more deliveries. */
    known: (): ReadonlyArray<KnownQueue> => {
      if (queues.size >= webhooksMax) drop(({ unsettled }) => unsettled.size === 0)
      return [...queues.values()]
        .filter(({ partition }) => isActive(partition))
        .map((queue) => {
          const room = roomIn(queue)
          const known = room === 0 ? none : new Set([...queue.unsettled, ...queue.ready.map(({ id }) => id)])
          return { tenantId: queue.tenantId, webhookId: queue.webhookId, known, room }
        })
    },

    /** Adds the deliveries of a read that was made with `known`. */
    add: (known: ReadonlyArray<KnownQueue>, deliveries: ReadonlyArray<Delivery>): void => {
      const found = Map.groupBy(deliveries, ({ webhookId }) => webhookId)
      const rooms = new Map(known.map(({ room, webhookId }) => [webhookId, room]))
      for (const [webhookId, some] of found) {
        const queue = some[0] === undefined ? undefined : queueOf(some[0])
        if (queue === undefined) continue
        queue.ready.push(...some)
        queue.hasMore = some.length >= (rooms.get(webhookId) ?? perWebhook)
      }
      for (const { room, webhookId } of known) {
        const queue = queues.get(webhookId)
        if (queue !== undefined && room > 0 && !found.has(webhookId)) queue.hasMore = false
      }
    },

    /** The webhooks that must be read before deliveries to them are attempted. */
    stale: (now: Instant): ReadonlyArray<WebhookKey> =>
      [...queues.values()].filter(({ readAt, ready }) => ready.length > 0 && now - readAt >= freshMillis / 2),

    /** Records what was read of webhooks. */
    refresh: (webhooks: Webhooks, now: Instant): void => {
      for (const [webhookId, webhook] of webhooks) {
        const queue = queues.get(webhookId)
        if (queue !== undefined) Object.assign(queue, { webhook, readAt: now })
      }
      isWanting = false
      for (const queue of queues.values()) enqueue(queue)
    },

    /** The next delivery to attempt, in turn. */
    next: (now: Instant): ClaimedDelivery | undefined => {
      const queue = nextQueue(now)
      const delivery = queue?.ready.shift()
      if (queue === undefined || delivery === undefined) return undefined
      queue.inFlight += 1
      queue.unsettled.add(delivery.id)
      if (queue.hasMore && roomIn(queue) > 0) isWanting = true
      enqueue(queue)
      return { delivery, webhook: queue.webhook, readAt: queue.readAt }
    },

    /** Whether a read would let more attempts start. */
    isWanting: (): boolean => isWanting,

    /** Records that an attempt ended. Its place is free. */
    attemptEnded: (delivery: Delivery): void => {
      const queue = queueOf(delivery)
      queue.inFlight -= 1
      enqueue(queue)
    },

    /** Records that a result is stored, or that the worker abandoned the delivery. */
    settled: (delivery: Delivery): void => {
      const queue = queueOf(delivery)
      queue.unsettled.delete(delivery.id)
      if (queue.ready.length + queue.unsettled.size === 0) queues.delete(queue.webhookId)
      enqueue(queue)
    },

    /** Drops deliveries that are not in flight, except in these partitions. */
    retain: (isLeased: (partition: number) => boolean): void => drop(({ partition }) => !isLeased(partition))
  }
}

export type Queues = ReturnType<typeof make>
