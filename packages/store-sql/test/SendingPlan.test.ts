import { assert, layer } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential } from "@wcs/domain/holding/Credential"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { type DeliveryState, deliveryStates } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import {
  answered,
  assessAt,
  beginAll,
  draft,
  fanOutOf,
  nothingDue,
  putWebhook,
  readDue
} from "@wcs/store-suite/delivery/DeliveryFixtures"
import {
  auditEntry,
  created,
  credentialFields,
  eventDraft,
  freshTenant,
  mint,
  put,
  start
} from "@wcs/store-suite/Fixtures"
import {
  ask,
  byWorker,
  concludeBy,
  concluded,
  dueRuns,
  noRuns,
  putAsked
} from "@wcs/store-suite/verification/VerificationFixtures"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { assertInOrder, lookupsOf, planOf, type Ran, recording, tableScansOf } from "./recording.ts"
import { store } from "./temporary.ts"

const page = {
  conditions: [],
  direction: "desc",
  pageSize: 25,
  after: undefined,
  includeDeleted: false,
  includeTotal: true
} as const

const assertLookedUp = Effect.fnUntraced(function* (ran: ReadonlyArray<Ran>) {
  for (const statement of ran) {
    const plan = yield* planOf(statement)
    assert.deepStrictEqual(tableScansOf(plan), [], `${statement.text}\n${plan.join("\n")}`)
  }
})

/** Deliveries and runs of another tenant, with statistics that could mislead the planner. */
const fill = Effect.gen(function* () {
  const webhook = yield* putWebhook()
  const many = Array.from({ length: 500 }, (_, index) => draft(webhook, { createdAt: start + 1_000_000 + index }))
  yield* beginAll(many)
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const events = Array.from({ length: 500 }, () => eventDraft(row.id, "credential.created"))
  yield* put(Credential, webhook.tenantId, row, { ...noRecords, events })
  yield* nothingDue
  const others = yield* Effect.forEach(Array.from({ length: 100 }), () => putWebhook())
  yield* beginAll(others.map((other) => draft(other, { createdAt: start + 1_000_000 })))
  for (let count = 0; count < 50; count++) yield* putAsked(freshTenant(), start + 1_000_000)
  yield* (yield* SqlClient.SqlClient)`ANALYZE`
})

/** A webhook with so many due deliveries. */
const dueTo = Effect.fnUntraced(function* (count: number) {
  yield* nothingDue
  const webhook = yield* putWebhook()
  yield* beginAll(Array.from({ length: count }, () => draft(webhook)))
  return webhook
})

/** A tenant with a webhook and so many pending events. */
const waiting = Effect.fnUntraced(function* (count: number) {
  yield* nothingDue
  const webhook = yield* putWebhook()
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const events = Array.from({ length: count }, () => eventDraft(row.id, "credential.created"))
  yield* put(Credential, webhook.tenantId, row, { ...noRecords, events })
  return webhook
})

