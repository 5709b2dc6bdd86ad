import { assert, layer } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential } from "@wcs/domain/holding/Credential"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { deliveryStates } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import {
  answered,
  assessAt,
  beginAll,
  draft,
  fanOutOf,
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
  putAsked
} from "@wcs/store-suite/verification/VerificationFixtures"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "../engines.ts"
import { type Ran, recording } from "../recording.ts"
import { isScan, planOf, type Step, shown } from "./postgresPlans.ts"

/** Enough rows that index lookups cost less than a full scan, also in narrow tables. */
const rowsEach = 20_000
const narrowRowsEach = 200_000
const narrow: ReadonlyArray<string> = ["receiver", "verification_run"]

/** Later than every time in the tests. */
const later = start + 1_000_000_000

/** One of 200 other tenants with equal data. */
const tenantOf = (row: string) => `'tnt_' || lpad(CAST(${row} % 200 AS TEXT), 16, '0')`

/** The tenant of row 7. */
const other = "tnt_0000000000000007"

/** About the usual size of documents. */
const document = `'{"text":"' || repeat('x', 400) || '"}'`

/** The columns of other tenants' rows that are not just a number: due later, in all partitions. */
const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  credential: { document },
  webhook: { document },
  event: { data: document, at: `${later} + n`, state: "'sent'" },
  subscription: { kind: "'credential.updated'" },
  delivery: {
    webhook_id: "'whk' || n % 500",
    state: "CASE n % 4 WHEN 0 THEN 'PENDING' ELSE 'DELIVERED' END",
    due_at: `CASE n % 4 WHEN 0 THEN ${later} + n END`,
    created_at: `${later} + n`,
    attempts: "'[]'"
  },
  receiver: { next_at: `${later} + n`, partition: "n % 64" },
  verification: { credential_id: "'cred' || n % 5000", verified_at: `${later} + n` },
  verification_run: { due_at: `${later} + n`, partition: "n % 64", queue: "'queue ' || n % 50" },
  audit_event: {}
}

/** Fills a table with other tenants' rows, so that a full scan is the worst plan. */
const fillTable = Effect.fnUntraced(function* (table: string, given: Readonly<Record<string, string>>) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string; readonly type: string; readonly nullable: string }>`
    SELECT column_name AS name, data_type AS type, is_nullable AS nullable FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = ${table} AND is_identity = 'NO' AND column_name <> 'tenant_id'`
  const filled = columns.filter(({ name, nullable }) => nullable === "NO" || name in given)
  const values = filled.map(({ name, type }) => given[name] ?? (type === "bigint" ? "n" : "'v' || n"))
  yield* sql.unsafe(
    `INSERT INTO ${table} (tenant_id, ${filled.map(({ name }) => name).join(", ")})
     SELECT ${tenantOf("n")}, ${values.join(", ")} FROM generate_series(1, ${narrow.includes(table) ? narrowRowsEach : rowsEach}) AS n`
  )
})

const fill = Effect.gen(function* () {
  for (const [table, given] of Object.entries(others)) yield* fillTable(table, given)
  yield* (yield* SqlClient.SqlClient)`ANALYZE`
})

/** Indexes that contain only open rows, so that scanning them is fine. */
const ofWaiting = ["event_unsent", "receiver_due", "verification_run_waiting"]

const readsAll = (step: Step): boolean =>
  isScan(step) &&
  Object.hasOwn(others, step["Relation Name"] ?? "credential") &&
  !ofWaiting.includes(step["Index Name"] ?? "")

/** Asserts that each statement uses an index, and that together they use these, each made for one of them. */
const assertLookedUp = Effect.fnUntraced(function* (ran: ReadonlyArray<Ran>, ...indexes: ReadonlyArray<string>) {
  assert.isNotEmpty(ran)
  const used = new Set<string | undefined>()
  for (const statement of ran) {
    const plan = yield* planOf(statement)
    assert.deepStrictEqual(plan.filter(readsAll), [], `${statement.text}\n${shown(plan)}`)
    for (const step of plan) used.add(step["Index Name"])
  }
  assert.includeMembers([...used], [...indexes])
})

const page = {
  conditions: [],
  direction: "desc",
  pageSize: 25,
  after: undefined,
  includeDeleted: false,
  includeTotal: true
} as const

const large = Layer.provideMerge(Layer.effectDiscard(fill), postgresStore)

