import { assert, describe } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/DeliveryStore"
import { Webhook } from "@wcs/domain/Webhook"
import { Effect, Option, Result } from "effect"
import {
  answered,
  begin,
  beginAll,
  claim,
  draft,
  idsOf,
  listed,
  nothingDue,
  putWebhook,
  settle
} from "./DeliveryFixtures.ts"
import { remove, type StoresTest, start } from "./Fixtures.ts"
import { leaseMillis } from "./VerificationFixtures.ts"

const late = start + 1000

const idsOfDrafts = (drafts: ReadonlyArray<{ readonly id: string }>) => drafts.map(({ id }) => id)

const leaseTests = (it: StoresTest): void => {
  it.effect("hands out what is due, the longest due first, with its webhook as it is by then", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 2)
      assert.deepStrictEqual(yield* claim(start - 1), { claimed: [], nextDueAt: start })
      const { claimed, nextDueAt } = yield* claim(start)
      assert.deepStrictEqual(idsOf(claimed), idsOfDrafts(drafts.slice(0, 1)))
      assert.deepStrictEqual(claimed[0]?.webhook, Result.succeed(Option.some(webhook.fields)))
      assert.strictEqual(claimed[0]?.delivery.body, drafts[0]?.body)
      assert.strictEqual(nextDueAt, start + 1)
      yield* remove(Webhook, webhook.tenantId, webhook.webhookId)
      const rest = yield* claim(late)
      assert.deepStrictEqual(idsOf(rest.claimed), idsOfDrafts(drafts.slice(1)))
      assert.deepStrictEqual(rest.claimed[0]?.webhook, Result.succeed(Option.none()))
    })
  )

  it.effect(
    "says when something may be claimed next: what is claimed, when its lease ends; null, where all is over",
    () =>
      Effect.gen(function* () {
        yield* nothingDue
        assert.deepStrictEqual(yield* claim(late), { claimed: [], nextDueAt: null })
        const webhook = yield* putWebhook()
        yield* begin(webhook)
        const { claimed, nextDueAt } = yield* claim(start)
        assert.strictEqual(nextDueAt, start + leaseMillis)
        yield* settle(claimed.map((one) => answered(one, 200, start)))
        assert.deepStrictEqual(yield* claim(late), { claimed: [], nextDueAt: null })
      })
  )

  it.effect("is due again when its lease has run out; who held it before settles nothing", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const [one] = yield* begin(webhook)
      const [first] = (yield* claim(start)).claimed
      assert.deepStrictEqual((yield* claim(start + leaseMillis - 1)).claimed, [])
      const [second] = (yield* claim(start + leaseMillis)).claimed
      assert.isDefined(first)
      assert.isDefined(second)
      if (first === undefined || second === undefined) return
      assert.strictEqual(second.delivery.id, one?.id)
      assert.deepStrictEqual(yield* settle([answered(first, 200, late)]), [])
      assert.deepStrictEqual(
        (yield* listed(webhook)).map(({ attemptCount, state }) => [attemptCount, state]),
        [[0, "PENDING"]]
      )
      assert.lengthOf(yield* settle([answered(second, 200, late)]), 1)
      assert.deepStrictEqual((yield* listed(webhook))[0]?.state, "DELIVERED")
      assert.deepStrictEqual(yield* settle([answered(second, 500, late)]), [])
    })
  )

  it.effect("is due at once when it was given back; another's is not given back", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 2)
      const { claimed } = yield* claim(late)
      yield* store.release(
        claimed.map((one) => ({ ...one, lease: "another" })),
        late
      )
      assert.deepStrictEqual((yield* claim(late)).claimed, [])
      yield* store.release(claimed, late)
      yield* store.release([], late)
      const again = yield* claim(late)
      assert.deepStrictEqual(idsOf(again.claimed), idsOfDrafts(drafts))
      assert.deepStrictEqual(again.claimed[0]?.delivery.attempts, [])
    })
  )

  it.effect("hands out nothing twice, to however many at once", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhooks = yield* Effect.forEach(Array.from({ length: 4 }), () => putWebhook())
      const drafts = (yield* Effect.forEach(webhooks, (webhook) => begin(webhook, 6))).flat()
      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => claim(late, { limit: 5 })),
        { concurrency: "unbounded" }
      )
      const rest = yield* claim(late)
      const taken = [...claims, rest].flatMap(({ claimed }) => idsOf(claimed))
      assert.sameMembers(taken, idsOfDrafts(drafts))
      assert.lengthOf(taken, drafts.length)
      for (const { claimed } of claims) assert.isAtMost(claimed.length, 5)
    })
  )
}

const fairnessTests = (it: StoresTest): void => {
  it.effect("of a webhook no more are claimed at once than it may have, by whomever; a settled one makes place", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 7)
      const first = yield* claim(late, { limit: 2, perWebhook: 3 })
      const second = yield* claim(late, { perWebhook: 3 })
      assert.deepStrictEqual([first.claimed.length, second.claimed.length], [2, 1])
      assert.strictEqual(second.nextDueAt, late + leaseMillis)
      assert.deepStrictEqual((yield* claim(late, { perWebhook: 3 })).claimed, [])
      yield* settle(first.claimed.slice(0, 1).map((one) => answered(one, 200, late)))
      const third = yield* claim(late, { perWebhook: 3 })
      assert.deepStrictEqual(idsOf(third.claimed), idsOfDrafts(drafts.slice(3, 4)))
      // The leases of the first claim's other one and of the second's run out together.
      const later = yield* claim(late + leaseMillis, { perWebhook: 3 })
      assert.lengthOf(later.claimed, 3)
    })
  )

  it.effect("one that is due at 10,000 delays nobody, and is looked at in vain by nobody", () =>
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
      const taken: Array<string> = [...idsOf(first.claimed)]
      for (let turn = 0; turn < 3; turn++) taken.push(...idsOf((yield* claim(late, { limit: 30 })).claimed))
      assert.includeMembers(taken, idsOfDrafts(few))
      assert.lengthOf(taken, few.length + 8)
      assert.strictEqual((yield* claim(late)).nextDueAt, late + leaseMillis)
    })
  )

  it.effect("with one place at a time, webhooks take turns: none waits until another has nothing left", () =>
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
      }
      const round = [busy, ...quiet].map(({ webhookId }) => webhookId)
      assert.sameMembers(served.slice(0, 4), round)
      assert.sameMembers(served.slice(4), round)
    })
  )

  it.effect("of what it hands out, each webhook has its share: the first of each, then the second of each", () =>
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

/** What `DeliveryStore.claim` promises. */
export const deliveryClaimSuite = (it: StoresTest): void => {
  describe("DeliveryStore.claim, and leases", () => leaseTests(it))
  describe("DeliveryStore.claim, fairly", () => fairnessTests(it))
}
