import { assert, describe } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { type Plan, plansOf } from "@wcs/domain/schedule/Plan"
import type { DueIds } from "@wcs/domain/schedule/Schedule"
import { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { VerificationSource, type VerificationSourceFields } from "@wcs/domain/verification/VerificationSource"
import { Effect } from "effect"
import { freshHost, serviceAccountFor } from "../access/AccessFixtures.ts"
import {
  applicantFields,
  auditEntry,
  created,
  credentialFields,
  freshTenant,
  mint,
  put,
  remove,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import {
  ask,
  byWorker,
  concludeBy,
  concluded,
  dueRuns,
  historyOf,
  needsReview,
  noRuns
} from "../verification/VerificationFixtures.ts"

const planOf = (tenantId: string, changes: Partial<Plan> = {}): Plan => ({
  ...{ tenantId, timeZone: "Australia/Sydney", source: undefined, types: ["WWCC_VIC", "WWCC_WA"] },
  ...{ intervalDays: 7, openMax: 10, stand: null, lookedAt: null },
  ...changes
})

const all: DueIds = {
  at: start,
  stand: { turn: start, last: "" },
  before: "cred_zzzzzzzz",
  end: { turn: start, last: "cred_zzzzzzzz" }
}

/** A worker with a card of each type. Returns the ids of the cards, in order. */
const putCards = Effect.fnUntraced(function* (tenant: string, ...types: ReadonlyArray<string>) {
  const worker = mint("worker")
  yield* put(Worker, tenant, created(worker, workerFields()))
  const ids: Array<string> = []
  for (const credentialType of types) {
    const id = mint("credential")
    yield* put(Credential, tenant, created(id, credentialFields({ worker }, { credentialType })))
    ids.push(id)
  }
  return { worker, ids }
})

/** Starts a verification of each card that is shown. Returns the answer, and the cards with their owners. */
const startAll = Effect.fnUntraced(function* (plan: Plan, due: DueIds = all, limit = 10) {
  const store = yield* ScheduleStore
  const seen: Array<readonly [string, ReadonlyArray<string>]> = []
  const answer = yield* store.start(plan, due, limit, ({ id }, owners) => {
    seen.push([id, owners.map(({ person }) => person.id)])
    const started = { correlationId: "c", requestId: "r", trigger: "schedule", account: "urn:wcs:server" } as const
    return { ...started, id: mint("verification"), credentialId: id, requestedAt: due.at, outcome: null }
  })
  return { answer, seen, ids: seen.map(([id]) => id) }
})

const standOf = (tenant: string, id = "") =>
  Effect.map(
    ScheduleStore.use((store) => store.tenant(tenant)),
    (found) => found?.stands.get(id)
  )

/** Stores the tenant itself. */
const insert = Effect.fnUntraced(function* (id: string) {
  const tenant = { id, name: "t", timeZone: "Pacific/Auckland", hosts: [freshHost()] }
  yield* (yield* AccessStore).insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
})

const startTests = (it: TenantTest): void => {
  it("starts a verification of each living card of its types in order, shown with the owners that exist", function* (tenant) {
    yield* noRuns
    const { ids, worker } = yield* putCards(tenant, "WWCC_VIC", "FIRST_AID", "WWCC_WA", "WWCC_VIC")
    const applicant = mint("applicant")
    yield* put(Applicant, tenant, created(applicant, applicantFields()))
    const shared = mint("credential")
    const owners = { worker: mint("worker"), applicant }
    yield* put(Credential, tenant, created(shared, credentialFields(owners, { credentialType: "WWCC_VIC" })))
    yield* remove(Credential, tenant, ids[3] ?? "")
    const { answer, seen } = yield* startAll(planOf(tenant))
    assert.deepStrictEqual(seen, [
      [ids[0] ?? "", [worker]],
      [ids[2] ?? "", [worker]],
      [shared, [applicant]]
    ])
    assert.deepStrictEqual(answer, { started: 3, isBehind: false })
    const { runs } = yield* dueRuns(start, 1000)
    const own = runs.filter(({ tenantId }) => tenantId === tenant)
    assert.sameMembers(
      own.map(({ credentialId }) => credentialId),
      [ids[0] ?? "", ids[2] ?? "", shared]
    )
    const [verification] = yield* historyOf(tenant, shared)
    assert.deepInclude(verification, { trigger: "schedule", outcome: null })
  })

  it("looks only at cards after the stand and before the end", function* (tenant) {
    const { ids } = yield* putCards(tenant, "WWCC_VIC", "WWCC_VIC", "WWCC_VIC", "WWCC_VIC")
    const [first = "", second = "", third = "", fourth = ""] = ids
    const due = { ...all, stand: { turn: start, last: first }, before: fourth }
    assert.deepStrictEqual((yield* startAll(planOf(tenant), due)).ids, [second, third])
  })

  it("skips a card whose verification is open, and leaves that one alone", function* (tenant) {
    const { ids } = yield* putCards(tenant, "WWCC_VIC", "WWCC_VIC")
    const [first = "", second] = ids
    yield* ask(tenant, first)
    assert.deepStrictEqual((yield* startAll(planOf(tenant))).ids, [second])
    assert.lengthOf(yield* historyOf(tenant, first), 1)
  })

  it("counts open verifications of its types towards the maximum, but none that wait for a person", function* (tenant) {
    yield* noRuns
    const { ids } = yield* putCards(tenant, "WWCC_VIC", "WWCC_WA", "WWCC_NSW", "WWCC_VIC", "WWCC_VIC")
    const [first = "", second = "", other = "", fourth, fifth] = ids
    for (const id of [first, second, other]) yield* ask(tenant, id)
    const plan = planOf(tenant, { openMax: 2 })
    assert.deepStrictEqual((yield* startAll(plan)).answer, { started: 0, isBehind: true })
    const { runs } = yield* dueRuns(start, 1000)
    const runOf = (id: string) => byWorker(runs.find(({ credentialId }) => credentialId === id))
    yield* concludeBy(tenant, first, runOf(first), needsReview)
    const stand = { turn: start, last: "" }
    assert.deepStrictEqual((yield* startAll({ ...plan, stand })).ids, [fourth])
    yield* concludeBy(tenant, second, runOf(second), concluded())
    const next = { ...plan, stand: { turn: start, last: fourth ?? "" } }
    const { answer, ids: last } = yield* startAll(next, { ...all, stand: next.stand })
    assert.deepStrictEqual([answer, last], [{ started: 1, isBehind: false }, [fifth]])
  })
}

const standTests = (it: TenantTest): void => {
  it("keeps the last card that was looked at while more are due, and else the end", function* (tenant) {
    yield* insert(tenant)
    const { ids } = yield* putCards(tenant, "WWCC_VIC", "WWCC_VIC", "WWCC_VIC")
    const [first = "", second = ""] = ids
    let plan = planOf(tenant, { openMax: 1 })
    assert.deepStrictEqual((yield* startAll(plan)).answer, { started: 1, isBehind: true })
    assert.deepStrictEqual(yield* standOf(tenant), { turn: start, last: first, lookedAt: start })
    plan = { ...plan, openMax: 10, stand: { turn: start, last: first } }
    const rest = { ...all, at: start + 1, stand: { turn: start, last: first } }
    assert.deepStrictEqual((yield* startAll(plan, rest, 1)).answer, { started: 1, isBehind: true })
    assert.deepStrictEqual(yield* standOf(tenant), { turn: start, last: second, lookedAt: start + 1 })
    plan = { ...plan, stand: { turn: start, last: second } }
    const last = {
      ...rest,
      stand: { turn: start, last: second },
      before: undefined,
      end: { turn: start + 9, last: "" }
    }
    assert.deepStrictEqual((yield* startAll(plan, last)).answer, { started: 1, isBehind: true })
    assert.deepStrictEqual(yield* standOf(tenant), { turn: start + 9, last: "", lookedAt: start + 1 })
  })

  it("writes nothing about an empty round until an hour has passed", function* (tenant) {
    yield* insert(tenant)
    yield* startAll(planOf(tenant))
    const plan = planOf(tenant, { stand: all.end })
    const later = (millis: number) => ({ ...all, at: start + millis, stand: all.end, end: all.end })
    yield* startAll(plan, later(3_599_999))
    assert.strictEqual((yield* standOf(tenant))?.lookedAt, start)
    yield* startAll(plan, later(3_600_000))
    assert.strictEqual((yield* standOf(tenant))?.lookedAt, start + 3_600_000)
  })

  it("lets only the first of several workers start", function* (tenant) {
    const { ids } = yield* putCards(tenant, "WWCC_VIC", "WWCC_VIC")
    const answers = yield* Effect.forEach([1, 2, 3], () => startAll(planOf(tenant)), { concurrency: "unbounded" })
    assert.lengthOf(
      answers.filter(({ answer }) => answer !== undefined),
      1
    )
    for (const id of ids) assert.lengthOf(yield* historyOf(tenant, id), 1)
    assert.isUndefined((yield* startAll(planOf(tenant, { stand: { turn: start, last: "cred_1" } }))).answer)
  })

  it("gives each source, and each tenant, a stand and cards of its own", function* (tenant) {
    yield* insert(tenant)
    yield* putCards(freshTenant(), "WWCC_VIC")
    assert.deepStrictEqual((yield* startAll(planOf(tenant))).ids, [])
    assert.isUndefined(yield* standOf(tenant, "src_0000000000000001"))
  })
}

const source: VerificationSourceFields = {
  ...{
    credentialType: "WWCC_VIC",
    url: "https://gateway.example.org/",
    intervalDays: 3,
    limits: { callsPerMinute: 10 }
  },
  ...{ state: "OK", lastSuccessAt: null, lastFault: null, lastResult: "OK", isPaused: false, sealedSecret: "sealed" }
}

const readTests = (it: TenantTest): void => {
  it("lists tenants in order of id with their time zone, living sources and stands", function* () {
    const store = yield* ScheduleStore
    const ids = [freshTenant(), freshTenant()]
    for (const id of ids) yield* insert(id)
    const [first = "", second = ""] = ids
    const [living, deleted] = [mint("verificationSource"), mint("verificationSource")]
    for (const id of [living, deleted]) yield* put(VerificationSource, second, created(id, source))
    yield* remove(VerificationSource, second, deleted)
    const settings = { accountsOf: "every", callsPerMinute: null, intervalDays: 7 } as const
    const found = yield* store.tenants(first, 1)
    const [own, standard] = found.flatMap((one) => plansOf(one, settings))
    if (own === undefined || standard === undefined) return assert.fail()
    assert.deepStrictEqual([own.source?.id, standard.source], [living, undefined])
    assert.strictEqual(own.timeZone, "Pacific/Auckland")
    yield* startAll(own)
    const [after] = yield* store.tenants(first, 1)
    assert.deepStrictEqual([...(after?.stands ?? [])], [[living, { ...all.end, lookedAt: start }]])
    assert.deepStrictEqual(yield* store.tenant(second), after)
    const empty = { tenantId: first, timeZone: "Pacific/Auckland", sources: [], stands: new Map() }
    assert.deepStrictEqual(yield* store.tenant(first), empty)
    assert.isUndefined(yield* store.tenant(freshTenant()))
  })

  it("counts due cards and open verifications of its types up to a maximum", function* (tenant) {
    const store = yield* ScheduleStore
    const { ids } = yield* putCards(tenant, "WWCC_VIC", "WWCC_WA", "FIRST_AID", "WWCC_VIC")
    for (const id of ids.slice(0, 3)) yield* ask(tenant, id)
    const plan = planOf(tenant)
    assert.deepStrictEqual(yield* store.backlog(plan, all, 10), { due: 3, running: 2 })
    assert.deepStrictEqual(yield* store.backlog(plan, all, 1), { due: 1, running: 1 })
    const rest = { ...all, stand: { turn: start, last: ids[0] ?? "" } }
    assert.deepStrictEqual(yield* store.backlog(plan, rest, 10), { due: 2, running: 2 })
  })
}

/** Tests the contract of the schedule store. */
export const scheduleStoreSuite = (it: TenantTest): void => {
  describe("ScheduleStore", () => {
    startTests(it)
    standTests(it)
    readTests(it)
  })
}
