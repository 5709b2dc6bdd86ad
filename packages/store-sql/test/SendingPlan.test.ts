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
  type Stores,
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
import { postgresStore } from "./engines.ts"
import * as Postgres from "./postgres/postgresPlans.ts"
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

/** A webhook with so many waiting events. */
const waiting = Effect.fnUntraced(function* (count: number) {
  const webhook = yield* putWebhook()
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const events = Array.from({ length: count }, () => eventDraft(row.id, "credential.created"))
  yield* put(Credential, webhook.tenantId, row, { ...noRecords, events })
  return webhook
})

/** A row of another tenant. Some fills make several. */
const other = "tnt_0000000000000007"

const sendAll = DeliveryStore.use((store) =>
  store.fanOut(fanOutOf(1000), (event, subscribers) => fanOut(event, subscribers, () => mint("delivery"), start))
)

type Work = Effect.Effect<unknown, unknown, Stores>

/** A read or write of the background, with its number of statements on SQLite, and indexes that Postgres uses. */
interface Step {
  readonly what: string
  readonly work: Work
  readonly statements?: number
  readonly indexes?: ReadonlyArray<string>
}

const deliverySteps = Effect.fnUntraced(function* (count: number, webhookCount: number) {
  const deliveries = yield* DeliveryStore
  const webhooks = yield* Effect.forEach(Array.from({ length: webhookCount }), () => putWebhook())
  for (const webhook of webhooks) yield* beginAll(Array.from({ length: count }, () => draft(webhook)))
  const { deliveries: known } = yield* readDue(start, { perWebhook: count })
  assert.lengthOf(known, count * webhooks.length)
  const settlements = known.map((each) => answered(each, 200, start))
  const steps: ReadonlyArray<Step> = [
    {
      what: `reads due deliveries, ${count} of a webhook`,
      work: readDue(start, { perWebhook: count }),
      statements: 4,
      indexes: ["receiver_due", "delivery_waiting"]
    },
    { what: `reads again besides ${count}`, work: readDue(start, { perWebhook: 2 * count, known }), statements: 3 },
    { what: "reads the webhooks", work: deliveries.webhooks(webhooks), statements: 1 },
    { what: `settles ${count}`, work: deliveries.settle(settlements, start, assessAt(start)), statements: 4 },
    { what: "settles none", work: deliveries.settle([], start, assessAt(start)), statements: 0 },
    { what: "reads nothing", work: readDue(start - 1), statements: 2 }
  ]
  return steps
})

const eventSteps = Effect.fnUntraced(function* (count: number) {
  const deliveries = yield* DeliveryStore
  const { tenantId, webhookId } = yield* waiting(count)
  const lists = [null, tenantId].map((wanted): Step => {
    return { what: "lists dead letters", work: deliveries.listDeadLetters(wanted, 10), statements: 1 }
  })
  const retries = [null, "evt_1"].map((id): Step => {
    const work = deliveries.retryDeadLetters(tenantId, id, 10, auditEntry(tenantId))
    return { what: "retries dead letters", work, statements: 1 }
  })
  const redrives = [null, ["dlv_1", "dlv_2"]].map((deliveryIds): Step => {
    const chosen = { states: deliveryStates, from: start, to: start + 1, deliveryIds, limit: 10 }
    const work = deliveries.redrive(tenantId, webhookId, chosen, auditEntry(webhookId))
    return { what: "redrives", work, statements: 4 }
  })
  const forget = deliveries.forget({ before: start - 1, deadBefore: start - 1, limit: 10 })
  const steps: ReadonlyArray<Step> = [
    ...[...lists, ...retries],
    { what: `fans ${count} events out`, work: sendAll, statements: 5, indexes: ["event_unsent"] },
    { what: "fans nothing out", work: sendAll, statements: 1 },
    ...redrives,
    { what: "deletes old rows", work: forget, statements: 3 }
  ]
  return steps
})

const readSteps = Effect.gen(function* () {
  const [deliveries, verifications] = [yield* DeliveryStore, yield* VerificationStore]
  const pages = [[], [{ field: "state", value: "PENDING" }] as const].map((conditions): Step => {
    const work = deliveries.list(other, "whk7", { ...page, conditions, after: 9 })
    const indexes = conditions.length === 0 ? ["delivery_of_webhook"] : []
    return { what: "pages deliveries", work, statements: 2, indexes }
  })
  const changed = deliveries.changeWebhook(other, "whk_1", (current) => ({ _tag: "Unchanged", current }))
  const steps: ReadonlyArray<Step> = [
    ...pages,
    { what: "finds a delivery", work: deliveries.find(other, "v7"), statements: 1 },
    {
      what: "reads health",
      work: deliveries.health(other, ["v7", "v8"]),
      statements: 1,
      indexes: ["receiver_pkey"]
    },
    { what: "changes no webhook", work: changed },
    { what: "finds a verification", work: verifications.find(other, "v7") },
    { what: "pages verifications", work: verifications.list(other, "cred7", { ...page, after: 9 }) }
  ]
  return steps
})

