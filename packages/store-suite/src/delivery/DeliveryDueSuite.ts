import { assert, describe } from "@effect/vitest"
import { skipped } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Option, Result } from "effect"
import { freshTenant, remove, start, type TenantTest } from "../Fixtures.ts"
import { answered, begin, beginAll, draft, idsOf, listed, putWebhook, readDue, settle } from "./DeliveryFixtures.ts"

const late = start + 1000

const nothing = { deliveries: [], isLimited: false, nextDueAt: null }

const dueTests = (it: TenantTest): void => {
  it("returns due deliveries, longest due first, and when the next one is due", function* () {
    assert.deepStrictEqual(yield* readDue(late), nothing)
    const webhook = yield* putWebhook()
    const drafts = yield* begin(webhook, 2)
    assert.deepStrictEqual(yield* readDue(start - 1), { ...nothing, nextDueAt: start })
    const { deliveries, nextDueAt } = yield* readDue(start)
    assert.deepStrictEqual(idsOf(deliveries), idsOf(drafts.slice(0, 1)))
    assert.deepStrictEqual(deliveries, (yield* listed(webhook)).slice(0, 1))
    assert.strictEqual(nextDueAt, start + 1)
    assert.deepStrictEqual(idsOf((yield* readDue(late)).deliveries), idsOf(drafts))
    yield* settle(deliveries.map((one) => answered(one, 200, start)))
    const { deliveries: rest } = yield* readDue(late)
    yield* settle(rest.map((one) => answered(one, 200, late)))
    assert.deepStrictEqual(yield* readDue(late), nothing)
  })

  it("returns the current webhooks, and none for a deleted one", function* () {
    const { webhooks } = yield* DeliveryStore
    const [one, other] = [yield* putWebhook(), yield* putWebhook()]
    yield* remove(Webhook, other.tenantId, other.webhookId)
    const strange = { tenantId: freshTenant(), webhookId: one.webhookId }
    assert.deepStrictEqual(
      [...(yield* webhooks([one, other]))],
      [
        [one.webhookId, Result.succeed(Option.some(one.fields))],
        [other.webhookId, Result.succeed(Option.none())]
      ]
    )
    assert.deepStrictEqual([...(yield* webhooks([strange]))], [[one.webhookId, Result.succeed(Option.none())]])
    assert.strictEqual((yield* webhooks([])).size, 0)
  })

  it("ignores a result when another worker skipped the delivery, or attempted it and it is due as before", function* () {
    const webhook = yield* putWebhook()
    yield* begin(webhook, 2)
    const { deliveries } = yield* readDue(start + 1)
    yield* settle([
      ...deliveries.slice(0, 1).map((before) => ({ before, delivery: skipped(before), succeeded: null })),
      ...deliveries.slice(1).map((one) => answered(one, 500, start + 1, [0]))
    ])
    assert.deepStrictEqual(yield* settle(deliveries.map((one) => answered(one, 204, start + 1))), [])
    assert.deepStrictEqual(
      (yield* listed(webhook)).map(({ dueAt, state }) => [state, dueAt]),
      [
        ["SKIPPED_DISABLED", null],
        ["FAILED_RETRYABLE", start + 1]
      ]
    )
  })
}

const fairnessTests = (it: TenantTest): void => {
  it("does not let 10,000 due deliveries of one webhook delay others", function* () {
    const slow = yield* putWebhook()
    yield* beginAll(Array.from({ length: 10_000 }, (_, index) => draft(slow, { createdAt: start - 10_000 + index })))
    const others = yield* Effect.forEach(Array.from({ length: 20 }), () => putWebhook())
    const few = (yield* Effect.forEach(others, (webhook) => begin(webhook, 2))).flat()
    const { deliveries } = yield* readDue(late)
    assert.includeMembers([...idsOf(deliveries)], [...idsOf(few)])
    assert.lengthOf(deliveries, few.length + 8)
    assert.deepStrictEqual(yield* readDue(late, { known: deliveries }), nothing)
  })

  it("lets webhooks take turns when the limit is one", function* () {
    const busy = yield* putWebhook()
    yield* begin(busy, 20, start - 20)
    const quiet = yield* Effect.forEach([0, 1, 2], () => putWebhook())
    yield* Effect.forEach(quiet, (webhook) => begin(webhook, 2))
    const served: Array<string> = []
    for (let turn = 0; turn < 8; turn++) {
      const { deliveries, isLimited } = yield* readDue(late + turn, { limit: 1, perWebhook: 1 })
      assert.isTrue(isLimited)
      served.push(...deliveries.map(({ webhookId }) => webhookId))
      yield* settle(
        deliveries.map((one) => answered(one, 200, late + turn)),
        late + turn
      )
    }
    const round = [busy, ...quiet].map(({ webhookId }) => webhookId)
    assert.sameMembers(served.slice(0, 4), round)
    assert.sameMembers(served.slice(4), round)
  })

  it("returns the longest-waiting of further webhooks when the worker knows many", function* () {
    const webhooks = yield* Effect.forEach([0, 1, 2, 3], () => putWebhook())
    yield* Effect.forEach(webhooks, (webhook, index) => begin(webhook, 3, start + index * 10))
    const webhooksOf = (deliveries: ReadonlyArray<{ readonly webhookId: string }>) => [
      ...new Set(deliveries.map((one) => webhooks.findIndex(({ webhookId }) => webhookId === one.webhookId)))
    ]
    const first = yield* readDue(late, { limit: 2, perWebhook: 2 })
    assert.deepStrictEqual([webhooksOf(first.deliveries), first.isLimited], [[0, 1], true])
    const known = first.deliveries
    const second = yield* readDue(late, { limit: 1, perWebhook: 2, known })
    assert.deepStrictEqual([webhooksOf(second.deliveries), second.isLimited], [[2], true])
    const third = yield* readDue(late, { limit: 2, perWebhook: 2, known: [...known, ...second.deliveries] })
    assert.deepStrictEqual([webhooksOf(third.deliveries), third.isLimited], [[3], false])
  })
}

/** The contract of `DeliveryStore.readDue`. */
export const deliveryDueSuite = (it: TenantTest): void => {
  describe("DeliveryStore.readDue and webhooks", () => dueTests(it))
  describe("DeliveryStore.readDue, fairness", () => fairnessTests(it))
}
