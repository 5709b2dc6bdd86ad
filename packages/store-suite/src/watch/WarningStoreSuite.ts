import { assert, describe } from "@effect/vitest"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { type Portion, type WarnedTenant, WarningStore } from "@wcs/domain/watch/WarningStore"
import { Effect } from "effect"
import { freshHost, serviceAccountFor } from "../access/AccessFixtures.ts"
import {
  applicantFields,
  auditEntry,
  created,
  credentialFields,
  eventDraft,
  find,
  freshTenant,
  mint,
  put,
  remove,
  subscribe,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"

const [yesterday, today] = ["2026-01-30", "2026-01-31"]

const neverWarned = (tenantId: string): WarnedTenant => ({
  tenantId,
  timeZone: "Australia/Sydney",
  through: null,
  round: null
})

const portion = (tenant: WarnedTenant, changes: Partial<Portion> = {}): Portion => ({
  tenant,
  after: yesterday,
  upTo: today,
  dates: [{ from: "2026-02-01", to: "2026-02-28" }],
  limit: 10,
  ...changes
})

/** A worker with cards of these last valid days. Returns the ids of the cards, in order. */
const putCards = Effect.fnUntraced(function* (tenant: string, ...expiryDates: ReadonlyArray<string>) {
  const worker = mint("worker")
  yield* put(Worker, tenant, created(worker, workerFields()))
  const ids: Array<string> = []
  for (const expiryDate of expiryDates) {
    const id = mint("credential")
    yield* put(Credential, tenant, created(id, credentialFields({ worker }, { expiryDate })))
    ids.push(id)
  }
  return { worker, ids }
})

const listening = (tenant: string) => subscribe(tenant, mint("webhook"), ["credential.expiring"])

/** Warns of each card that is shown. Returns the answer, and the cards with their owners. */
const warnAll = Effect.fnUntraced(function* (asked: Portion) {
  const store = yield* WarningStore
  const seen = new Map<string, ReadonlyArray<string>>()
  const answer = yield* store.warn(asked, (credential: Stored<CredentialFields>, owners) => {
    seen.set(
      credential.id,
      owners.map(({ person }) => person.id)
    )
    return { event: eventDraft(credential.id, "credential.expiring", { sequence: credential.version + 1 }) }
  })
  return { answer, seen: [...seen] }
})

const roundTests = (it: TenantTest): void => {
  it("shows the living cards of the dates in order, with the owners that exist", function* (tenant) {
    yield* listening(tenant)
    const { ids, worker } = yield* putCards(
      tenant,
      "2026-02-28",
      "2026-02-01",
      "2026-01-31",
      "2026-03-01",
      "2026-02-10"
    )
    const applicant = mint("applicant")
    yield* put(Applicant, tenant, created(applicant, applicantFields()))
    const shared = mint("credential")
    const owners = { worker: mint("worker"), applicant }
    yield* put(Credential, tenant, created(shared, credentialFields(owners, { expiryDate: "2026-02-02" })))
    yield* remove(Credential, tenant, ids[4] ?? "")
    const { answer, seen } = yield* warnAll(portion(neverWarned(tenant)))
    assert.deepStrictEqual(seen, [
      [ids[1] ?? "", [worker]],
      [shared, [applicant]],
      [ids[0] ?? "", [worker]]
    ])
    assert.deepStrictEqual(answer, { tenant: { ...neverWarned(tenant), through: today }, events: 3, messages: 0 })
  })

  it("goes on after the last card, over equal days and several ranges, and ends", function* (tenant) {
    yield* listening(tenant)
    const dates = [
      { from: "2026-02-01", to: "2026-02-02" },
      { from: "2026-02-10", to: "2026-02-20" }
    ]
    const { ids } = yield* putCards(tenant, "2026-02-01", "2026-02-01", "2026-02-02", "2026-02-05", "2026-02-10")
    const whole = [ids[0], ids[1], ids[2], ids[4]]
    let stand: WarnedTenant | undefined = neverWarned(tenant)
    const seen: Array<string> = []
    while (stand !== undefined && stand.through !== today) {
      const part: Effect.Success<ReturnType<typeof warnAll>> = yield* warnAll(portion(stand, { dates, limit: 1 }))
      seen.push(...part.seen.map(([id]) => id))
      stand = part.answer?.tenant
      if (seen.length === 2) {
        assert.deepStrictEqual(stand?.round, { upTo: today, last: { expiryDate: "2026-02-01", id: ids[1] ?? "" } })
        assert.strictEqual(stand?.through, yesterday)
      }
    }
    assert.deepStrictEqual(seen, whole)
    assert.isNull(stand?.round)
  })

  it("raises the version of the cards that have a warning, and of no others", function* (tenant) {
    yield* listening(tenant)
    const { ids } = yield* putCards(tenant, "2026-02-01", "2026-02-02")
    const store = yield* WarningStore
    yield* store.warn(portion(neverWarned(tenant)), ({ id }) =>
      id === ids[0] ? { event: eventDraft(id, "credential.expiring") } : {}
    )
    const versions = yield* Effect.forEach(ids, (id) => Effect.map(find(Credential, tenant, id), (one) => one?.version))
    assert.deepStrictEqual(versions, [2, 1])
  })
}

const onceTests = (it: TenantTest): void => {
  it("lets only the first of two workers carry out a part", function* (tenant) {
    yield* listening(tenant)
    yield* putCards(tenant, "2026-02-01", "2026-02-02", "2026-02-03")
    const part = portion(neverWarned(tenant), { limit: 1 })
    const answers = yield* Effect.forEach([1, 2, 3], () => warnAll(part), { concurrency: "unbounded" })
    const taken = answers.filter(({ answer }) => answer !== undefined)
    assert.lengthOf(taken, 1)
    const next = taken[0]?.answer?.tenant ?? neverWarned(tenant)
    assert.isUndefined((yield* warnAll(part)).answer)
    assert.lengthOf((yield* warnAll(portion(next, { limit: 1 }))).seen, 1)
  })

  it("ends a round at once, and writes nothing else, if no webhook wants the events", function* (tenant) {
    yield* subscribe(tenant, mint("webhook"), ["credential.created"])
    const { ids } = yield* putCards(tenant, "2026-02-01")
    const { answer, seen } = yield* warnAll(portion(neverWarned(tenant), { limit: 1 }))
    assert.deepStrictEqual(seen, [])
    assert.deepStrictEqual(answer, { tenant: { ...neverWarned(tenant), through: today }, events: 0, messages: 0 })
    assert.strictEqual((yield* find(Credential, tenant, ids[0] ?? ""))?.version, 1)
  })

  it("shows each tenant its own cards", function* (tenant) {
    yield* listening(tenant)
    yield* putCards(freshTenant(), "2026-02-01")
    assert.deepStrictEqual((yield* warnAll(portion(neverWarned(tenant)))).seen, [])
  })
}

const tenantTests = (it: TenantTest): void => {
  it("lists tenants in order of id with their time zone and their stand", function* () {
    const access = yield* AccessStore
    const store = yield* WarningStore
    const ids = [freshTenant(), freshTenant()]
    for (const id of ids) {
      const tenant = { id, name: "t", timeZone: "Pacific/Auckland", hosts: [freshHost()] }
      yield* access.insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
    }
    const [first = "", second = ""] = ids
    yield* warnAll(portion({ ...neverWarned(second), timeZone: "Pacific/Auckland" }))
    const tenants = yield* store.tenants(first, 1)
    assert.deepStrictEqual(tenants, [{ ...neverWarned(second), timeZone: "Pacific/Auckland", through: today }])
    const [before] = (yield* store.tenants(null, 10_000)).filter(({ tenantId }) => tenantId === first)
    assert.deepStrictEqual(before, { ...neverWarned(first), timeZone: "Pacific/Auckland" })
  })
}

/** Tests the contract of the warning store. */
export const warningStoreSuite = (it: TenantTest): void => {
  describe("WarningStore", () => {
    roundTests(it)
    onceTests(it)
    tenantTests(it)
  })
}
