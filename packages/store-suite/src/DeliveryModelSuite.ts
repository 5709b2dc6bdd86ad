import { assert, describe } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/DeliveryStore"
import type { Instant } from "@wcs/domain/Instant"
import { Effect } from "effect"
import fc from "fast-check"
import { answered, begin, nothingDue, putWebhook, type Receiver, settle } from "./DeliveryFixtures.ts"
import { auditEntry, type StoresTest, start } from "./Fixtures.ts"
import { check } from "./Property.ts"
import { freshLease } from "./VerificationFixtures.ts"

type Step =
  | { readonly _tag: "Begin"; readonly webhook: number; readonly count: number }
  | { readonly _tag: "Claim"; readonly limit: number; readonly leaseMillis: number }
  /** Of what is claimed every so manieth is settled: delivered, or to be tried again after so long. */
  | { readonly _tag: "Settle"; readonly every: number; readonly retryAfter: number | null }
  | { readonly _tag: "Release"; readonly every: number }
  | { readonly _tag: "Redrive"; readonly webhook: number; readonly limit: number }
  | { readonly _tag: "Wait"; readonly millis: number }

const webhooks = 3

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    _tag: fc.constant("Begin" as const),
    webhook: fc.nat(webhooks - 1),
    count: fc.integer({ min: 1, max: 6 })
  }),
  fc.record({
    _tag: fc.constant("Claim" as const),
    limit: fc.integer({ min: webhooks, max: 9 }),
    leaseMillis: fc.integer({ min: 1, max: 60 })
  }),
  fc.record({
    _tag: fc.constant("Settle" as const),
    every: fc.integer({ min: 1, max: 3 }),
    retryAfter: fc.option(fc.integer({ min: 1, max: 40 }))
  }),
  fc.record({ _tag: fc.constant("Release" as const), every: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    _tag: fc.constant("Redrive" as const),
    webhook: fc.nat(webhooks - 1),
    limit: fc.integer({ min: 1, max: 4 })
  }),
  fc.record({ _tag: fc.constant("Wait" as const), millis: fc.integer({ min: 1, max: 50 }) })
)

/** A delivery as the model has it: when it can be claimed, null where it is over, and whose it is at the moment. */
interface Modelled {
  readonly webhookId: string
  dueAt: Instant | null
  lease: string | null
}

const isHeld = ({ dueAt, lease }: Modelled, now: Instant) => lease !== null && dueAt !== null && dueAt > now
const isDue = ({ dueAt }: Modelled, now: Instant) => dueAt !== null && dueAt <= now

