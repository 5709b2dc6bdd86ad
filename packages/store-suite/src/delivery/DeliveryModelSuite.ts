import { assert, describe } from "@effect/vitest"
import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore, type WebhookKey } from "@wcs/domain/webhook/DeliveryStore"
import { Effect } from "effect"
import fc from "fast-check"
import { auditEntry, start, type TenantTest } from "../Fixtures.ts"
import { check } from "../Property.ts"
import { allPartitions, answered, begin, nothingDue, putWebhook, readDue, settle } from "./DeliveryFixtures.ts"

type Step =
  | { readonly _tag: "Begin"; readonly webhook: number; readonly count: number }
  /** Reads what is due in the partitions of some webhooks. */
  | { readonly _tag: "Read"; readonly worker: number; readonly of: ReadonlyArray<number> }
  /** Settles every n-th known delivery of a worker: delivered, or retried after `retryAfter`. */
  | { readonly _tag: "Settle"; readonly worker: number; readonly every: number; readonly retryAfter: number | null }
  /** Forgets the known deliveries of a worker, as a crash does. */
  | { readonly _tag: "Forget"; readonly worker: number }
  | { readonly _tag: "Redrive"; readonly webhook: number; readonly limit: number }
  | { readonly _tag: "Wait"; readonly millis: number }

const webhooks = 3
const workers = 2

const webhook = fc.nat(webhooks - 1)
const worker = fc.nat(workers - 1)

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ _tag: fc.constant("Begin" as const), webhook, count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ _tag: fc.constant("Read" as const), worker, of: fc.uniqueArray(webhook) }),
  fc.record({
    _tag: fc.constant("Settle" as const),
    worker,
    every: fc.integer({ min: 1, max: 2 }),
    retryAfter: fc.option(fc.integer({ min: 1, max: 40 }))
  }),
  fc.record({ _tag: fc.constant("Forget" as const), worker }),
  fc.record({ _tag: fc.constant("Redrive" as const), webhook, limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ _tag: fc.constant("Wait" as const), millis: fc.integer({ min: 1, max: 50 }) })
)

/** A delivery in the model: when it is due, null when finished, and its attempt count. */
interface Modelled {
  readonly webhookId: string
  dueAt: Instant | null
  attemptCount: number
}

const isDue = ({ dueAt }: Modelled, now: Instant) => dueAt !== null && dueAt <= now

