import { assert, describe } from "@effect/vitest"
import { skipped } from "@wcs/domain/webhook/Delivery"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Option, Result } from "effect"
import { remove, type StoresTest, start } from "../Fixtures.ts"
import {
  answered,
  begin,
  beginAll,
  claim,
  draft,
  idsOf,
  leaseMillis,
  letGo,
  listed,
  nothingDue,
  putWebhook,
  settle
} from "./DeliveryFixtures.ts"

const late = start + 1000

const idsOfDrafts = (drafts: ReadonlyArray<{ readonly id: string }>) => drafts.map(({ id }) => id)

/** The answer of an empty claim, without `nextDueAt`. */
const nothing = { claimed: [], isLeasedByOthers: false }

const leaseTests = (it: StoresTest): void => {
  it.effect("returns due deliveries, longest due first, with the current webhook", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 2)
      assert.deepStrictEqual(yield* claim(start - 1), { ...nothing, nextDueAt: start })
      const { claimed, nextDueAt } = yield* claim(start)
      assert.deepStrictEqual(idsOf(claimed), idsOfDrafts(drafts.slice(0, 1)))
      assert.deepStrictEqual(claimed[0]?.webhook, Result.succeed(Option.some(webhook.fields)))
      assert.strictEqual(claimed[0]?.delivery.body, drafts[0]?.body)
      assert.strictEqual(nextDueAt, start + 1)
      yield* remove(Webhook, webhook.tenantId, webhook.webhookId)
      const rest = yield* claim(late, { unsettled: claimed })
      assert.deepStrictEqual(idsOf(rest.claimed), idsOfDrafts(drafts.slice(1)))
      assert.deepStrictEqual(rest.claimed[0]?.webhook, Result.succeed(Option.none()))
    })
  )

  it.effect("returns when more may be due: at the end of a lease or the next due time; null when all is finished", () =>
    Effect.gen(function* () {
      yield* nothingDue
      assert.deepStrictEqual(yield* claim(late), { ...nothing, nextDueAt: null })
      const webhook = yield* putWebhook()
      yield* begin(webhook)
      const { claimed, nextDueAt } = yield* claim(start)
      assert.strictEqual(nextDueAt, start + leaseMillis)
      yield* settle(claimed.map((one) => answered(one, 200, start)))
      assert.deepStrictEqual(yield* claim(late, { settled: claimed }), { ...nothing, nextDueAt: null })
    })
  )

  it.effect("gives a leased webhook's deliveries to its worker only, and tells others that it is leased", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      yield* begin(webhook)
      const { claimed } = yield* claim(start)
      const [second] = yield* begin(webhook, 1, start + 1)
      const other = yield* claim(late, { holder: "other" })
      assert.deepStrictEqual(other, { claimed: [], nextDueAt: start + leaseMillis, isLeasedByOthers: true })
      const more = yield* claim(late, { unsettled: claimed })
      assert.deepStrictEqual([idsOf(more.claimed), more.isLeasedByOthers], [[second?.id ?? ""], false])
    })
  )

  it.effect("releases a webhook without unsettled deliveries, for any worker", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 2)
      const { claimed } = yield* claim(late, { limit: 1 })
      yield* settle(claimed.map((one) => answered(one, 200, late)))
      assert.deepStrictEqual((yield* claim(late, { holder: "other" })).claimed, [])
      assert.deepStrictEqual((yield* claim(late, { settled: claimed, acquires: false })).claimed, [])
      const { claimed: others } = yield* claim(late, { holder: "other" })
      assert.deepStrictEqual(idsOf(others), idsOfDrafts(drafts.slice(1)))
      // The released delivery was neither attempted nor settled.
      yield* letGo(others, late, "other")
      assert.deepStrictEqual(idsOf((yield* claim(late)).claimed), idsOfDrafts(drafts.slice(1)))
    })
  )

  it.effect("renews the lease on a claim; a worker that lost its lease gets no more of the webhook", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const [one, , third] = yield* begin(webhook, 3)
      const { claimed } = yield* claim(late, { limit: 1 })
      const kept = late + leaseMillis - 1
      assert.deepStrictEqual((yield* claim(kept, { unsettled: claimed, limit: 0 })).claimed, [])
      assert.deepStrictEqual((yield* claim(kept + leaseMillis - 1, { holder: "other" })).claimed, [])
      const { claimed: others } = yield* claim(kept + leaseMillis, { holder: "other", limit: 2 })
      assert.strictEqual(others[0]?.delivery.id, one?.id)
      assert.deepStrictEqual((yield* claim(kept + leaseMillis, { unsettled: claimed })).claimed, [])
      // The first worker cannot take the lease back once its deliveries are settled.
      yield* letGo(claimed, kept + leaseMillis)
      assert.deepStrictEqual((yield* claim(kept + leaseMillis)).claimed, [])
      const rest = yield* claim(kept + leaseMillis, { holder: "other", unsettled: others })
      assert.deepStrictEqual(idsOf(rest.claimed), third === undefined ? [] : [third.id])
    })
  )

  it.effect("renews an expired lease that no other worker took", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 3)
      const { claimed } = yield* claim(late, { limit: 1 })
      const again = yield* claim(late + leaseMillis, { unsettled: claimed, perWebhook: 2, acquires: false })
      assert.deepStrictEqual(idsOf(again.claimed), idsOfDrafts(drafts.slice(1, 2)))
      assert.deepStrictEqual((yield* claim(late + leaseMillis, { holder: "other" })).claimed, [])
    })
  )

  it.effect("counts only the first stored result when two workers made the same attempt", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      yield* begin(webhook, 2)
      const { claimed } = yield* claim(late)
      const { claimed: others } = yield* claim(late + leaseMillis, { holder: "other" })
      assert.lengthOf(yield* settle(claimed.slice(0, 1).map((one) => answered(one, 500, late, [1]))), 1)
      assert.lengthOf(yield* settle(others.map((one) => answered(one, 204, late))), 1)
      assert.deepStrictEqual(
        (yield* listed(webhook)).map(({ attemptCount, state }) => [attemptCount, state]),
        [
          [1, "FAILED_RETRYABLE"],
          [1, "DELIVERED"]
        ]
      )
      assert.deepStrictEqual(yield* settle(claimed.map((one) => answered(one, 500, late))), [])
    })
  )

  it.effect("ignores a result when another worker skipped the delivery, or attempted it and it is due as before", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      yield* begin(webhook, 2)
      const { claimed } = yield* claim(start + 1)
      const { claimed: others } = yield* claim(start + 1 + leaseMillis, { holder: "other" })
      yield* settle([
        ...others.slice(0, 1).map((one) => ({ claimed: one, delivery: skipped(one.delivery), succeeded: null })),
        ...others.slice(1).map((one) => answered(one, 500, start + 1, [0]))
      ])
      assert.deepStrictEqual(yield* settle(claimed.map((one) => answered(one, 204, start + 1))), [])
      assert.deepStrictEqual(
        (yield* listed(webhook)).map(({ dueAt, state }) => [state, dueAt]),
        [
          ["SKIPPED_DISABLED", null],
          ["FAILED_RETRYABLE", start + 1]
        ]
      )
    })
  )

  it.effect("does not return in-flight deliveries after regaining a lost lease, nor more than the limit", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 6)
      const { claimed } = yield* claim(late, { limit: 3, perWebhook: 4 })
      const { claimed: others } = yield* claim(late + leaseMillis, { holder: "other" })
      yield* letGo(others, late + leaseMillis, "other")
      const again = yield* claim(late + leaseMillis, { unsettled: claimed, perWebhook: 4 })
      assert.deepStrictEqual(idsOf(again.claimed), idsOfDrafts(drafts.slice(3, 4)))
      assert.deepStrictEqual((yield* claim(late + leaseMillis, { holder: "other" })).claimed, [])
    })
  )

  it.effect("returns nothing twice to concurrent workers", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhooks = yield* Effect.forEach(Array.from({ length: 4 }), () => putWebhook())
      const drafts = (yield* Effect.forEach(webhooks, (webhook) => begin(webhook, 6))).flat()
      const holders = Array.from({ length: 8 }, (_, index) => `worker ${index}`)
      const claims = yield* Effect.forEach(holders, (holder) => claim(late, { holder, limit: 5 }), {
        concurrency: "unbounded"
      })
      for (const { claimed } of claims) assert.isAtMost(claimed.length, 5)
      const rest = yield* Effect.forEach(
        holders,
        (holder, index) => claim(late, { holder, unsettled: claims[index]?.claimed ?? [] }),
        { concurrency: "unbounded" }
      )
      const taken = [...claims, ...rest].flatMap(({ claimed }) => idsOf(claimed))
      assert.sameMembers(taken, idsOfDrafts(drafts))
      assert.lengthOf(taken, drafts.length)
    })
  )
}