/** What claims promise, over a program of steps of one worker after another. */
const run = Effect.fnUntraced(function* (
  receivers: ReadonlyArray<Receiver>,
  perWebhook: number,
  steps: ReadonlyArray<Step>
) {
  const store = yield* DeliveryStore
  const model = new Map<string, Modelled>()
  let claimed: ReadonlyArray<Parameters<typeof answered>[0]> = []
  let now = start
  const ofWebhook = (webhookId: string) => [...model.values()].filter((one) => one.webhookId === webhookId)
  const receiverAt = (index: number) => receivers[index] ?? { tenantId: "", webhookId: "" }

  const claimStep = Effect.fnUntraced(function* (limit: number, leaseMillis: number) {
    const places = receivers.map(({ webhookId }) => {
      const all = ofWebhook(webhookId)
      const free = Math.max(0, perWebhook - all.filter((one) => isHeld(one, now)).length)
      return Math.min(free, all.filter((one) => isDue(one, now)).length)
    })
    const lease = freshLease()
    const made = yield* store.claim({ now, lease, leaseMillis, limit, perWebhook })
    assert.lengthOf(
      made.claimed,
      Math.min(
        limit,
        places.reduce((sum, count) => sum + count, 0)
      ),
      "all that can be is"
    )
    for (const [index, { webhookId }] of receivers.entries()) {
      const own = made.claimed.filter(({ delivery }) => delivery.webhookId === webhookId)
      assert.isAtMost(own.length, places[index] ?? 0, "no more than there are places")
      const due = ofWebhook(webhookId).flatMap((one) => (isDue(one, now) ? [one.dueAt ?? 0] : []))
      const taken = own.map(({ delivery }) => model.get(delivery.id)?.dueAt ?? Number.NaN)
      const first = due.toSorted((one, two) => one - two).slice(0, own.length)
      assert.deepStrictEqual(
        taken.toSorted((one, two) => one - two),
        first,
        "the longest due first"
      )
    }
    for (const { delivery } of made.claimed) {
      const one = model.get(delivery.id)
      assert.isTrue(one !== undefined && isDue(one, now), "claimed what is another's")
      if (one !== undefined) Object.assign(one, { dueAt: now + leaseMillis, lease })
    }
    claimed = [...claimed, ...made.claimed]
    const next = receivers.flatMap(({ webhookId }) => {
      const open = ofWebhook(webhookId).filter(({ dueAt }) => dueAt !== null)
      const held = open.filter((one) => isHeld(one, now))
      const candidates = held.length >= perWebhook ? held : open
      return candidates.length === 0 ? [] : [Math.min(...candidates.map(({ dueAt }) => dueAt ?? 0))]
    })
    if (next.length === 0) assert.isNull(made.nextDueAt)
    else assert.isAtMost(made.nextDueAt ?? Number.NaN, Math.max(now, ...[Math.min(...next)]), "never later than it is")
  })

  for (const one of steps) {
    switch (one._tag) {
      case "Begin":
        for (const { createdAt, id, webhookId } of yield* begin(receiverAt(one.webhook), one.count, now)) {
          model.set(id, { webhookId, dueAt: createdAt, lease: null })
        }
        now += one.count
        break
      case "Claim":
        yield* claimStep(one.limit, one.leaseMillis)
        break
      case "Settle": {
        const chosen = claimed.filter((_, index) => index % one.every === 0)
        const status = one.retryAfter === null ? 200 : 500
        const settlements = chosen.map((each) =>
          answered(each, status, now, one.retryAfter === null ? [] : Array(99).fill(one.retryAfter))
        )
        yield* settle(settlements, now)
        for (const { delivery, lease } of settlements) {
          const known = model.get(delivery.id)
          if (known?.lease === lease) Object.assign(known, { dueAt: delivery.dueAt, lease: null })
        }
        claimed = claimed.filter((each) => !chosen.includes(each))
        break
      }
      case "Release": {
        const chosen = claimed.filter((_, index) => index % one.every === 0)
        yield* store.release(chosen, now)
        for (const { delivery, lease } of chosen) {
          const known = model.get(delivery.id)
          if (known?.lease === lease) Object.assign(known, { dueAt: now, lease: null })
        }
        claimed = claimed.filter((each) => !chosen.includes(each))
        break
      }
      case "Redrive": {
        const { tenantId, webhookId } = receiverAt(one.webhook)
        const free = [...model.values()].filter(
          (each) => each.webhookId === webhookId && each.lease === null && (each.dueAt === null || each.dueAt > now)
        )
        const chosen = {
          states: ["DELIVERED", "FAILED_RETRYABLE", "PENDING"] as const,
          from: null,
          to: null,
          deliveryIds: null,
          limit: one.limit
        }
        const audit = auditEntry(webhookId, { entityType: "webhook", at: now })
        const done = yield* store.redrive(tenantId, webhookId, chosen, audit)
        assert.deepStrictEqual(done, {
          redriven: Math.min(one.limit, free.length),
          hasMore: free.length > one.limit
        })
        for (const each of free.slice(0, one.limit)) each.dueAt = now
        break
      }
      case "Wait":
        now += one.millis
    }
  }
})

/** What `DeliveryStore` promises whatever happens in whatever order. */
export const deliveryModelSuite = (it: StoresTest): void => {
  describe("DeliveryStore, over random steps", () => {
    it.effect("hands out all that can be claimed and nothing else, the longest due first, and each place once", () =>
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
