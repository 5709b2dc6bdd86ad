import { assert, describe } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Effect } from "effect"
import { credentialFields, freshTenant, mint, revise, start, type TenantTest } from "../Fixtures.ts"
import { byWorker, concludeBy, dueOne, dueRuns, needsReview, postponed, putAsked } from "./VerificationFixtures.ts"

const turnTests = (it: TenantTest): void => {
  /** Opens verifications of a tenant for one credential type, due from a time on. */
  const several = (tenant: string, count: number, from: number, credentialType?: "WWCC_NSW" | "WWCC_VIC") =>
    Effect.forEach(Array.from({ length: count }), (_, index) =>
      Effect.map(
        putAsked(tenant, from + index, credentialType === undefined ? {} : { credentialType }),
        ({ credentialId }) => credentialId
      )
    )
  const idsOf = ({ runs }: { readonly runs: ReadonlyArray<{ readonly credentialId: string }> }) =>
    runs.map(({ credentialId }) => credentialId)

  it("does not let a tenant with much work delay others: all have equally many runs in flight, in order of waiting", function* () {
    const [many, few, none] = [freshTenant(), freshTenant(), freshTenant()]
    const imported = yield* several(many, 9, start)
    const [one, other] = yield* several(few, 2, start + 100)
    const first = yield* dueRuns(start + 200, 3)
    assert.deepStrictEqual(idsOf(first), [imported[0], one, imported[1]])
    const second = yield* dueRuns(start + 200, 1, { inFlight: first.runs })
    assert.deepStrictEqual(idsOf(second), [other])
    const [late] = yield* several(none, 1, start + 150)
    const third = yield* dueRuns(start + 200, 2, { inFlight: [...first.runs, ...second.runs] })
    assert.deepStrictEqual(idsOf(third), [late, imported[2]])
  })

  it("does not let a credential type without free places delay other types, of any tenant", function* () {
    const [tenant, neighbour] = [freshTenant(), freshTenant()]
    const slow = yield* several(tenant, 5, start, "WWCC_NSW")
    const [quick] = yield* several(tenant, 1, start + 50, "WWCC_VIC")
    const [far] = yield* several(neighbour, 1, start + 60, "WWCC_NSW")
    const first = yield* dueRuns(start + 100, 9, { perType: 2 })
    assert.sameMembers(idsOf(first), [slow[0], far, quick])
    assert.deepStrictEqual(
      first.runs.map(({ credentialType }) => credentialType),
      idsOf(first).map((id) => (id === quick ? "WWCC_VIC" : "WWCC_NSW"))
    )
    assert.deepStrictEqual(idsOf(yield* dueRuns(start + 100, 9, { perType: 2, inFlight: first.runs })), [])
    const inFlight = first.runs.filter(({ credentialId }) => credentialId !== far)
    assert.deepStrictEqual(idsOf(yield* dueRuns(start + 100, 9, { perType: 2, inFlight })), [far])
  })

  it("finds the runs of a queue behind those of other partitions", function* () {
    const tenant = freshTenant()
    const ids = yield* several(tenant, 40, start)
    const [last = ""] = ids.slice(-1)
    const later = yield* several(freshTenant(), 1, start + 99)
    const partitions = [...new Set([last, ...later].map(partitionOf))]
    const own = [...ids, ...later].filter((id) => partitions.includes(partitionOf(id)))
    assert.deepStrictEqual(idsOf(yield* dueRuns(start + 100, 1, { partitions })), own.slice(0, 1))
    assert.sameMembers(idsOf(yield* dueRuns(start + 100, 100, { partitions })), own)
  })

  it("returns the remaining runs of a queue next, then those due later", function* () {
    const [tenant, neighbour] = [freshTenant(), freshTenant()]
    yield* several(tenant, 2, start, "WWCC_NSW")
    yield* several(tenant, 1, start + 50, "WWCC_NSW")
    yield* several(neighbour, 1, start + 60, "WWCC_VIC")
    const first = yield* dueRuns(start + 9, 9)
    assert.deepStrictEqual([first.runs.length, first.nextDueAt], [2, start + 50])
    const second = yield* dueRuns(start + 50, 9, { inFlight: first.runs })
    assert.deepStrictEqual([second.runs.length, second.nextDueAt], [1, start + 60])
    const third = yield* dueRuns(start + 60, 9, { inFlight: [...first.runs, ...second.runs] })
    assert.deepStrictEqual([third.runs.length, third.nextDueAt], [1, null])
  })

  it("returns equally many runs of each credential type of a tenant", function* (tenant) {
    const imported = yield* several(tenant, 6, start, "WWCC_NSW")
    const others = yield* several(tenant, 2, start + 50, "WWCC_VIC")
    const taken = idsOf(yield* dueRuns(start + 100, 5))
    assert.deepStrictEqual(taken, [imported[0], others[0], imported[1], others[1], imported[2]])
  })

  it("gives each of hundreds of tenants its turn", function* () {
    const asked = yield* Effect.forEach(Array.from({ length: 600 }), () => putAsked(freshTenant()), {
      concurrency: 32
    })
    assert.sameMembers(
      idsOf(yield* dueRuns(start, 1000)),
      asked.map(({ credentialId }) => credentialId)
    )
  })

  it("takes a run by the current type of its credential", function* (tenant) {
    const [id = ""] = yield* several(tenant, 1, start, "WWCC_NSW")
    yield* concludeBy(tenant, id, yield* dueOne(start), needsReview)
    const next = (current: Stored<CredentialFields>) => ({
      ...current,
      version: current.version + 1,
      fields: credentialFields({ worker: mint("worker") }, { credentialType: "WWCC_VIC" })
    })
    yield* revise(Credential, tenant, id, next, { ...noRecords, reruns: [{ credentialId: id, dueAt: start + 1 }] })
    const inFlight = [{ tenantId: tenant, credentialId: "another", credentialType: "WWCC_VIC" }]
    assert.deepStrictEqual(yield* dueRuns(start + 1, 9, { perType: 1, inFlight }), { runs: [], nextDueAt: null })
    const [again] = (yield* dueRuns(start + 1)).runs
    assert.strictEqual(again?.credentialType, "WWCC_VIC")
    yield* revise(Credential, tenant, id, (current) => ({
      ...current,
      version: current.version + 1,
      fields: credentialFields({ worker: mint("worker") }, { credentialType: "WWCC_NSW" })
    }))
    yield* concludeBy(tenant, id, byWorker(again), postponed(start + 2, 0))
    assert.strictEqual((yield* dueRuns(start + 2)).runs[0]?.credentialType, "WWCC_NSW")
  })
}

/** The contract of `VerificationStore.readDue` for turns. */
export const verificationTurnSuite = (it: TenantTest): void => {
  describe("VerificationStore, turns", () => turnTests(it))
}
