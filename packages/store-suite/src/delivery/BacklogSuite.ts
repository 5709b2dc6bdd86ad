import { assert, describe } from "@effect/vitest"
import { type Backlog, BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect } from "effect"
import { freshTenant, remove, revise, start, type TenantTest } from "../Fixtures.ts"
import { byWorker, concludeBy, dueRuns, needsReview, putAsked } from "../verification/VerificationFixtures.ts"
import { answered, begin, happen, putWebhook, readDue, send, settle } from "./DeliveryFixtures.ts"

const backlogAt = (now: number) => BacklogStore.use((store) => store.read(now))

/** The backlog as one list of numbers. Other tests leave work, so tests compare two of them. */
const numbersOf = ({ deliveries, events, failingWebhooks, runs }: Backlog) => ({
  ...events,
  deliveriesDue: deliveries.due,
  deliveriesLater: deliveries.later,
  runsDue: runs.due,
  runsLater: runs.later,
  runsReview: runs.review,
  failing: failingWebhooks
})

/** How an effect changes the backlog. Numbers that stay the same are omitted. */
const changesBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, now = start + 1) {
  const before = numbersOf(yield* backlogAt(now))
  yield* effect
  const after = numbersOf(yield* backlogAt(now))
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) => {
      const change = count - before[name as keyof typeof before]
      return change === 0 ? [] : [[name, change]]
    })
  )
})

/** Fails the next attempt of a webhook at a time. */
const failAt = Effect.fnUntraced(function* (
  webhook: { readonly tenantId: string; readonly webhookId: string },
  at: number
) {
  yield* begin(webhook, 1, at)
  const { deliveries } = yield* readDue(at)
  yield* settle(
    deliveries.filter(({ webhookId }) => webhookId === webhook.webhookId).map((one) => answered(one, 500, at)),
    at
  )
})

export const backlogSuite = (it: TenantTest): void => {
  describe("the backlog", () => {
    it("counts pending events and dead letters, and their deliveries when they were sent", function* () {
      const { deadLetter } = yield* DeliveryStore
      const { tenantId } = yield* putWebhook()
      assert.deepStrictEqual(yield* changesBy(Effect.all([happen(tenantId), happen(tenantId)])), { pending: 2 })
      assert.deepStrictEqual(yield* changesBy(send()), { pending: -2, deliveriesDue: 2 })
      const [one, two] = [yield* happen(tenantId), yield* happen(tenantId)]
      const letters = Effect.all([deadLetter(tenantId, one.id, start + 9), deadLetter(tenantId, two.id, null)])
      assert.deepStrictEqual(yield* changesBy(letters), { pending: -2, retrying: 1, dead: 1 })
    })

    it("tells due deliveries from later ones", function* () {
      const webhook = yield* putWebhook()
      assert.deepStrictEqual(yield* changesBy(begin(webhook, 2, start + 1)), { deliveriesDue: 1, deliveriesLater: 1 })
    })

    it("counts runs that are due, run later, or wait for a person", function* () {
      const tenantId = freshTenant()
      const { credentialId } = yield* putAsked(tenantId, start)
      const { runs } = yield* dueRuns(start, 10_000)
      const own = runs.find((run) => run.credentialId === credentialId)
      assert.deepStrictEqual(yield* changesBy(putAsked(tenantId, start + 2)), { runsLater: 1 })
      const review = concludeBy(tenantId, credentialId, byWorker(own), needsReview)
      assert.deepStrictEqual(yield* changesBy(review), { runsDue: -1, runsReview: 1 })
    })

    it("counts what waits of one tenant, and since when the first of it is late", function* () {
      const { deadLetter } = yield* DeliveryStore
      const [one, two] = [yield* putWebhook(), yield* putWebhook()]
      const { tenantId } = one
      const ofTenant = (now: number) => BacklogStore.use((store) => store.ofTenant(tenantId, now))
      const nothing = { waiting: 0, since: null }
      const idle = { events: nothing, deliveries: nothing, verifications: nothing, imports: nothing }
      const none = { retrying: 0, dead: 0 }
      assert.deepStrictEqual(yield* ofTenant(start), { queues: idle, deadLetters: none, warnedThrough: null })
      yield* begin(yield* putWebhook(tenantId), 1, start + 7)
      yield* begin(one, 2, start + 5)
      yield* begin(two, 1, start)
      const { credentialId } = yield* putAsked(tenantId, start + 3)
      yield* putAsked(tenantId, start + 4)
      for (const until of [start + 9, null]) yield* deadLetter(tenantId, (yield* happen(tenantId)).id, until)
      yield* happen(tenantId, { at: start + 2 })
      // Those of another tenant, and the ones that wait for a person, hide none of this one.
      yield* Effect.replicateEffect(happen(two.tenantId, { at: start }), 3)
      const late = yield* ofTenant(start + 99)
      assert.deepStrictEqual(late.queues.deliveries, { waiting: 3, since: start + 5 })
      assert.deepStrictEqual(late.queues.verifications, { waiting: 2, since: start + 3 })
      assert.strictEqual(late.queues.events.since, start + 2)
      assert.deepStrictEqual(late.deadLetters, { retrying: 1, dead: 1 })
      assert.deepStrictEqual((yield* ofTenant(start + 4)).queues.deliveries, { waiting: 3, since: null })
      const run = (yield* dueRuns(start + 3, 10_000)).runs.find((each) => each.credentialId === credentialId)
      yield* concludeBy(tenantId, credentialId, byWorker(run), needsReview)
      assert.deepStrictEqual((yield* ofTenant(start + 99)).queues.verifications, { waiting: 1, since: start + 4 })
    })

    it("counts and lists failing webhooks, first failing first, unless they are disabled or deleted", function* () {
      const { failing } = yield* BacklogStore
      const since = start - 1_000_000
      const [one, two] = [yield* putWebhook(freshTenant(), { name: "one" }), yield* putWebhook()]
      assert.deepStrictEqual(yield* changesBy(Effect.all([failAt(two, since + 5), failAt(one, since)])), {
        failing: 2
      })
      yield* failAt(one, since + 9)
      const first = { tenantId: one.tenantId, webhookId: one.webhookId, name: "one" }
      assert.deepStrictEqual((yield* failing(2))[0], { ...first, consecutiveFailures: 2, failingSince: since })
      assert.strictEqual((yield* failing(2))[1]?.webhookId, two.webhookId)
      assert.strictEqual((yield* backlogAt(start)).failingSince, since)
      assert.lengthOf(yield* failing(1), 1)
      const disabled = revise(Webhook, one.tenantId, one.webhookId, (webhook) => ({
        ...webhook,
        version: webhook.version + 1,
        fields: { ...webhook.fields, status: "DISABLED" as const }
      }))
      assert.deepStrictEqual(yield* changesBy(disabled), { failing: -1 })
      assert.deepStrictEqual(yield* changesBy(remove(Webhook, two.tenantId, two.webhookId)), { failing: -1 })
    })
  })
}
