import { assert, describe } from "@effect/vitest"
import type { Instant } from "@wcs/domain/shared/Instant"
import { type ClaimedDelivery, DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Effect } from "effect"
import fc from "fast-check"
import { auditEntry, type StoresTest, start } from "../Fixtures.ts"
import { check } from "../Property.ts"
import {
  answered,
  begin,
  leaseMillis,
  leasesOf,
  nothingDue,
  putWebhook,
  type Receiver,
  settle
} from "./DeliveryFixtures.ts"

type Step =
  | { readonly _tag: "Begin"; readonly webhook: number; readonly count: number }
  | { readonly _tag: "Claim"; readonly worker: number; readonly limit: number; readonly acquires: boolean }
  /** Settles every n-th unsettled delivery of a worker: delivered, or retried after `retryAfter`. */
  | { readonly _tag: "Settle"; readonly worker: number; readonly every: number; readonly retryAfter: number | null }
  | { readonly _tag: "Redrive"; readonly webhook: number; readonly limit: number }
  | { readonly _tag: "Wait"; readonly millis: number }

const webhooks = 3
const workers = 2

const webhook = fc.nat(webhooks - 1)
const worker = fc.nat(workers - 1)

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ _tag: fc.constant("Begin" as const), webhook, count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    _tag: fc.constant("Claim" as const),
    worker,
    limit: fc.integer({ min: webhooks, max: 9 }),
    acquires: fc.boolean()
  }),
  fc.record({
    _tag: fc.constant("Settle" as const),
    worker,
    every: fc.integer({ min: 1, max: 2 }),
    retryAfter: fc.option(fc.integer({ min: 1, max: 40 }))
  }),
  fc.record({ _tag: fc.constant("Redrive" as const), webhook, limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    _tag: fc.constant("Wait" as const),
    millis: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: leaseMillis }))
  })
)

/** A delivery in the model: when it is due, null when finished, and its attempt count. */
interface Modelled {
  readonly webhookId: string
  dueAt: Instant | null
  attemptCount: number
}

interface ModelledLease {
  readonly worker: number
  until: Instant
}

const isDue = ({ dueAt }: Modelled, now: Instant) => dueAt !== null && dueAt <= now