const fairnessTests = (it: StoresTest): void => {
  it.effect("limits the unsettled deliveries of a webhook; a settled one frees a place", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 7)
      const first = (yield* claim(late, { limit: 2, perWebhook: 3 })).claimed
      const second = yield* claim(late, { perWebhook: 3, unsettled: first })
      assert.deepStrictEqual([first.length, second.claimed.length], [2, 1])
      assert.strictEqual(second.nextDueAt, late + leaseMillis)
      const all = [...first, ...second.claimed]
      assert.deepStrictEqual((yield* claim(late, { perWebhook: 3, unsettled: all })).claimed, [])
      yield* settle(first.slice(0, 1).map((one) => answered(one, 200, late)))
      const third = yield* claim(late, { perWebhook: 3, unsettled: all.slice(1) })
      assert.deepStrictEqual(idsOf(third.claimed), idsOfDrafts(drafts.slice(3, 4)))
      const later = yield* claim(late + leaseMillis, { perWebhook: 3, holder: "other" })
      assert.deepStrictEqual(idsOf(later.claimed), idsOfDrafts(drafts.slice(1, 4)))
    })
  )

  it.effect("does not let 10,000 due deliveries of one webhook delay others", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const slow = yield* putWebhook()
      const many = Array.from({ length: 10_000 }, (_, index) => draft(slow, { createdAt: start - 10_000 + index }))
      yield* beginAll(many)
      const others = yield* Effect.forEach(Array.from({ length: 20 }), () => putWebhook())
      const few = (yield* Effect.forEach(others, (webhook) => begin(webhook, 2))).flat()
      const first = yield* claim(late, { limit: 30 })
      const bySlow = first.claimed.filter(({ delivery }) => delivery.webhookId === slow.webhookId)
      assert.isAtMost(bySlow.length, 8)
      let taken = first.claimed
      for (let turn = 0; turn < 3; turn++) {
        taken = [...taken, ...(yield* claim(late, { limit: 30, unsettled: taken })).claimed]
      }
      assert.includeMembers([...idsOf(taken)], idsOfDrafts(few))
      assert.lengthOf(taken, few.length + 8)
      assert.strictEqual((yield* claim(late, { unsettled: taken })).nextDueAt, late + leaseMillis)
    })
  )

  it.effect("with one place at a time, lets webhooks take turns", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const busy = yield* putWebhook()
      yield* begin(busy, 20, start - 20)
      const quiet = yield* Effect.forEach([0, 1, 2], () => putWebhook())
      yield* Effect.forEach(quiet, (webhook) => begin(webhook, 2))
      const served: Array<string> = []
      for (let turn = 0; turn < 8; turn++) {
        const { claimed } = yield* claim(late + turn, { limit: 1 })
        served.push(...claimed.map(({ delivery }) => delivery.webhookId))
        yield* settle(claimed.map((one) => answered(one, 200, late + turn)))
        yield* letGo(claimed, late + turn)
      }
      const round = [busy, ...quiet].map(({ webhookId }) => webhookId)
      assert.sameMembers(served.slice(0, 4), round)
      assert.sameMembers(served.slice(4), round)
    })
  )

  it.effect("prefers a waiting webhook to a leased one that was served since", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const busy = yield* putWebhook()
      yield* begin(busy, 5, start - 20)
      const { claimed } = yield* claim(start, { limit: 1 })
      const quiet = yield* putWebhook()
      yield* begin(quiet, 1, start - 1)
      const next = yield* claim(start + 1, { limit: 1, unsettled: claimed })
      assert.deepStrictEqual(
        next.claimed.map(({ delivery }) => delivery.webhookId),
        [quiet.webhookId]
      )
    })
  )

  it.effect("returns the first delivery of each webhook, then the second of each", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhooks = yield* Effect.forEach([0, 1, 2], () => putWebhook())
      yield* Effect.forEach(webhooks, (webhook, index) => begin(webhook, 5, start + index * 10))
      const { claimed } = yield* claim(late, { limit: 7 })
      assert.deepStrictEqual(
        claimed.map(({ delivery }) => webhooks.findIndex(({ webhookId }) => webhookId === delivery.webhookId)),
        [0, 1, 2, 0, 1, 2, 0]
      )
    })
  )
}

/** The contract of `DeliveryStore.claim`. */
export const deliveryClaimSuite = (it: StoresTest): void => {
  describe("DeliveryStore.claim, leases", () => leaseTests(it))
  describe("DeliveryStore.claim, fairness", () => fairnessTests(it))
}
