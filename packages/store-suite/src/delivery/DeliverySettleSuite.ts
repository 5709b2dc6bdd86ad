import { assert, describe } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { forgiven, initialHealth, type WebhookHealth } from "@wcs/domain/event/WebhookHealth"
import { skipped } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore, type WebhookKey } from "@wcs/domain/webhook/DeliveryStore"
import { type Exchange, exchangesKept } from "@wcs/domain/webhook/Exchange"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Exit, Result } from "effect"
import { auditEntry, auditLog, find, freshTenant, start, type TenantTest } from "../Fixtures.ts"
import {
  answered,
  begin,
  draft,
  listed,
  nothingDue,
  pinged,
  putWebhook,
  readDue,
  settle,
  settledAs
} from "./DeliveryFixtures.ts"

const settleTests = (it: TenantTest): void => {
  it("stores every value of each result, and folds the results into health in order", function* () {
    const store = yield* DeliveryStore
    const [one, two, three] = [yield* putWebhook(), yield* putWebhook(), yield* putWebhook()]
    for (const webhook of [one, two, three]) yield* begin(webhook, 3)
    const { deliveries } = yield* readDue(start + 9)
    const of = ({ webhookId }: WebhookKey) => deliveries.filter((one) => one.webhookId === webhookId)
    const settlements = [
      ...of(one).map((each, index) => answered(each, [200, 503, 404][index] ?? 0, start + 9, [1000])),
      ...of(two).map((each, index) => answered(each, [500, 500, 204][index] ?? 0, start + 9, [1000])),
      ...of(three).map((before) => ({ before, delivery: before, succeeded: null }))
    ]
    const assessed = yield* settle(settlements, start + 9)
    const failing = {
      consecutiveFailures: 2,
      failingSince: start + 9,
      lastSuccessAt: start + 9,
      lastFailure: "HTTP_404"
    }
    assert.deepStrictEqual(
      new Map(assessed.map(({ health, webhookId }) => [webhookId, health])),
      new Map([
        [one.webhookId, { ...failing, lastFailureAt: start + 9 }],
        [
          two.webhookId,
          { ...initialHealth, lastSuccessAt: start + 9, lastFailureAt: start + 9, lastFailure: "HTTP_500" }
        ]
      ])
    )
    for (const webhook of [one, two]) {
      assert.deepStrictEqual(
        yield* listed(webhook),
        settlements.map(({ delivery }) => delivery).filter(({ webhookId }) => webhookId === webhook.webhookId)
      )
    }
    const health = yield* store.health(one.tenantId, [one.webhookId, two.webhookId, "whk_none"])
    assert.deepStrictEqual([...health.keys()], [one.webhookId])
    assert.deepStrictEqual([...(yield* store.health(three.tenantId, [three.webhookId]))], [])
  })

  it("keeps what each of the latest 20 attempts sent and got, of no lost race and of no skipped delivery", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const [{ id } = assert.fail("nothing began")] = yield* begin(webhook)
    const exchanges = store.exchanges(webhook.tenantId, id)
    assert.deepStrictEqual(yield* exchanges, [])
    const told: Array<Exchange> = []
    for (let attempt = 1; attempt <= exchangesKept + 2; attempt++) {
      const [before = assert.fail("nothing is due")] = (yield* readDue(start)).deliveries
      const settlement = answered(before, 500, start, new Array(99).fill(0), `answer ${attempt}`)
      // A second result of one attempt in one batch changes nothing.
      yield* settle([settlement, settlement])
      yield* settle([answered(before, 200, start, [], "of a worker that lost its lease")])
      if (settlement.exchange !== undefined) told.push(settlement.exchange)
    }
    assert.deepStrictEqual(yield* exchanges, told.slice(-exchangesKept))
    const [last] = (yield* readDue(start)).deliveries
    if (last !== undefined) yield* settle([{ before: last, delivery: skipped(last), succeeded: null }])
    assert.lengthOf(yield* exchanges, exchangesKept)
    assert.deepStrictEqual(yield* store.exchanges(freshTenant(), id), [])
  })

  it("threat 69: keeps no answer to the end of an erasure", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const one = draft(webhook, { kind: "worker.erased" })
    yield* store.begin(one, pinged(one))
    yield* settle((yield* readDue(start)).deliveries.map((each) => answered(each, 500, start, [], "Ann is gone")))
    assert.deepStrictEqual(yield* store.exchanges(webhook.tenantId, one.id), [])
    const [kept] = yield* listed(webhook)
    assert.deepInclude(kept, { state: "EXHAUSTED", lastResponse: null, attemptCount: 1 })
  })

  it("stores any text that a receiver may answer", function* () {
    const webhook = yield* putWebhook()
    yield* begin(webhook)
    const { deliveries } = yield* readDue(start)
    const excerpt = "a\u0000b\ud83d c\udc00 '\"\\ \u{1F600}\u2028"
    yield* settle(deliveries.map((each) => ({ ...answered(each, 500, start, [], excerpt), succeeded: false })))
    assert.deepStrictEqual(
      (yield* listed(webhook)).map(({ lastResponse }) => lastResponse),
      ["a\ufffdb\ufffd c\ufffd '\"\\ \u{1F600}\u2028"]
    )
  })
}