/** Checks the contract of claims over sequential steps of several workers. */
const run = Effect.fnUntraced(function* (
  receivers: ReadonlyArray<Receiver>,
  perWebhook: number,
  steps: ReadonlyArray<Step>
) {
  const store = yield* DeliveryStore
  const model = new Map<string, Modelled>()
  const leases = new Map<string, ModelledLease>()
  const unsettled: Array<ReadonlyArray<ClaimedDelivery>> = Array.from({ length: workers }, () => [])
  /** The deliveries that each worker has settled since its last claim. */
  const settled: Array<ReadonlyArray<ClaimedDelivery>> = Array.from({ length: workers }, () => [])
  let now = start
  const ofWebhook = (webhookId: string) => [...model].filter(([, one]) => one.webhookId === webhookId)
  const receiverAt = (index: number) => receivers[index] ?? { tenantId: "", webhookId: "" }
  const hasOf = (worker: number, webhookId: string) =>
    (unsettled[worker] ?? []).filter(({ delivery }) => delivery.webhookId === webhookId)

  /** Applies a claim to the leases of a worker. */
  const renewLeases = (worker: number) => {
    for (const { webhookId } of receivers) {
      const lease = leases.get(webhookId)
      const isKnown = [...(unsettled[worker] ?? []), ...(settled[worker] ?? [])].some(
        ({ delivery }) => delivery.webhookId === webhookId
      )
      if (lease?.worker !== worker || !isKnown) continue
      if (hasOf(worker, webhookId).length === 0) leases.delete(webhookId)
      else if (lease.until <= now + 0.75 * leaseMillis) lease.until = now + leaseMillis
    }
  }

  const claimStep = Effect.fnUntraced(function* (worker: number, limit: number, acquires: boolean) {
    const given = leasesOf(unsettled[worker] ?? [], perWebhook, now, settled[worker])
    renewLeases(worker)
    const places = receivers.map(({ webhookId }) => {
      const lease = leases.get(webhookId)
      const own = hasOf(worker, webhookId)
      const isFree = lease === undefined || (lease.worker !== worker && lease.until <= now)
      const ids = own.map(({ delivery }) => delivery.id)
      const due = ofWebhook(webhookId).filter(([id, one]) => isDue(one, now) && !ids.includes(id))
      const isForIt = lease?.worker === worker || (acquires && isFree)
      return { webhookId, due, room: isForIt ? Math.max(0, perWebhook - own.length) : 0 }
    })
    const request = { now, holder: `worker ${worker}`, leaseMillis, leases: given, limit, perWebhook, acquires }
    const made = yield* store.claim(request)
    const most = places.reduce((sum, { due, room }) => sum + Math.min(room, due.length), 0)
    assert.lengthOf(made.claimed, Math.min(limit, most), "claims all that it can")
    const next: Array<Instant> = []
    for (const { due, room, webhookId } of places) {
      const own = made.claimed.filter(({ delivery }) => delivery.webhookId === webhookId)
      assert.isAtMost(own.length, room, "claims no more than the room")
      const dueAt = (id: string) => model.get(id)?.dueAt ?? Number.NaN
      assert.deepStrictEqual(
        own.map(({ delivery }) => dueAt(delivery.id)).toSorted((one, two) => one - two),
        due
          .map(([id]) => dueAt(id))
          .toSorted((one, two) => one - two)
          .slice(0, own.length),
        "longest due first"
      )
      for (const { delivery } of own) {
        assert.isTrue(
          due.some(([id]) => id === delivery.id),
          "claims due deliveries that no other worker has"
        )
      }
      if (own.length > 0 && leases.get(webhookId)?.worker !== worker) {
        leases.set(webhookId, { worker, until: now + leaseMillis })
      }
      const lease = leases.get(webhookId)
      const known = [...hasOf(worker, webhookId), ...own].map(({ delivery }) => delivery.id)
      const waiting = ofWebhook(webhookId).flatMap(([id, one]) => (known.includes(id) ? [] : (one.dueAt ?? [])))
      const isOpen = ofWebhook(webhookId).some(([, one]) => one.dueAt !== null)
      if (isOpen && lease !== undefined && lease.until > now) next.push(lease.until)
      if (lease === undefined || lease.until <= now || (lease.worker === worker && room > own.length))
        next.push(...waiting)
    }
    if (next.length > 0) {
      assert.isAtMost(made.nextDueAt ?? Number.NaN, Math.max(now, Math.min(...next)), "nextDueAt is never too late")
    }
    unsettled[worker] = [...(unsettled[worker] ?? []), ...made.claimed]
    settled[worker] = []
  })

  const settleStep = Effect.fnUntraced(function* (worker: number, every: number, retryAfter: number | null) {
    const chosen = (unsettled[worker] ?? []).filter((_, index) => index % every === 0)
    const delays = retryAfter === null ? [] : Array(99).fill(retryAfter)
    const settlements = chosen.map((each) => answered(each, retryAfter === null ? 200 : 500, now, delays))
    yield* settle(settlements, now)
    for (const { claimed, delivery } of settlements) {
      const known = model.get(delivery.id)
      const { attemptCount, dueAt } = claimed.delivery
      if (known === undefined || known.dueAt !== dueAt || known.attemptCount !== attemptCount) continue
      Object.assign(known, { dueAt: delivery.dueAt, attemptCount: delivery.attemptCount })
    }
    unsettled[worker] = (unsettled[worker] ?? []).filter((each) => !chosen.includes(each))
    settled[worker] = [...(settled[worker] ?? []), ...chosen]
  })

  const redriveStep = Effect.fnUntraced(function* ({ tenantId, webhookId }: Receiver, limit: number) {
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
      case "Claim":
        yield* claimStep(one.worker, one.limit, one.acquires)
        break
      case "Settle":
        yield* settleStep(one.worker, one.every, one.retryAfter)
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
export const deliveryModelSuite = (it: StoresTest): void => {
  describe("DeliveryStore, over random steps", () => {
    it.effect("returns all claimable deliveries and no others, longest due first, and fills each place once", () =>
      check(
        fc.tuple(fc.integer({ min: 1, max: 4 }), fc.array(step, { minLength: 1, maxLength: 25 })),
        ([perWebhook, steps]) =>
          Effect.gen(function* () {
            yield* nothingDue
            const receivers = yield* Effect.forEach(Array.from({ length: webhooks }), () => putWebhook())
            yield* run(receivers, perWebhook, steps)
          }),
        { numRuns: 60 }
      )
    )
  })
}
