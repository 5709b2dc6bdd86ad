import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import * as SoftDelete from "@wcs/domain/resource/SoftDelete"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import { makeComplying } from "@wcs/domain/screening/ComplyingWorkers"
import { type KeptStatus, statusOf } from "@wcs/domain/screening/KeptCompliance"
import { certainIn, KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { Effect } from "effect"
import fc from "fast-check"
import {
  created,
  find,
  freshTenant,
  mint,
  put,
  remove,
  revise,
  select,
  subscribe,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { changeOwner } from "../ownership/Owning.ts"
import { check } from "../Property.ts"
import * as World from "./ComplianceWorld.ts"
import { tasksOf, taskTests, waitingIn } from "./TaskTests.ts"

/** A step of a history. Numbers choose among the rows that exist. */
type Step =
  | { readonly _tag: "card"; readonly worker: number; readonly type: number; readonly lastDay: number | undefined }
  | {
      readonly _tag: "transfer" | "expire" | "bar" | "ask" | "decide" | "removeCard"
      readonly card: number
      readonly worker: number
    }
  | { readonly _tag: "exempt"; readonly worker: number; readonly from: number; readonly days: number }
  | { readonly _tag: "endExemption"; readonly exemption: number }
  | { readonly _tag: "ban" | "employ" | "leave" | "removeWorker" | "restoreWorker"; readonly worker: number }
  | { readonly _tag: "end" | "decideBan"; readonly worker: number; readonly days: number }
  | { readonly _tag: "redefine"; readonly check: number; readonly any: boolean; readonly exemptionsCount: boolean }
  | { readonly _tag: "toggle"; readonly check: number }
  | { readonly _tag: "days"; readonly count: number }
  | { readonly _tag: "keep" }

const n = fc.nat(7)

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    _tag: fc.constant("card" as const),
    worker: n,
    type: n,
    lastDay: fc.option(fc.integer({ min: -1, max: 6 }), { nil: undefined })
  }),
  fc.record({ _tag: fc.constantFrom("transfer", "expire", "bar", "ask", "decide", "removeCard"), card: n, worker: n }),
  fc.record({ _tag: fc.constant("exempt" as const), worker: n, from: fc.nat(3), days: fc.nat(3) }),
  fc.record({ _tag: fc.constant("endExemption" as const), exemption: n }),
  fc.record({ _tag: fc.constantFrom("ban", "employ", "leave", "removeWorker", "restoreWorker"), worker: n }),
  fc.record({ _tag: fc.constantFrom("end", "decideBan"), worker: n, days: fc.integer({ min: -1, max: 3 }) }),
  fc.record({ _tag: fc.constant("redefine" as const), check: n, any: fc.boolean(), exemptionsCount: fc.boolean() }),
  fc.record({ _tag: fc.constant("toggle" as const), check: n }),
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("days" as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.constant<Step>({ _tag: "keep" }) }
)

/** The rows of a history, and its day. */
interface History {
  readonly tenant: string
  readonly workers: ReadonlyArray<string>
  readonly checks: ReadonlyArray<string>
  readonly cards: Array<string>
  readonly exemptions: Array<string>
  day: number
}

const pick = (rows: ReadonlyArray<string>, index: number): string | undefined => rows[index % Math.max(1, rows.length)]

const removal = (isRestored: boolean) => (current: Parameters<typeof SoftDelete.remove>[0]) =>
  isRestored ? SoftDelete.restore(current, current.updatedAt + 1) : SoftDelete.remove(current, current.updatedAt + 1)

/** Deletes or restores a row, unless it is so already. */
const setDeleted = Effect.fnUntraced(function* (
  resource: typeof Worker | typeof Credential | typeof Exemption,
  tenant: string,
  id: string | undefined,
  isRestored = false
) {
  const found = id === undefined ? undefined : yield* find<never>(resource as never, tenant, id)
  if (found === undefined || (found.deletedAt === null) === isRestored) return
  yield* revise<never>(resource as never, tenant, found.id, removal(isRestored) as never)
})

const changeCard = Effect.fnUntraced(function* (
  history: History,
  index: number,
  change: Readonly<Record<string, unknown>>
) {
  const id = pick(history.cards, index)
  if (id === undefined) return
  yield* revise(Credential, history.tenant, id, (current) => ({
    ...current,
    version: current.version + 1,
    fields: { attributes: { ...current.fields.attributes, ...change } }
  }))
})

const employ = (tenant: string, worker: string, employment: NonNullable<WorkerFields["employment"]>) =>
  revise(Worker, tenant, worker, (current) => ({
    ...current,
    version: current.version + 1,
    fields: { ...current.fields, employment }
  }))