const healthTests = (it: TenantTest): void => {
  /** Writes a webhook again, with a change of its health. */
  const change = Effect.fnUntraced(function* (
    { tenantId, webhookId }: WebhookKey,
    health: (before: WebhookHealth) => WebhookHealth
  ) {
    const store = yield* ResourceStore
    yield* store.change(Webhook, tenantId, webhookId, [], ({ current }) =>
      Result.map(
        Result.fromOption(current, () => "gone"),
        (before) => ({
          _tag: "Changed" as const,
          next: { ...before, version: before.version + 1 },
          records: noRecords,
          health
        })
      )
    )
  })

  const healthOf = ({ tenantId, webhookId }: WebhookKey) =>
    DeliveryStore.use((store) => Effect.map(store.health(tenantId, [webhookId]), (found) => found.get(webhookId)))

  it("changes with its webhook, but only after an attempt", function* () {
    const [webhook, other] = [yield* putWebhook(), yield* putWebhook()]
    const never = () => ({ ...initialHealth, lastSuccessAt: 1 })
    yield* change(webhook, never)
    yield* begin(webhook)
    yield* change(webhook, never)
    assert.isUndefined(yield* healthOf(webhook))
    for (const one of [webhook, other]) yield* settledAs(one, "EXHAUSTED")
    yield* change(webhook, forgiven)
    assert.deepStrictEqual(yield* healthOf(webhook), {
      ...initialHealth,
      ...{ lastFailureAt: start, lastFailure: "HTTP_500" }
    })
    assert.strictEqual((yield* healthOf(other))?.consecutiveFailures, 1)
  })

  it("breaks off the change of its webhook when it cannot change", function* () {
    const webhook = yield* putWebhook()
    yield* settledAs(webhook, "EXHAUSTED")
    const before = [yield* healthOf(webhook), yield* find(Webhook, webhook.tenantId, webhook.webhookId)]
    const broken = change(webhook, () => {
      throw new Error("broken off")
    })
    assert.isTrue(Exit.isFailure(yield* Effect.exit(broken)))
    assert.deepStrictEqual(
      [yield* healthOf(webhook), yield* find(Webhook, webhook.tenantId, webhook.webhookId)],
      before
    )
  })
}

const changeTests = (it: TenantTest): void => {
  /** Disables a webhook that has failures. */
  const disable = ({ tenantId, webhookId }: WebhookKey) =>
    DeliveryStore.use((store) =>
      store.changeWebhook(tenantId, webhookId, (current, { consecutiveFailures }) =>
        consecutiveFailures === 0
          ? { _tag: "Unchanged", current }
          : {
              _tag: "Changed",
              next: {
                ...current,
                version: current.version + 1,
                fields: { ...current.fields, status: "AUTO_DISABLED" }
              },
              records: { audit: [auditEntry(webhookId, { action: "auto-disable", entityType: "webhook" })], events: [] }
            }
      )
    )

  const statusOf = ({ tenantId, webhookId }: WebhookKey) =>
    Effect.map(find(Webhook, tenantId, webhookId), (stored) => stored?.fields.status)

  it("changes a webhook by its health, with its records, or not at all", function* () {
    const webhook = yield* putWebhook()
    assert.isFalse(yield* disable(webhook))
    yield* settledAs(webhook, "EXHAUSTED")
    yield* settledAs(webhook, "DELIVERED")
    assert.isFalse(yield* disable(webhook))
    assert.deepStrictEqual(yield* statusOf(webhook), "ACTIVE")
    yield* settledAs(webhook, "EXHAUSTED")
    assert.isTrue(yield* disable(webhook))
    assert.deepStrictEqual(yield* statusOf(webhook), "AUTO_DISABLED")
    assert.include(
      (yield* auditLog(webhook.tenantId)).map(({ action }) => action),
      "auto-disable"
    )
    assert.isFalse(yield* disable({ tenantId: freshTenant(), webhookId: webhook.webhookId }))
  })

  it("reads the health after concurrent successes, so that no change is based on an older health", function* () {
    for (let round = 0; round < 5; round++) {
      yield* nothingDue
      const webhook = yield* putWebhook()
      yield* settledAs(webhook, "EXHAUSTED")
      yield* begin(webhook)
      const { deliveries } = yield* readDue(start)
      const seen: Array<number | "settled"> = []
      const store = yield* DeliveryStore
      const look = store.changeWebhook(webhook.tenantId, webhook.webhookId, (current, { consecutiveFailures }) => {
        seen.push(consecutiveFailures)
        return { _tag: "Changed", next: { ...current, version: current.version + 1 }, records: noRecords }
      })
      const success = settle(deliveries.map((each) => answered(each, 204, start)))
      const succeed = Effect.tap(success, () => Effect.sync(() => seen.push("settled")))
      const looks = Array.from({ length: 8 }, () => look)
      yield* Effect.all([...looks.slice(4), succeed, ...looks], { concurrency: "unbounded" })
      assert.notInclude(seen.slice(seen.indexOf("settled")), 1)
    }
  })
}

/** The contract of `DeliveryStore` for results and the health of webhooks. */
export const deliverySettleSuite = (it: TenantTest): void => {
  describe("DeliveryStore.settle", () => settleTests(it))
  describe("the health of a webhook", () => healthTests(it))
  describe("DeliveryStore.changeWebhook", () => changeTests(it))
}