for (const [state, stores] of [
  ["an empty store", store],
  ["a store with statistics", Layer.provideMerge(Layer.effectDiscard(fill), store)]
] as const) {
  layer(stores)(`how deliveries and verifications are reached in ${state}`, (it) => {
    it.effect(
      "reads any number of due deliveries with four statements, and settles with three; each uses an index",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* DeliveryStore
          for (const count of [1, 2, 100]) {
            yield* nothingDue
            const webhooks = yield* Effect.forEach(Array.from({ length: Math.min(count, 3) }), () => putWebhook())
            for (const webhook of webhooks) yield* beginAll(Array.from({ length: count }, () => draft(webhook)))
            const read = yield* recording(readDue(start, { perWebhook: 200 }))
            assert.lengthOf(read.answer.deliveries, count * webhooks.length)
            assert.lengthOf(read.ran, 4)
            yield* assertLookedUp(read.ran)
            const known = read.answer.deliveries
            const again = yield* recording(readDue(start, { perWebhook: 400, known }))
            assert.lengthOf(again.ran, 3)
            yield* assertLookedUp(again.ran)
            const found = yield* recording(deliveries.webhooks(webhooks))
            assert.lengthOf(found.ran, 1)
            yield* assertLookedUp(found.ran)
            const settlements = known.map((each) => answered(each, 200, start))
            const settled = yield* recording(deliveries.settle(settlements, start, assessAt(start)))
            assert.lengthOf(settled.ran, 3)
            yield* assertLookedUp(settled.ran)
          }
          const none = yield* recording(deliveries.settle([], start, assessAt(start)))
          assert.lengthOf(none.ran, 0)
        })
    )

    it.effect("reads nothing with two statements", () =>
      Effect.gen(function* () {
        yield* nothingDue
        const { ran } = yield* recording(readDue(start))
        assert.lengthOf(ran, 2)
        yield* assertLookedUp(ran)
      })
    )

    it.effect("fans out any number of events and deliveries with five statements, and none with one", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const send = deliveries.fanOut(fanOutOf(1000), (event, subscribers) =>
          fanOut(event, subscribers, () => mint("delivery"), start)
        )
        for (const count of [1, 2, 50]) {
          yield* waiting(count)
          const sent = yield* recording(send)
          assert.deepStrictEqual(sent.answer, { taken: count, deadLettered: [] })
          assert.lengthOf(sent.ran, 5)
          yield* assertLookedUp(sent.ran)
        }
        const none = yield* recording(send)
        assert.lengthOf(none.ran, 1)
        yield* assertLookedUp(none.ran)
      })
    )

    it.effect("redrives with four statements, by states and times and by ids, and reads no more than the limit", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const webhook = yield* dueTo(3)
        const states: ReadonlyArray<DeliveryState> = deliveryStates
        for (const deliveryIds of [null, ["dlv_1", "dlv_2"]]) {
          const chosen = { states, from: start, to: start + 1, deliveryIds, limit: 10 }
          const redrive = deliveries.redrive(webhook.tenantId, webhook.webhookId, chosen, auditEntry(webhook.webhookId))
          const { ran } = yield* recording(redrive)
          assert.lengthOf(ran, 4)
          yield* assertLookedUp(ran)
        }
      })
    )

    it.effect("lists and retries dead letters with one statement each, among pending events", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const { tenantId } = yield* waiting(3)
        const lists = [null, tenantId].map((wanted) => deliveries.listDeadLetters(wanted, 10))
        const retries = [null, "evt_1"].map((id) => deliveries.retryDeadLetters(tenantId, id, 10, auditEntry(tenantId)))
        for (const each of [...lists, ...retries]) {
          const { ran } = yield* recording<unknown, never, never>(each)
          assert.lengthOf(ran, 1)
          yield* assertLookedUp(ran)
        }
      })
    )

    it.effect("deletes old rows by time, with three statements", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const { ran } = yield* recording(deliveries.forget({ before: start - 1, deadBefore: start - 1, limit: 10 }))
        assert.lengthOf(ran, 3)
        yield* assertLookedUp(ran)
      })
    )

    it.effect(
      "reads a delivery, a page and the health of webhooks with one statement each, and one more for a total",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* DeliveryStore
          const found = yield* recording(deliveries.find("tnt_1", "dlv_1"))
          const health = yield* recording(deliveries.health("tnt_1", ["whk_1", "whk_2"]))
          assert.deepStrictEqual([found.ran.length, health.ran.length], [1, 1])
          const changed = yield* recording(
            deliveries.changeWebhook("tnt_1", "whk_1", (current) => ({ _tag: "Unchanged", current }))
          )
          for (const { ran } of [found, health, changed]) yield* assertLookedUp(ran)
          for (const [conditions, looked] of [
            [[], "delivery_of_webhook (tenant_id=? AND webhook_id=? AND position<?)"],
            [[{ field: "state", value: "PENDING" }], "delivery_of_state (tenant_id=? AND webhook_id=? AND state=? AND"]
          ] as const) {
            const { ran } = yield* recording(deliveries.list("tnt_1", "whk_1", { ...page, conditions, after: 9 }))
            assert.lengthOf(ran, 2)
            yield* assertLookedUp(ran)
            const [plan = []] = yield* Effect.forEach(ran, planOf)
            assertInOrder(plan)
            for (const line of lookupsOf(plan)) assert.include(line, looked)
          }
        })
    )

    it.effect(
      "stores a verification with its change in five statements: two reads, the change, the verification, its run",
      () =>
        Effect.gen(function* () {
          const tenant = freshTenant()
          const { credentialId } = yield* putAsked(tenant)
          const { ran } = yield* recording(ask(tenant, credentialId))
          assert.deepStrictEqual(
            ran.map(({ text }) => /(?:FROM|UPDATE|INSERT INTO) (\w+)/.exec(text)?.[1]),
            ["credential", "verification", "credential", "verification", "verification_run"]
          )
        })
    )

    it.effect(
      "reads due runs with three statements, finds none with one, and concludes with at most seven; each uses an index",
      () =>
        Effect.gen(function* () {
          const verifications = yield* VerificationStore
          for (const count of [1, 2, 30]) {
            yield* noRuns
            const tenant = freshTenant()
            for (let each = 0; each < count; each++) yield* putAsked(tenant)
            const { answer, ran } = yield* recording(dueRuns(start))
            assert.lengthOf(answer.runs, count)
            assert.lengthOf(ran, 3)
            yield* assertLookedUp(ran)
            const [run] = answer.runs
            if (run === undefined) return
            for (let call = 0; call < count; call++) yield* ask(tenant, run.credentialId)
            const ended = yield* recording(concludeBy(tenant, run.credentialId, byWorker(run), concluded()))
            assert.isTrue(ended.answer.isDone)
            assert.isAtMost(ended.ran.length, 7)
            yield* assertLookedUp(ended.ran)
          }
          assert.lengthOf((yield* recording(dueRuns(start - 1))).ran, 1)
          for (const read of [
            verifications.find("tnt_1", "vrf_1"),
            verifications.list("tnt_1", "cred_1", { ...page, after: 9 }),
            dueRuns(start - 1)
          ]) {
            yield* assertLookedUp((yield* recording<unknown, never, VerificationStore>(read)).ran)
          }
        })
    )
  })
}