/** Checks the contract over sequential steps of several workers, also when they read the same partitions. */
const run = Effect.fnUntraced(function* (
  receivers: ReadonlyArray<WebhookKey>,
  perWebhook: number,
  steps: ReadonlyArray<Step>
) {
  const store = yield* DeliveryStore
  const model = new Map<string, Modelled>()
  const known: Array<ReadonlyArray<Delivery>> = Array.from({ length: workers }, () => [])
  let now = start
  const ofWebhook = (webhookId: string) => [...model].filter(([, one]) => one.webhookId === webhookId)
  const receiverAt = (index: number) => receivers[index] ?? { tenantId: "", webhookId: "" }

  const readStep = Effect.fnUntraced(function* (worker: number, of: ReadonlyArray<number>) {
    const partitions = allPartitions.filter((partition) =>
      of.some((index) => partitionOf(receiverAt(index).webhookId) === partition)
    )
    const isOwn = ({ webhookId }: { readonly webhookId: string }) => partitions.includes(partitionOf(webhookId))
    const before = (known[worker] ?? []).filter(isOwn)
    const made = yield* readDue(now, { partitions, perWebhook, known: before })
    const next: Array<Instant> = []
    for (const { webhookId } of receivers) {
      const own = made.deliveries.filter((one) => one.webhookId === webhookId)
      const isKnown = new Set(before.filter((one) => one.webhookId === webhookId).map(({ id }) => id))
      const room = isOwn({ webhookId }) ? Math.max(0, perWebhook - isKnown.size) : 0
      const open = ofWebhook(webhookId).filter(([id, { dueAt }]) => dueAt !== null && !isKnown.has(id))
      const due = open.filter(([, one]) => isDue(one, now))
      assert.isTrue(
        own.every(({ id }) => due.some(([other]) => other === id)),
        "returns due deliveries that the worker does not know"
      )
      assert.deepStrictEqual(
        own.map(({ id }) => model.get(id)?.dueAt),
        due
          .map(([, { dueAt }]) => dueAt)
          .toSorted((one, two) => (one ?? 0) - (two ?? 0))
          .slice(0, room),
        "all that fit the room, longest due first"
      )
      const later = open.flatMap(([, { dueAt }]) => (dueAt !== null && dueAt > now ? dueAt : []))
      if (room > own.length) next.push(...later)
    }
    if (next.length > 0) assert.isAtMost(made.nextDueAt ?? Number.NaN, Math.min(...next), "nextDueAt is not too late")
    known[worker] = [...before, ...made.deliveries]
  })

  const settleStep = Effect.fnUntraced(function* (worker: number, every: number, retryAfter: number | null) {
    const chosen = (known[worker] ?? []).filter((_, index) => index % every === 0)
    const delays = retryAfter === null ? [] : Array(99).fill(retryAfter)
    const settlements = chosen.map((each) => answered(each, retryAfter === null ? 200 : 500, now, delays))
    yield* settle(settlements, now)
    for (const { before, delivery } of settlements) {
      const one = model.get(delivery.id)
      if (one === undefined || one.dueAt !== before.dueAt || one.attemptCount !== before.attemptCount) continue
      Object.assign(one, { dueAt: delivery.dueAt, attemptCount: delivery.attemptCount })
    }
    known[worker] = (known[worker] ?? []).filter((each) => !chosen.includes(each))
  })

  const redriveStep = Effect.fnUntraced(function* ({ tenantId, webhookId }: WebhookKey, limit: number) {
    const free = ofWebhook(webhookId).filter(([, { dueAt }]) => dueAt === null || dueAt > now)
    const states = ["DELIVERED", "FAILED_RETRYABLE", "PENDING"] as const
    const chosen = { states, from: null, to: null, deliveryIds: null, limit }
    const audit = auditEntry(webhookId, { entityType: "webhook", at: now })
    const done = yield* store.redrive(tenantId, webhookId, chosen, audit)
    assert.deepStrictEqual(done, { redriven: Math.min(limit, free.length), hasMore: free.length > limit })
    for (const [, each] of free.slice(0, limit)) each.dueAt = now
  })

  for (const one of steps) {
    switch (one._tag) {
      case "Begin":
        for (const { createdAt, id, webhookId } of yield* begin(receiverAt(one.webhook), one.count, now)) {
          model.set(id, { webhookId, dueAt: createdAt, attemptCount: 0 })
        }
        now += one.count
        break
      case "Read":
        yield* readStep(one.worker, one.of)
        break
      case "Settle":
        yield* settleStep(one.worker, one.every, one.retryAfter)
        break
      case "Forget":
        known[one.worker] = []
        break
      case "Redrive":
        yield* redriveStep(receiverAt(one.webhook), one.limit)
        break
      case "Wait":
        now += one.millis
    }
  }
})

/** The contract of `DeliveryStore` under random steps. */
export const deliveryModelSuite = (it: TenantTest): void => {
  describe("DeliveryStore, over random steps", () => {
    it("returns all unknown due deliveries that fit and no others, longest due first", function* () {
      yield* check(
        fc.tuple(fc.integer({ min: 1, max: 4 }), fc.array(step, { minLength: 1, maxLength: 25, size: "max" })),
        ([perWebhook, steps]) =>
          Effect.gen(function* () {
            yield* nothingDue
            const receivers = yield* Effect.forEach(Array.from({ length: webhooks }), () => putWebhook())
            yield* run(receivers, perWebhook, steps)
          }),
        { numRuns: 60 }
      )
    })
  })
}
