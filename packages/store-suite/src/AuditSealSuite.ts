import { assert, describe } from "@effect/vitest"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { loggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import { Worker } from "@wcs/domain/people/Worker"
import { Effect, Option } from "effect"
import {
  auditEntry,
  auditLog,
  created,
  freshTenant,
  mint,
  put,
  start,
  type TenantTest,
  workerFields
} from "./Fixtures.ts"

const newest = Number.MAX_SAFE_INTEGER

/** Writes entries of one tenant in one change. */
const keep = (tenant: string, entries: ReadonlyArray<AuditEntry>) =>
  put(Worker, tenant, created(mint("worker"), workerFields()), { audit: entries, events: [] })

/** Entries of every kind: by a bearer or none, with a change of owners or none. */
const variety = (): ReadonlyArray<AuditEntry> => [
  auditEntry("cred_1"),
  auditEntry("cred_1", { bearer: { kind: "oauth", id: "wcs_oauth_1" } }),
  auditEntry("cred_2", { ownership: { before: noOwners, after: { ...noOwners, worker: "wkr_1" } } }),
  auditEntry("cred_2", { account: 'urn:wcs:"ü\n', at: start - 7 })
]

const seal = (tenantId: string, number: number, changes: Partial<AuditSeal> = {}): AuditSeal => ({
  tenantId,
  number,
  count: 1,
  firstId: "aud_1",
  lastId: "aud_1",
  lastPosition: 7 * number,
  entriesHash: "hash",
  contents: ["0123456789ab aud_1", 'ba9876543210 "ü'],
  previousHash: number === 1 ? "" : "previous",
  sealedAt: start,
  signature: "signature",
  ...changes
})

const entryTests = (it: TenantTest): void => {
  it("returns each entry with every value and the position that the audit log shows, in order", function* (tenant) {
    const store = yield* AuditSealStore
    const entries = variety()
    yield* keep(tenant, entries.slice(0, 2))
    yield* keep(tenant, entries.slice(2))
    yield* keep(freshTenant(), [auditEntry("cred_1")])
    const positions = (yield* auditLog(tenant)).map(({ position }) => position)
    assert.deepStrictEqual(
      yield* store.entries(tenant, { after: null, upTo: newest }, 100),
      entries.map((entry, index) => loggedEntry(positions[index] ?? 0, entry))
    )
  })

  it("returns the entries of a range, at most the limit, without its first position", function* (tenant) {
    const store = yield* AuditSealStore
    yield* keep(tenant, variety())
    const positions = (yield* auditLog(tenant)).map(({ position }) => position)
    const [first = 0, second = 0, third = 0] = positions
    const found = (after: number | null, upTo: number, limit = 100) =>
      Effect.map(store.entries(tenant, { after, upTo }, limit), (entries) => entries.map(({ position }) => position))
    assert.deepStrictEqual(yield* found(first, third), [second, third])
    assert.deepStrictEqual(yield* found(null, second), [first, second])
    assert.deepStrictEqual(yield* found(null, newest, 2), [first, second])
    assert.deepStrictEqual(yield* found(first, newest, 1), [second])
    assert.deepStrictEqual(yield* found(third, first), [])
  })

  it("has a mark at or above every visible entry", function* (tenant) {
    const store = yield* AuditSealStore
    const before = yield* store.mark
    yield* keep(tenant, variety())
    const after = yield* store.mark
    assert.isAtLeast(after.position, before.position + 4)
    assert.isAtLeast(after.position, (yield* auditLog(tenant)).at(-1)?.position ?? 0)
  })
}

const sealTests = (it: TenantTest): void => {
  it("returns the seals of a tenant in order, as they were stored", function* (tenant) {
    const store = yield* AuditSealStore
    assert.deepStrictEqual(yield* store.newestSeal(tenant), Option.none())
    const seals = Array.from({ length: 11 }, (_, index) => seal(tenant, index + 1))
    for (const each of seals) assert.isTrue(yield* store.insert(each))
    assert.isTrue(yield* store.insert(seal(freshTenant(), 1)))
    assert.deepStrictEqual(yield* store.seals(tenant, 0, 100), seals)
    assert.deepStrictEqual(yield* store.seals(tenant, 2, 3), seals.slice(2, 5))
    assert.deepStrictEqual(yield* store.seals(tenant, 11, 3), [])
    assert.deepStrictEqual(yield* store.newestSeal(tenant), Option.some(seals[10]))
  })

  it("stores one of several seals with the same number", function* (tenant) {
    const store = yield* AuditSealStore
    const tried = yield* Effect.forEach([0, 1, 2, 3], (sealedAt) => store.insert(seal(tenant, 1, { sealedAt })), {
      concurrency: "unbounded"
    })
    assert.lengthOf(tried.filter(Boolean), 1)
    const [kept, ...others] = yield* store.seals(tenant, 0, 100)
    assert.deepStrictEqual([kept?.sealedAt, others], [tried.indexOf(true), []])
  })
}

const tenantTests = (it: TenantTest): void => {
  it("lists tenants with entries in order, with their newest entry and the end of their seals", function* () {
    const store = yield* AuditSealStore
    const [one, two, three] = [freshTenant(), freshTenant(), freshTenant()]
    for (const tenant of [three, one, two]) yield* keep(tenant, variety())
    yield* keep(two, [])
    yield* store.insert(seal(two, 1))
    yield* store.insert(seal(two, 2))
    const ends = yield* Effect.forEach([one, two, three], (tenant) =>
      Effect.map(auditLog(tenant), (entries) => entries.at(-1)?.position ?? 0)
    )
    const expected = [
      { tenantId: one, newest: ends[0], sealedTo: null },
      { tenantId: two, newest: ends[1], sealedTo: 14 },
      { tenantId: three, newest: ends[2], sealedTo: null }
    ]
    const listed = (yield* store.tenants(one.slice(0, -1), 1000)).filter(({ tenantId }) => tenantId >= one)
    assert.deepStrictEqual(listed.slice(0, 3) as ReadonlyArray<unknown>, expected)
    assert.deepStrictEqual((yield* store.tenants(one, 1)) as ReadonlyArray<unknown>, expected.slice(1, 2))
    assert.deepStrictEqual(yield* store.tenants("tnt_zzzz", 5), [])
  })

  it("lists a tenant that has only seals", function* () {
    const store = yield* AuditSealStore
    const [one, two] = [freshTenant(), freshTenant()]
    yield* keep(two, [])
    yield* store.insert(seal(two, 1))
    const [listed] = yield* store.tenants(one, 1)
    assert.deepStrictEqual(listed, { tenantId: two, newest: null, sealedTo: 7 })
  })

  it("lists every tenant once, page by page, and the deployment under an empty id", function* (tenant) {
    const store = yield* AuditSealStore
    yield* keep(tenant, variety())
    const all = (yield* store.tenants(null, 10_000)).map(({ tenantId }) => tenantId)
    const walked: Array<string> = []
    for (let after: string | null = null; ; ) {
      const page: ReadonlyArray<{ readonly tenantId: string }> = yield* store.tenants(after, 7)
      walked.push(...page.map(({ tenantId }) => tenantId))
      if (page.length < 7) break
      after = page.at(-1)?.tenantId ?? null
    }
    assert.deepStrictEqual(walked, all)
    assert.include(all, tenant)
    assert.strictEqual(new Set(all).size, all.length)
  })
}

/** Tests the contract of `AuditSealStore`. */
export const auditSealSuite = (it: TenantTest): void => {
  describe("AuditSealStore: entries", () => entryTests(it))
  describe("AuditSealStore: seals", () => sealTests(it))
  describe("AuditSealStore: tenants", () => tenantTests(it))
}
