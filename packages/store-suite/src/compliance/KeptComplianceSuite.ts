import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { heldLimit } from "@wcs/domain/holding/Holdings"
import { Worker } from "@wcs/domain/people/Worker"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { rulesVersion, tooMuchHeld } from "@wcs/domain/screening/ComplianceEvaluation"
import { makeComplying } from "@wcs/domain/screening/ComplyingWorkers"
import { type KeptStatus, statusOf } from "@wcs/domain/screening/KeptCompliance"
import { certainIn, KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { Effect } from "effect"
import fc from "fast-check"
import {
  created,
  freshTenant,
  mint,
  put,
  putAll,
  remove,
  revise,
  select,
  start,
  subscribe,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { check } from "../Property.ts"
import { anyStep, compare, employ, enabledIn, type History, run } from "./ComplianceHistory.ts"
import * as World from "./ComplianceWorld.ts"
import { tasksOf, taskTests, waitingIn } from "./TaskTests.ts"

const propertyTest = (it: TenantTest): void => {
  it("keeps what an evaluation returns after random histories, and reads it on every day", function* () {
    yield* check(
      fc.array(anyStep, { minLength: 5, maxLength: 25 }),
      Effect.fnUntraced(function* (steps) {
        const tenant = freshTenant()
        const workers = [yield* World.putWorker(tenant), yield* World.putWorker(tenant)]
        const checks = [`a-${mint("event").slice(-8)}`, `b-${mint("event").slice(-8)}`]
        for (const code of checks) yield* World.putCheck(tenant, code, { exemptionsCount: code.startsWith("b") })
        const history: History = { tenant, workers, checks, cards: [], exemptions: [], day: 0 }
        for (const [index, step] of steps.entries()) {
          yield* run(history, step)
          yield* compare(history, `${index} ${JSON.stringify(step)}`)
        }
        yield* World.keepAll(tenant, history.day)
        const kept = yield* KeptComplianceStore
        assert.deepStrictEqual(yield* kept.uncertain(tenant, World.dayOn(history.day), 10), [])
        const expected = yield* compare(history, "kept")
        const rows = yield* kept.read(tenant, workers)
        for (const id of Object.keys(expected)) {
          const status = certainIn(rows.get(id) ?? assert.fail(), World.dayOn(history.day))
          assert.sameMembers(Object.keys(status?.checks ?? {}), yield* enabledIn(history))
        }
        const tasks = (yield* tasksOf(tenant)).map(({ fields }) => (fields.credential ?? fields.ban)?.id ?? "")
        assert.deepStrictEqual(tasks.sort(), yield* waitingIn(history), JSON.stringify(steps))
      }),
      { numRuns: Number(process.env["WCS_PROPERTY_RUNS"] ?? 8) }
    )
  })
}

/** The events of a tenant, as `check from to reason sequence`. */
const eventsOf = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* EventStore
  return (yield* store.events(tenant, 0, 100)).map(({ data, sequence }) => {
    const { complianceCheck, from, reason, to } = data as {
      readonly complianceCheck: { readonly id: string }
      readonly from: string
      readonly to: string
      readonly reason: string
    }
    return `${complianceCheck.id} ${from} ${to} ${reason} ${sequence}`
  })
})