const runSteps = Effect.fnUntraced(function* (count: number) {
  const tenant = freshTenant()
  for (let each = 0; each < count; each++) yield* putAsked(tenant)
  const { runs } = yield* dueRuns(start, count)
  assert.lengthOf(runs, count)
  const [run = assert.fail("no run is due")] = runs
  for (let call = 0; call < count; call++) yield* ask(run.tenantId, run.credentialId)
  const conclude = concludeBy(run.tenantId, run.credentialId, byWorker(run), concluded())
  const steps: ReadonlyArray<Step> = [
    {
      what: `reads ${count} due runs`,
      work: dueRuns(start, count),
      statements: 3,
      indexes: ["verification_run_waiting", "credential_pkey"]
    },
    { what: "reads no run", work: dueRuns(start - 1), statements: 1 },
    { what: "stores a verification with its change", work: ask(run.tenantId, run.credentialId), statements: 5 },
    {
      what: `concludes ${count} verifications`,
      work: conclude,
      statements: 6,
      indexes: ["verification_run_pkey", "verification_open"]
    }
  ]
  return steps
})

/** Cases with the numbers of due deliveries of a webhook, and of such webhooks. All steps of a case run in order. */
const casesOf = (
  deliveries: ReadonlyArray<readonly [count: number, webhookCount: number]>
): ReadonlyArray<readonly [string, Effect.Effect<ReadonlyArray<Step>, unknown, Stores>]> => [
  ["reads of one row or page", readSteps], // first, while the planner statistics are those of the filled tables
  ...deliveries.map(([count, webhookCount]) => {
    return [`${count} due deliveries of ${webhookCount} webhooks`, deliverySteps(count, webhookCount)] as const
  }),
  ...[1, 2, 50].map((count) => [`${count} events at once`, eventSteps(count)] as const),
  ...[1, 2, 30].map((count) => [`${count} verifications at once`, runSteps(count)] as const)
]

layer(store)("how deliveries and verifications are reached", (it) => {
  it.effect.each(
    casesOf([
      [1, 1],
      [2, 2],
      [100, 3]
    ])
  )("takes a fixed number of statements, and each uses an index: %s", ([, prepared]) =>
    Effect.gen(function* () {
      yield* nothingDue
      yield* noRuns
      for (const { statements, what, work } of yield* prepared) {
        const { ran } = yield* recording(work)
        if (statements !== undefined) assert.lengthOf(ran, statements, what)
        for (const statement of ran) {
          const plan = yield* planOf(statement)
          assert.deepStrictEqual(tableScansOf(plan), [], `${what}: ${statement.text}\n${plan.join("\n")}`)
        }
      }
    })
  )

  it.effect("reads a page of deliveries in the order of its index", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      for (const [conditions, looked] of [
        [[], "delivery_of_webhook (tenant_id=? AND webhook_id=? AND position<?)"],
        [[{ field: "state", value: "PENDING" }], "delivery_of_state (tenant_id=? AND webhook_id=? AND state=? AND"]
      ] as const) {
        const { ran } = yield* recording(deliveries.list("tnt_1", "whk_1", { ...page, conditions, after: 9 }))
        const [plan = []] = yield* Effect.forEach(ran, planOf)
        assertInOrder(plan)
        for (const line of lookupsOf(plan)) assert.include(line, looked)
      }
    })
  )
})

/** Enough rows that index lookups cost less than a full scan, also in narrow tables. */
const rowsEach = 20_000
const narrowRowsEach = 200_000
const narrow: ReadonlyArray<string> = ["receiver", "verification_run"]

/** Later than every time in the tests. */
const later = start + 1_000_000_000

/** One of 200 other tenants with equal data. Row 7 is of `other`. */
const tenantOf = (row: string) => `'tnt_' || lpad(CAST(${row} % 200 AS TEXT), 16, '0')`

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

const fillPostgres = Effect.gen(function* () {
  for (const [table, given] of Object.entries(others)) yield* fillTable(table, given)
  yield* (yield* SqlClient.SqlClient)`ANALYZE`
})

/** Indexes that contain only open rows, so that scanning them is fine. */
const ofWaiting = ["event_unsent", "receiver_due", "verification_run_waiting"]

const readsAll = (step: Postgres.Step): boolean =>
  Postgres.isScan(step) &&
  Object.hasOwn(others, step["Relation Name"] ?? "credential") &&
  !ofWaiting.includes(step["Index Name"] ?? "")

layer(Layer.provideMerge(Layer.effectDiscard(fillPostgres), postgresStore))(
  "how deliveries and verifications are reached on Postgres, beside the rows of other tenants",
  (it) => {
    it.effect("detects a full scan", () =>
      Effect.gen(function* () {
        for (const table of Object.keys(others)) {
          const scan: Ran = { text: `SELECT * FROM ${table} WHERE tenant_id || '' = 'x'`, params: [] }
          assert.isNotEmpty((yield* Postgres.planOf(scan)).filter(readsAll), table)
        }
      })
    )

    it.effect.each(
      casesOf([
        [1, 1],
        [100, 1],
        [2, 2],
        [100, 3]
      ])
    )("uses an index for each statement: %s", ([, prepared]) =>
      Effect.gen(function* () {
        for (const { indexes = [], what, work } of yield* prepared) {
          const { ran } = yield* recording(work)
          const used = new Set<string | undefined>()
          for (const statement of ran) {
            const plan = yield* Postgres.planOf(statement)
            assert.deepStrictEqual(plan.filter(readsAll), [], `${what}: ${statement.text}\n${Postgres.shown(plan)}`)
            for (const step of plan) used.add(step["Index Name"])
          }
          assert.includeMembers([...used], [...indexes], what)
        }
      })
    )
  }
)