const run = Effect.fnUntraced(function* (history: History, step: Step) {
  const { cards, checks, exemptions, tenant, workers } = history
  const workerAt = (index: number) => pick(workers, index) ?? assert.fail("no worker")
  switch (step._tag) {
    case "card": {
      const lastDay = step.lastDay === undefined ? undefined : history.day + step.lastDay
      const type = World.types[step.type % World.types.length] ?? "WWCC_NSW"
      cards.push(yield* World.putCard(tenant, World.card(workerAt(step.worker), type, lastDay)))
      return
    }
    case "transfer": {
      const id = pick(cards, step.card)
      const found = id === undefined ? undefined : yield* find(Credential, tenant, id)
      const from = found?.fields.attributes.owners.worker
      if (id === undefined || from === null || from === undefined) return
      const to = { type: "worker", id: workerAt(step.worker) } as const
      yield* changeOwner(tenant, id, { _tag: "Transfer", from: { type: "worker", id: from }, to })
      return
    }
    case "expire":
      return yield* changeCard(history, step.card, { expiryDate: World.dayOn(history.day + step.worker - 2) })
    case "bar":
      return yield* changeCard(history, step.card, { eligibility: "MAY_NOT_ENGAGE", statusDetail: "BARRED" })
    case "ask":
      return yield* changeCard(history, step.card, { eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" })
    case "decide":
      return yield* changeCard(history, step.card, {
        decision: World.decision(World.dayOn(history.day + step.worker - 1), step.card % 2 === 0)
      })
    case "removeCard":
      return yield* setDeleted(Credential, tenant, pick(cards, step.card))
    case "exempt": {
      const from = history.day + step.from
      exemptions.push((yield* World.putExemption(tenant, workerAt(step.worker), from, from + step.days)).id)
      return
    }
    case "endExemption":
      return yield* setDeleted(Exemption, tenant, pick(exemptions, step.exemption))
    case "ban":
      if (step.worker === 0) yield* World.putBan(tenant, workerAt(step.worker))
      if (step.worker === 1) yield* World.putBan(tenant, workerAt(step.worker), "REVIEW_REQUIRED")
      return
    case "decideBan":
      return yield* World.decideBan(tenant, workerAt(step.worker), {
        outcome: step.days % 2 === 0 ? "MAY_ENGAGE" : "MAY_NOT_ENGAGE",
        endsOn: World.dayOn(history.day + step.days)
      })
    case "employ":
      return yield* employ(tenant, workerAt(step.worker), {
        workerType: step.worker % 2 === 0 ? "EMPLOYEE" : "VOLUNTEER"
      })
    case "leave":
      return yield* employ(tenant, workerAt(step.worker), { status: "TERMINATED" })
    case "end":
      return yield* employ(tenant, workerAt(step.worker), { endDate: World.dayOn(history.day + step.days) })
    case "removeWorker":
      return yield* setDeleted(Worker, tenant, workerAt(step.worker))
    case "restoreWorker":
      return yield* setDeleted(Worker, tenant, workerAt(step.worker), true)
    case "redefine": {
      const { any, exemptionsCount } = step
      const mode = any ? ("ANY" as const) : ("ALL" as const)
      const requirement = { mode, exemptionsCount, credentialTypes: World.types.slice(0, 2) }
      yield* revise(ComplianceCheck, tenant, pick(checks, step.check) ?? "", (current) => ({
        ...current,
        version: current.version + 1,
        fields: { ...current.fields, requirement }
      }))
      return
    }
    case "toggle":
      yield* revise(ComplianceCheck, tenant, pick(checks, step.check) ?? "", (current) => ({
        ...current,
        version: current.version + 1,
        fields: { ...current.fields, enabled: !current.fields.enabled }
      }))
      return
    case "days":
      history.day += step.count
      return
    case "keep":
      yield* World.keepNext(tenant, history.day)
  }
})

/** The enabled checks, in the order of the matrix. */
const enabledIn = Effect.fnUntraced(function* ({ checks, tenant }: History) {
  const found = yield* Effect.forEach(checks, (id) => find(ComplianceCheck, tenant, id))
  return found.flatMap((row) => (row?.fields.enabled ? [row.id] : []))
})

/** Compares all reads with `evaluate`, whatever is kept. */
const compare = Effect.fnUntraced(function* (history: History, text: string) {
  const { day, tenant } = history
  const enabled = yield* enabledIn(history)
  const expected = yield* World.evaluated(tenant, day, enabled)
  if (enabled.length > 0) assert.deepStrictEqual<unknown>(yield* World.matrix(tenant, day), expected, text)
  const living = Object.keys(expected).sort()
  const modelOf = (checks: ReadonlyArray<string>) => {
    const cells = (id: string) => expected[id] as ReadonlyArray<{ readonly complianceCheckId: string; result: string }>
    const passes = (id: string) =>
      cells(id).every(({ complianceCheckId, result }) => result === "PASS" || !checks.includes(complianceCheckId))
    return { PASS: living.filter(passes), FAIL: living.filter((id) => !passes(id)) }
  }
  assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, day), modelOf(enabled), text)
  const first = enabled.slice(0, 1)
  if (first.length === 0) return expected
  assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, day, 2, first), modelOf(first), `${text} by ${first}`)
  return expected
})

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
