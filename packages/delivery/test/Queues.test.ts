import { assert, describe, it } from "@effect/vitest"
import { Queues } from "@wcs/delivery/Queues"
import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import { Option, Result } from "effect"
import { idOf, webhookIdOf } from "./Seeds.ts"

const perWebhook = 8

/** The m-th delivery of the n-th webhook, of tenant n modulo 2 unless named. */
const delivery = (n: number, m: number, tenantId = `tenant ${n % 2}`): Delivery => ({
  id: idOf("delivery", 1000 * n + m),
  tenantId,
  webhookId: webhookIdOf(n),
  eventId: idOf("event", m),
  subjectId: idOf("credential", m),
  kind: "credential.verified",
  correlationId: null,
  state: "PENDING",
  body: "{}",
  attemptCount: 0,
  failures: 0,
  attempts: [],
  lastResponse: null,
  traceparent: null,
  dueAt: 0,
  createdAt: 0,
  deliveredAt: null
})

const several = (n: number, count: number, tenantId?: string) =>
  Array.from({ length: count }, (_, m) => delivery(n, m, tenantId))

/** Queues with these deliveries, whose webhooks were read at time 0. */
const queuesWith = (deliveries: ReadonlyArray<Delivery>, isActive: (partition: number) => boolean = () => true) => {
  const queues = new Queues(perWebhook, isActive)
  queues.add(queues.known(), deliveries)
  refresh(queues, 0)
  return queues
}

const refresh = (queues: Queues, now: number) =>
  queues.refresh(
    new Map(queues.stale(now).map(({ webhookId }) => [webhookId, Result.succeed(Option.none())])),
    now,
    now
  )

/** Takes up to `most` deliveries, and returns them. */
const take = (queues: Queues, most = 1000, now = 0): ReadonlyArray<Delivery> => {
  const taken: Array<Delivery> = []
  while (taken.length < most) {
    const next = queues.next(now)
    if (next === undefined) break
    taken.push(next.delivery)
  }
  return taken
}

describe("deliveries that were read ahead", () => {
  it("take turns by tenant, and by webhook within a tenant", () => {
    const queues = queuesWith([...several(1, 4, "a"), ...several(2, 4, "a"), ...several(3, 4, "b")])
    assert.deepStrictEqual(
      take(queues, 8).map(({ webhookId }) => webhookId),
      [1, 3, 2, 3, 1, 3, 2, 3].map(webhookIdOf)
    )
  })

  it("start 8 attempts of a webhook, and no more than 16 before their results are stored", () => {
    const queues = queuesWith(several(1, 40))
    const first = take(queues)
    assert.lengthOf(first, 8)
    for (const one of first) queues.attemptEnded(one)
    const second = take(queues)
    assert.lengthOf(second, 8)
    for (const one of second) queues.attemptEnded(one)
    assert.lengthOf(take(queues), 0)
    for (const one of first) queues.settled(one)
    assert.deepStrictEqual(take(queues), several(1, 40).slice(16, 24))
  })

  it("are read again, without those that are known, when half of them are attempted", () => {
    const queues = queuesWith(several(1, 8))
    assert.deepStrictEqual(
      queues.known().map(({ known, room }) => [known.size, room]),
      [[8, 56]]
    )
    queues.add(
      queues.known(),
      Array.from({ length: 56 }, (_, m) => delivery(1, 8 + m))
    )
    refresh(queues, 600)
    assert.deepStrictEqual(
      queues.known().map(({ room }) => room),
      [0]
    )
    for (let m = 0; m < 33; m++) {
      assert.isFalse(queues.isWanting)
      for (const one of take(queues, 1, 600)) {
        queues.attemptEnded(one)
        queues.settled(one)
      }
    }
    assert.isTrue(queues.isWanting)
    assert.deepStrictEqual(
      queues.known().map(({ known, room }) => [known.size, room]),
      [[31, 33]]
    )
  })

  it("are bounded: fewer of each webhook when there are many, and no webhook above 1024 without attempts", () => {
    const many = Array.from({ length: 1023 }, (_, n) => several(n, 1)).flat()
    const queues = queuesWith(many)
    const room = Math.max(...queues.known().map((queue) => queue.room))
    assert.strictEqual(room, 7)
    const [first] = take(queues, 1)
    queues.add(queues.known(), several(2000, 1))
    assert.deepStrictEqual(
      queues.known().map(({ webhookId }) => webhookId),
      [first?.webhookId ?? ""]
    )
  })

  it("start only in active partitions, and are dropped when the partition is not leased", () => {
    const partitions = new Set([1, 2].map((n) => partitionOf(webhookIdOf(n))))
    const deliveries = [1, 2, 3].flatMap((n) => several(n, 2))
    const queues = queuesWith(deliveries, (partition) => partitions.has(partition))
    const [first] = take(queues, 1)
    assert.deepStrictEqual(first, delivery(1, 0))
    partitions.delete(partitionOf(webhookIdOf(2)))
    assert.deepStrictEqual(take(queues), [delivery(1, 1)])
    queues.retain((partition) => partitions.has(partition))
    partitions.add(partitionOf(webhookIdOf(2)))
    refresh(queues, 0)
    assert.deepStrictEqual(take(queues), [])
    assert.deepStrictEqual([...queues.busy()], [partitionOf(webhookIdOf(1))])
  })

  it("wait until their webhook is read again after the clock steps back", () => {
    const queues = queuesWith(several(1, 4))
    refresh(queues, 5000)
    assert.lengthOf(take(queues, 1, 5000), 1)
    assert.lengthOf(take(queues, 1, 4999), 0)
    refresh(queues, 4999)
    assert.lengthOf(take(queues, 1, 4999), 1)
  })

  it("wait until a webhook that was not read for a second is read again", () => {
    const queues = queuesWith(several(1, 4))
    assert.lengthOf(take(queues, 1, 999), 1)
    assert.lengthOf(take(queues, 1, 1000), 0)
    assert.isTrue(queues.isWanting)
    refresh(queues, 1000)
    assert.isFalse(queues.isWanting)
    assert.lengthOf(take(queues, 1, 1000), 1)
  })

  it("do not want a read for changed webhooks while no partition is active", () => {
    const queues = new Queues(perWebhook, () => false)
    queues.expire()
    queues.refresh(new Map(), 0, 0)
    assert.isFalse(queues.isWanting)
  })

  it("wait until webhooks are read again after a change, and twice if the change came during a read", () => {
    const queues = queuesWith(several(1, 4))
    queues.expire()
    assert.lengthOf(take(queues, 1), 0)
    const [stale] = queues.stale(0)
    queues.expire()
    queues.refresh(new Map([[String(stale?.webhookId), Result.succeed(Option.none())]]), 0, 0)
    assert.lengthOf(take(queues, 1), 1)
    assert.isTrue(queues.isWanting)
    assert.lengthOf(queues.stale(0), 1)
    refresh(queues, 0)
    assert.isFalse(queues.isWanting)
    assert.lengthOf(queues.stale(0), 0)
  })
})
