import { assert, describe } from "@effect/vitest"
import { type Delivery, type DeliveryState, deliveryStates } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore, type Redrive, type WebhookKey } from "@wcs/domain/webhook/DeliveryStore"
import { Effect } from "effect"
import { auditEntry, freshTenant, start, type TenantTest } from "../Fixtures.ts"
import { answered, begin, idsOf, listed, putWebhook, readDue, settle, settledAs } from "./DeliveryFixtures.ts"

const redriveTests = (it: TenantTest): void => {
  const failed: ReadonlyArray<DeliveryState> = ["FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"]
  const anyTime = { from: null, to: null, deliveryIds: null, limit: 100 }
  const late = start + 60_000

  const redriven = (webhookId: string, at: number) =>
    auditEntry(webhookId, { action: "redrive", entityType: "webhook", at })

  const redrive = Effect.fnUntraced(function* (
    { tenantId, webhookId }: WebhookKey,
    chosen: Partial<Redrive> = {},
    now = late
  ) {
    const store = yield* DeliveryStore
    return yield* store.redrive(
      tenantId,
      webhookId,
      { states: failed, ...anyTime, ...chosen },
      redriven(webhookId, now)
    )
  })

  it("counts what a redrive would match, up to the limit, and changes nothing", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const neighbour = yield* putWebhook(webhook.tenantId)
    for (const state of failed) yield* settledAs(webhook, state)
    yield* settledAs(webhook, "DELIVERED")
    yield* settledAs(neighbour, "EXHAUSTED")
    const before = yield* listed(webhook)
    const count = (chosen: Partial<Redrive>) =>
      store.countRedrive(webhook.tenantId, webhook.webhookId, { states: failed, ...anyTime, ...chosen }, late)
    const [first, last] = [before[0], before.at(-1)]
    assert.strictEqual(yield* count({}), 3)
    assert.strictEqual(yield* count({ limit: 3 }), 3)
    assert.strictEqual(yield* count({ limit: 2 }), 2)
    assert.strictEqual(yield* count({ limit: 1 }), 1)
    assert.strictEqual(yield* count({ states: deliveryStates }), 4)
    assert.strictEqual(yield* count({ to: first?.createdAt ?? 0 }), 0)
    assert.strictEqual(yield* count({ from: first?.createdAt ?? 0, to: late }), 3)
    assert.strictEqual(yield* count({ states: deliveryStates, deliveryIds: [last?.id ?? "", first?.id ?? ""] }), 2)
    assert.deepStrictEqual(yield* listed(webhook), before)
    assert.strictEqual((yield* redrive(webhook)).redriven, 3)
    assert.strictEqual(yield* count({}), 0)
  })

  it("leaves a webhook without matching deliveries behind the due ones", function* () {
    const idle = yield* putWebhook()
    yield* settledAs(idle, "DELIVERED")
    assert.strictEqual((yield* redrive(idle)).redriven, 0)
    const due = yield* putWebhook()
    const [waiting] = yield* begin(due, 1, late + 1)
    const { deliveries } = yield* readDue(late + 1, { limit: 1 })
    assert.deepStrictEqual(idsOf(deliveries), [waiting?.id ?? ""])
    yield* settle(
      deliveries.map((one) => answered(one, 200, late + 1)),
      late + 1
    )
    assert.deepStrictEqual(yield* readDue(late + 2, { limit: 1 }), {
      deliveries: [],
      isLimited: false,
      nextDueAt: null
    })
  })

  it("makes matching deliveries due now, with the same body, id and attempts, and no failures", function* () {
    const webhook = yield* putWebhook()
    const neighbour = yield* putWebhook(webhook.tenantId)
    for (const state of failed) yield* settledAs(webhook, state)
    yield* settledAs(webhook, "DELIVERED")
    yield* settledAs(neighbour, "EXHAUSTED")
    const before = yield* listed(webhook)
    assert.deepStrictEqual(yield* redrive(webhook), { redriven: 3, hasMore: false })
    const after = before.map((one) =>
      one.state === "DELIVERED" ? one : { ...one, state: "PENDING", failures: 0, dueAt: late, deliveredAt: null }
    )
    assert.deepStrictEqual(yield* listed(webhook), after as ReadonlyArray<Delivery>)
    assert.deepStrictEqual(
      idsOf((yield* readDue(late)).deliveries),
      before.slice(0, 3).map(({ id }) => id)
    )
  })

  it("redrives a delivery once with concurrent calls", function* () {
    const webhook = yield* putWebhook()
    for (let count = 0; count < 5; count++) yield* settledAs(webhook, "SKIPPED_DISABLED")
    const done = yield* Effect.all(
      Array.from({ length: 4 }, () => redrive(webhook, { limit: 3 })),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(
      done.reduce((sum, { redriven }) => sum + redriven, 0),
      5
    )
  })

  it("matches the time range and the ids, oldest first, up to the limit", function* () {
    const webhook = yield* putWebhook()
    const ids: Array<string> = []
    for (const later of [0, 10, 20, 30]) ids.push(yield* settledAs(webhook, "EXHAUSTED", start + later))
    const [first = "", second = "", third = "", fourth = ""] = ids
    assert.deepStrictEqual(yield* redrive(webhook, { from: start + 10, to: start + 30, limit: 1 }), {
      redriven: 1,
      hasMore: true
    })
    const one = (yield* readDue(late)).deliveries
    assert.deepStrictEqual(idsOf(one), [second])
    assert.deepStrictEqual(yield* redrive(webhook, { to: start }), { redriven: 0, hasMore: false })
    assert.deepStrictEqual(yield* redrive(webhook, { deliveryIds: [first, fourth], from: start + 1 }), {
      redriven: 1,
      hasMore: false
    })
    const two = (yield* readDue(late, { known: one })).deliveries
    assert.deepStrictEqual(idsOf(two), [fourth])
    assert.deepStrictEqual(yield* redrive(webhook, { states: [] }), { redriven: 0, hasMore: false })
    assert.deepStrictEqual(yield* redrive({ ...webhook, tenantId: freshTenant() }), { redriven: 0, hasMore: false })
    assert.deepStrictEqual(yield* redrive(webhook, { limit: 2 }), { redriven: 2, hasMore: false })
    assert.deepStrictEqual(idsOf((yield* readDue(late, { known: [...one, ...two] })).deliveries), [first, third])
  })
}

/** The contract of `DeliveryStore.redrive`. */
export const deliveryRedriveSuite = (it: TenantTest): void => {
  describe("DeliveryStore.redrive", () => redriveTests(it))
}
