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

/** The age of what was read of the webhook. After a clock step back it is read again. */
const ageOf = ({ freshFrom }: Queue, now: Instant): number =>
  now < freshFrom ? Number.POSITIVE_INFINITY : now - freshFrom

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
  /** When the webhook was requested from the store. */
  readAt: Instant
  /** When the store returned the webhook. A slow read does not shorten its use. */
  freshFrom: Instant
}

/**
 * The deliveries that were read ahead, by webhook. Tenants take turns, and the webhooks of each tenant. `perWebhook`
 * limits the attempts in flight of one webhook. As many further results may wait to be stored.
 */
export class Queues {
  readonly #perWebhook: number
  readonly #isActive: (partition: number) => boolean
  readonly #queues = new Map<string, Queue>()
  /** The queues that may have a delivery to attempt, in turn, by tenant. */
  readonly #turns = new Map<string, Set<Queue>>()
  /** Whether a read would let more attempts start. */
  isWanting = false
  /** Whether a webhook may have changed during the read of webhooks. */
  #isExpired = false

  /** `isActive`: whether attempts of a partition may start. */
  constructor(perWebhook: number, isActive: (partition: number) => boolean) {
    this.#perWebhook = perWebhook
    this.#isActive = isActive
  }

  /** The partitions with unsettled deliveries. */
  busy(): ReadonlySet<number> {
    const busy = new Set<number>()
    for (const { partition, unsettled } of this.#queues.values()) if (unsettled.size > 0) busy.add(partition)
    return busy
  }

  /** The queues in active partitions, with the room for more deliveries. */
  known(): ReadonlyArray<KnownQueue> {
    if (this.#queues.size >= webhooksMax) this.#drop(({ unsettled }) => unsettled.size === 0)
    return [...this.#queues.values()]
      .filter(({ partition }) => this.#isActive(partition))
      .map((queue) => {
        const room = this.#roomIn(queue)
        const known = room === 0 ? none : new Set([...queue.unsettled, ...queue.ready.map(({ id }) => id)])
        return { tenantId: queue.tenantId, webhookId: queue.webhookId, known, room }
      })
  }

  /** Adds the deliveries of a read that was made with `known`. */
  add(known: ReadonlyArray<KnownQueue>, deliveries: ReadonlyArray<Delivery>): void {
    const rooms = new Map(known.map(({ room, webhookId }) => [webhookId, room]))
    for (const { room, webhookId } of known) {
      const queue = this.#queues.get(webhookId)
      if (queue !== undefined && room > 0) queue.hasMore = false
    }
    for (const [webhookId, [first, ...others]] of Map.groupBy(deliveries, (one) => one.webhookId)) {
      // A partition that was released during the read may return, after another worker has sent these deliveries.
      if (first === undefined || !this.#isActive(partitionOf(webhookId))) continue
      const queue = this.#queueOf(first)
      queue.ready.push(first, ...others)
      queue.hasMore = others.length + 1 >= (rooms.get(webhookId) ?? this.#perWebhook)
    }
  }

  /** The webhooks that must be read before deliveries to them are attempted. */
  stale(now: Instant): ReadonlyArray<WebhookKey> {
    this.#isExpired = false
    return [...this.#queues.values()].filter((queue) => queue.ready.length > 0 && ageOf(queue, now) >= freshMillis / 2)
  }

  /**
   * Records what was read of webhooks: requested at `readAt`, and returned `now`. If a webhook changed during the read,
   * attempts start anyway, so that frequent changes do not stop deliveries. The next round then reads all again.
   */
  refresh(webhooks: Webhooks, readAt: Instant, now: Instant): void {
    const freshFrom = this.#isExpired ? now - freshMillis / 2 : now
    for (const [webhookId, webhook] of webhooks) {
      const queue = this.#queues.get(webhookId)
      if (queue !== undefined) Object.assign(queue, { webhook, readAt, freshFrom })
    }
    this.isWanting = this.#isExpired && webhooks.size > 0
    for (const queue of this.#queues.values()) this.#enqueue(queue)
  }

  /** Requires that webhooks are read again before the next attempt, because one may have changed. */
  expire(): void {
    this.#isExpired = true
    for (const queue of this.#queues.values()) queue.freshFrom = Number.NEGATIVE_INFINITY
  }

  /** The next delivery to attempt, in turn. */
  next(now: Instant): ClaimedDelivery | undefined {
    const queue = this.#nextQueue(now)
    const delivery = queue?.ready.shift()
    if (queue === undefined || delivery === undefined) return undefined
    queue.inFlight += 1
    queue.unsettled.add(delivery.id)
    if (queue.hasMore && this.#roomIn(queue) > 0) this.isWanting = true
    this.#enqueue(queue)
    return { delivery, webhook: queue.webhook, readAt: queue.readAt }
  }

  /** Records that an attempt ended. Its place is free. */
  attemptEnded(delivery: Delivery): void {
    const queue = this.#queueOf(delivery)
    queue.inFlight -= 1
    this.#enqueue(queue)
  }

  /** Records that a result is stored. */
  settled(delivery: Delivery): void {
    const queue = this.#queueOf(delivery)
    queue.unsettled.delete(delivery.id)
    if (queue.ready.length + queue.unsettled.size === 0) this.#queues.delete(queue.webhookId)
    this.#enqueue(queue)
  }

  /** Drops deliveries that are not in flight, except in these partitions. */
  retain(isLeased: (partition: number) => boolean): void {
    this.#drop(({ partition }) => !isLeased(partition))
  }

  #queueOf({ tenantId, webhookId }: WebhookKey): Queue {
    const known = this.#queues.get(webhookId)
    if (known !== undefined) return known
    const queue: Queue = {
      tenantId,
      webhookId,
      partition: partitionOf(webhookId),
      ready: [],
      unsettled: new Set(),
      inFlight: 0,
      hasMore: false,
      webhook: Result.succeed(Option.none()),
      readAt: Number.NEGATIVE_INFINITY,
      freshFrom: Number.NEGATIVE_INFINITY
    }
    this.#queues.set(webhookId, queue)
    return queue
  }

  #isReady({ inFlight, ready, unsettled }: Queue): boolean {
    return ready.length > 0 && inFlight < this.#perWebhook && unsettled.size < 2 * this.#perWebhook
  }

  #enqueue(queue: Queue): void {
    if (!this.#isReady(queue)) return
    const ofTenant = this.#turns.get(queue.tenantId)
    if (ofTenant === undefined) this.#turns.set(queue.tenantId, new Set([queue]))
    else ofTenant.add(queue)
  }

  /** The first queue in turn that has a delivery to attempt. Takes it out of the turns. */
  #nextQueue(now: Instant): Queue | undefined {
    for (const [tenantId, ofTenant] of this.#turns) {
      this.#turns.delete(tenantId)
      for (const queue of ofTenant) {
        ofTenant.delete(queue)
        if (!this.#isReady(queue) || !this.#isActive(queue.partition)) continue
        if (ageOf(queue, now) < freshMillis) {
          if (ofTenant.size > 0) this.#turns.set(tenantId, ofTenant)
          return queue
        }
        this.isWanting = true
      }
    }
    return undefined
  }

  /** The most deliveries to read ahead of each webhook now. */
  #ahead(): number {
    const fairShare = Math.floor(aheadMax / Math.max(1, this.#queues.size))
    return Math.max(this.#perWebhook, Math.min(aheadPerWebhook, fairShare))
  }

  #roomIn({ hasMore, ready }: Queue): number {
    const ahead = this.#ahead()
    return hasMore && ready.length >= ahead / 2 ? 0 : Math.max(0, ahead - ready.length)
  }

  #drop(isDropped: (queue: Queue) => boolean): void {
    for (const queue of this.#queues.values()) {
      if (!isDropped(queue)) continue
      queue.ready.length = 0
      queue.hasMore = false
      if (queue.unsettled.size === 0) this.#queues.delete(queue.webhookId)
    }
  }
}