layer(large)("how deliveries and verifications are reached on Postgres, beside the rows of other tenants", (it) => {
  it.effect("detects a full scan", () =>
    Effect.gen(function* () {
      for (const table of Object.keys(others)) {
        const plan = yield* planOf({ text: `SELECT * FROM ${table} WHERE tenant_id || '' = 'x'`, params: [] })
        assert.isNotEmpty(plan.filter(readsAll), table)
      }
    })
  )

  it.effect("uses an index for each read of due deliveries, also an empty one, and each settlement", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      yield* assertLookedUp((yield* recording(readDue(start - 1))).ran)
      for (const count of [1, 100]) {
        const webhook = yield* putWebhook()
        yield* beginAll(Array.from({ length: count }, () => draft(webhook)))
        const read = yield* recording(readDue(start, { perWebhook: count }))
        const known = read.answer.deliveries
        assert.lengthOf(known, count)
        yield* assertLookedUp(read.ran, "receiver_due", "delivery_waiting")
        yield* assertLookedUp((yield* recording(readDue(start, { known, perWebhook: 2 * count }))).ran)
        yield* assertLookedUp((yield* recording(deliveries.webhooks([webhook]))).ran)
        const settlements = known.map((each) => answered(each, 200, start))
        yield* assertLookedUp((yield* recording(deliveries.settle(settlements, start, assessAt(start)))).ran)
      }
    })
  )

  it.effect("uses an index for each fan-out, redrive and deletion", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const webhook = yield* putWebhook()
      const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
      const events = Array.from({ length: 50 }, () => eventDraft(row.id, "credential.created"))
      yield* put(Credential, webhook.tenantId, row, { ...noRecords, events })
      const send = deliveries.fanOut(fanOutOf(1000), (event, subscribers) =>
        fanOut(event, subscribers, () => mint("delivery"), start)
      )
      const sent = yield* recording(send)
      assert.deepStrictEqual(sent.answer.taken, 50)
      yield* assertLookedUp(sent.ran, "event_unsent")
      yield* assertLookedUp((yield* recording(send)).ran)
      const { tenantId } = webhook
      for (const wanted of [null, tenantId]) {
        yield* assertLookedUp((yield* recording(deliveries.listDeadLetters(wanted, 10))).ran)
      }
      for (const eventId of [null, "evt_1"]) {
        const retry = deliveries.retryDeadLetters(tenantId, eventId, 10, auditEntry(tenantId))
        yield* assertLookedUp((yield* recording(retry)).ran)
      }
      for (const deliveryIds of [null, ["dlv_1", "dlv_2"]]) {
        const chosen = { states: deliveryStates, from: start, to: start + 1, deliveryIds, limit: 10 }
        const entry = auditEntry(webhook.webhookId)
        const redrive = deliveries.redrive(webhook.tenantId, webhook.webhookId, chosen, entry)
        yield* assertLookedUp((yield* recording(redrive)).ran)
      }
      yield* assertLookedUp(
        (yield* recording(deliveries.forget({ before: start - 1, deadBefore: start - 1, limit: 10 }))).ran
      )
    })
  )

  it.effect("uses an index to read a delivery, a page of deliveries and the health of webhooks", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const list = deliveries.list(other, "whk7", { ...page, after: 9 })
      yield* assertLookedUp((yield* recording(list)).ran, "delivery_of_webhook")
      yield* assertLookedUp((yield* recording(deliveries.find(other, "v7"))).ran)
      yield* assertLookedUp((yield* recording(deliveries.health(other, ["v7", "v8"]))).ran, "receiver_pkey")
    })
  )

  it.effect("uses an index to open, read and conclude verifications", () =>
    Effect.gen(function* () {
      const verifications = yield* VerificationStore
      yield* assertLookedUp((yield* recording(dueRuns(start - 1))).ran)
      for (const count of [1, 30]) {
        const tenant = freshTenant()
        for (let each = 0; each < count; each++) yield* putAsked(tenant)
        const { answer, ran } = yield* recording(dueRuns(start, count))
        assert.lengthOf(answer.runs, count)
        yield* assertLookedUp(ran, "verification_run_waiting", "credential_pkey")
        for (const run of answer.runs) {
          const asked = yield* recording(ask(tenant, run.credentialId))
          const ended = yield* recording(concludeBy(tenant, run.credentialId, byWorker(run), concluded()))
          assert.isTrue(ended.answer.isDone)
          if (run !== answer.runs[0]) continue
          yield* assertLookedUp(asked.ran)
          yield* assertLookedUp(ended.ran, "verification_run_pkey", "verification_open")
        }
      }
      for (const { ran } of [
        yield* recording(verifications.find(other, "v7")),
        yield* recording(verifications.list(other, "cred7", { ...page, after: 9 }))
      ]) {
        yield* assertLookedUp(ran)
      }
    })
  )
})