const eventTests = (it: TenantTest): void => {
  it("stores one event of each changed result, with its cause", function* (tenant) {
    yield* subscribe(tenant, mint("webhook"), ["worker.complianceChanged"])
    const worker = yield* World.putWorker(tenant)
    yield* World.putCheck(tenant, "base")
    yield* World.keepAll(tenant, 0)
    assert.deepStrictEqual(yield* eventsOf(tenant), [], "a first result is no change")
    const card = yield* World.putCard(tenant, World.card(worker, "WWCC_NSW", 2))
    yield* World.keepAll(tenant, 0)
    yield* World.keepAll(tenant, 2)
    yield* World.keepAll(tenant, 3)
    yield* World.keepAll(tenant, 4)
    yield* World.putExemption(tenant, worker, 0, 9)
    yield* revise(ComplianceCheck, tenant, "base", (current) => ({
      ...current,
      version: 2,
      fields: World.checkFields("base", { exemptionsCount: true })
    }))
    yield* World.keepAll(tenant, 4)
    yield* World.putBan(tenant, worker)
    yield* World.keepAll(tenant, 4)
    yield* remove(Credential, tenant, card)
    yield* World.keepAll(tenant, 4)
    assert.deepStrictEqual(yield* eventsOf(tenant), [
      "base FAIL PASS CREDENTIAL 2",
      "base PASS FAIL DAY 3",
      "base FAIL PASS EXEMPTION 4",
      "base PASS FAIL BAN 5"
    ])
  })

  it("forgets the results of a worker who leaves, on the day after the last one", function* (tenant) {
    yield* subscribe(tenant, mint("webhook"), ["worker.complianceChanged"])
    const worker = yield* World.putWorker(tenant)
    yield* World.putCheck(tenant, "base")
    yield* employ(tenant, worker, { endDate: World.dayOn(1) })
    const card = yield* World.putCard(tenant, World.card(worker, "WWCC_NSW"))
    yield* World.keepAll(tenant, 1)
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 1), { PASS: [worker], FAIL: [] })
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 2), { PASS: [], FAIL: [] }, "before it is kept")
    yield* World.keepAll(tenant, 2)
    yield* remove(Credential, tenant, card)
    yield* World.keepAll(tenant, 2)
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 2), { PASS: [], FAIL: [] })
    yield* employ(tenant, worker, {})
    yield* World.keepAll(tenant, 2)
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 2), { PASS: [], FAIL: [worker] })
    assert.deepStrictEqual(yield* eventsOf(tenant), [], "the first result after a return is no change")
  })

  it("evaluates again what earlier rules of evaluation gave", function* (tenant) {
    yield* subscribe(tenant, mint("webhook"), ["worker.complianceChanged"])
    const worker = yield* World.putWorker(tenant)
    yield* World.putCheck(tenant, "base")
    yield* World.putCard(tenant, World.card(worker, "WWCC_NSW"))
    yield* World.keepAll(tenant, 0)
    const store = yield* KeptComplianceStore
    const row = (yield* store.read(tenant, [worker])).get(worker) ?? assert.fail()
    const status = row.status ?? assert.fail()
    const checks = { base: { ...(status.checks["base"] ?? assert.fail()), result: "FAIL" as const } }
    const earlier: KeptStatus = { ...status, rulesVersion: rulesVersion - 1, result: "FAIL", checks }
    yield* store.keep(tenant, [{ row, status: earlier, tasks: [], events: [] }])
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 0), { PASS: [worker], FAIL: [] })
    assert.deepStrictEqual<unknown>(yield* World.matrix(tenant, 0), yield* World.evaluated(tenant, 0, ["base"]))
    assert.include(
      (yield* store.tenants(null, 10_000)).filter(({ isOutdated }) => isOutdated).map(({ tenantId }) => tenantId),
      tenant
    )
    yield* World.keepAll(tenant, 0)
    assert.deepStrictEqual(yield* eventsOf(tenant), ["base FAIL PASS RULES 3"])
  })

  it("judges the oldest cards of a worker who holds more than an evaluation reads, and says so", function* (tenant) {
    const worker = yield* World.putWorker(tenant)
    yield* World.putCheck(tenant, "base")
    const cards = (type: (typeof World.types)[number], from: number, count = 1) =>
      Array.from({ length: count }, (_, age) =>
        created(mint("credential"), World.card(worker, type), { createdAt: start + from + age })
      )
    const results = Effect.gen(function* () {
      const found = yield* World.evaluated(tenant, 0, ["base"])
      assert.deepStrictEqual<unknown>(yield* World.matrix(tenant, 0), found)
      return [Object(found[worker]?.[0]).result, ...(yield* World.warningsOf(tenant, "base"))]
    })
    yield* putAll(Credential, tenant, [...cards("FIRST_AID", 0, heldLimit - 1), ...cards("WWCC_NSW", heldLimit - 1)])
    assert.deepStrictEqual(yield* results, ["PASS"])
    yield* putAll(Credential, tenant, cards("FIRST_AID", -1))
    assert.deepStrictEqual(yield* results, ["FAIL", tooMuchHeld(worker)])
  })

  it("keeps a status once when two workers have evaluated it", function* (tenant) {
    yield* subscribe(tenant, mint("webhook"), ["worker.complianceChanged"])
    const worker = yield* World.putWorker(tenant)
    const store = yield* KeptComplianceStore
    const row = (yield* store.read(tenant, [worker])).get(worker) ?? assert.fail()
    const keeping = { row, status: statusOf({ checks: [], generation: 0 }, undefined), tasks: [], events: [] }
    assert.deepStrictEqual([...(yield* store.keep(tenant, [keeping]))], [worker])
    assert.deepStrictEqual([...(yield* store.keep(tenant, [keeping]))], [])
  })

  it("leaves the mark of a change that was made during the evaluation", function* (tenant) {
    const worker = yield* World.putWorker(tenant)
    const store = yield* KeptComplianceStore
    const row = (yield* store.read(tenant, [worker])).get(worker) ?? assert.fail()
    yield* World.putCard(tenant, World.card(worker, "WWCC_NSW"))
    yield* store.keep(tenant, [
      { row, status: statusOf({ checks: [], generation: 0 }, undefined), tasks: [], events: [] }
    ])
    assert.include(yield* store.uncertain(tenant, World.dayOn(0), 10), worker)
  })

  it("lists kept and newly evaluated workers in one order, each once if they fail several checks", function* (tenant) {
    for (const check of ["base", "other"]) yield* World.putCheck(tenant, check)
    // By code points, the last one comes after the one before. By UTF-16 it does not.
    const names = ["b", "a", "\u00e9", "\uff21", "\u{1d49c}"]
    const putNamed = (displayName: string) =>
      put(Worker, tenant, created(mint("worker"), workerFields({ identity: { displayName } })))
    const workers = yield* Effect.forEach(names, putNamed)
    yield* World.keepAll(tenant, 0)
    const store = yield* ResourceStore
    const complying = makeComplying(store, yield* KeptComplianceStore)
    for (const { id } of workers.filter((_, index) => index % 2 === 0)) yield* World.putBan(tenant, id)
    for (const direction of ["asc", "desc"] as const) {
      const all = select({ sort: { column: "display_name", direction }, includeTotal: true })
      const expected = yield* store.list(Worker, tenant, all)
      for (const offset of [0, 2, 4]) {
        for (const checks of [undefined, ["base", "other"]]) {
          const selection = { ...all, offset, pageSize: 2 }
          const wanted = { result: "FAIL", checks } as const
          const { items, nextCursor, total } = yield* complying(tenant, selection, wanted, World.dayOn(0))
          assert.deepStrictEqual(items, expected.items.slice(offset, offset + 2))
          assert.deepStrictEqual([total, nextCursor === null], [5, offset === 4])
        }
      }
    }
  })

  it("finds workers page by page while more statuses are uncertain than one call evaluates", function* (tenant) {
    const workers = yield* Effect.forEach(Array.from({ length: 130 }), () => World.putWorker(tenant))
    yield* World.putCheck(tenant, "base")
    const cleared = workers.filter((_, index) => index % 10 === 0)
    for (const worker of cleared) yield* World.putCard(tenant, World.card(worker, "WWCC_NSW"))
    const model = { PASS: cleared, FAIL: workers.filter((worker) => !cleared.includes(worker)) }
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 0, 50), model)
    yield* World.keepAll(tenant, 0)
    assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, 0, 50), model)
  })
}

/** Tests `KeptComplianceStore`, and the reads over it. */
export const keptComplianceSuite = (it: TenantTest): void => {
  describe("KeptComplianceStore", () => {
    eventTests(it)
    propertyTest(it)
    taskTests(it)
  })
}
