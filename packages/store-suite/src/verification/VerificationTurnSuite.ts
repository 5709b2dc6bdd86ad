import { assert, describe } from "@effect/vitest"
import { Credential, type CredentialFields } from "@wcs/domain/credential/Credential"
import { noRecords } from "@wcs/domain/resource/ChangeRecords"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Effect } from "effect"
import { credentialFields, freshTenant, mint, revise, start, type TenantTest } from "../Fixtures.ts"
import {
  claimOne,
  claimRuns,
  concludeBy,
  leased,
  leaseMillis,
  needsReview,
  noRuns,
  postponed,
  putAsked
} from "./VerificationFixtures.ts"

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

  it("does not let a tenant with much work delay others: all have as many leased runs, in order of waiting", function* () {
    yield* noRuns
    const [many, few, none] = [freshTenant(), freshTenant(), freshTenant()]
    const imported = yield* several(many, 9, start)
    const [one, other] = yield* several(few, 2, start + 100)
    assert.deepStrictEqual(idsOf(yield* claimRuns(start + 200, 3)), [imported[0], one, imported[1]])
    assert.deepStrictEqual(idsOf(yield* claimRuns(start + 200, 1)), [other])
    const [late] = yield* several(none, 1, start + 150)
    assert.deepStrictEqual(idsOf(yield* claimRuns(start + 200, 2)), [late, imported[2]])
  })

  it("counts a run as leased only until its lease expires", function* (before) {
    yield* noRuns
    const later = freshTenant()
    const [left] = yield* several(before, 3, start)
    yield* claimRuns(start + 9)
    const [fresh] = yield* several(later, 3, start + 100)
    assert.sameMembers(idsOf(yield* claimRuns(start + 9 + leaseMillis, 2)), [left, fresh])
  })

  it("does not let a credential type without free places delay other types, of any tenant", function* (tenant) {
    yield* noRuns
    const neighbour = freshTenant()
    const slow = yield* several(tenant, 5, start, "WWCC_NSW")
    const [quick] = yield* several(tenant, 1, start + 50, "WWCC_VIC")
    const [far] = yield* several(neighbour, 1, start + 60, "WWCC_NSW")
    const first = yield* claimRuns(start + 100, 9, { perType: 2 })
    assert.sameMembers(idsOf(first), [slow[0], far, quick])
    assert.deepStrictEqual(
      first.runs.map(({ credentialType }) => credentialType),
      idsOf(first).map((id) => (id === quick ? "WWCC_VIC" : "WWCC_NSW"))
    )
    // No place is free until the lease of the other type expires.
    assert.strictEqual(first.nextDueAt, start + 100 + leaseMillis)
    const full = { perType: 2, takenByType: new Map([["WWCC_NSW", 2]]) }
    assert.deepStrictEqual(idsOf(yield* claimRuns(start + 100, 9, full)), [])
    const free = { perType: 2, takenByType: new Map([["WWCC_NSW", 1]]) }
    assert.deepStrictEqual(idsOf(yield* claimRuns(start + 100, 9, free)), [slow[1]])
  })

  it("takes the remaining runs of a partly claimed queue next, then those due later", function* (tenant) {
    yield* noRuns
    const neighbour = freshTenant()
    yield* several(tenant, 2, start, "WWCC_NSW")
    yield* several(tenant, 1, start + 50, "WWCC_NSW")
    yield* several(neighbour, 1, start + 60, "WWCC_VIC")
    const first = yield* claimRuns(start + 9, 9)
    assert.deepStrictEqual([first.runs.length, first.nextDueAt], [2, start + 50])
    const second = yield* claimRuns(start + 50, 9)
    assert.deepStrictEqual([second.runs.length, second.nextDueAt], [1, start + 60])
    const third = yield* claimRuns(start + 60, 9)
    assert.deepStrictEqual([third.runs.length, third.nextDueAt], [1, start + 9 + leaseMillis])
  })

  it("leases as many runs of each credential type of a tenant", function* (tenant) {
    yield* noRuns
    const imported = yield* several(tenant, 6, start, "WWCC_NSW")
    const others = yield* several(tenant, 2, start + 50, "WWCC_VIC")
    const claimed = idsOf(yield* claimRuns(start + 100, 5))
    assert.deepStrictEqual(claimed, [imported[0], others[0], imported[1], others[1], imported[2]])
  })

  it("gives each of hundreds of tenants its turn with concurrent claims", function* () {
    yield* noRuns
    const asked = yield* Effect.forEach(Array.from({ length: 600 }), () => putAsked(freshTenant()), {
      concurrency: 32
    })
    assert.sameMembers(
      idsOf(yield* claimRuns(start, 1000)),
      asked.map(({ credentialId }) => credentialId)
    )
  })

  it("takes a run by the current type of its credential", function* (tenant) {
    yield* noRuns
    const [id = ""] = yield* several(tenant, 1, start, "WWCC_NSW")
    yield* concludeBy(tenant, id, yield* claimOne(start), needsReview)
    const next = (current: Stored<CredentialFields>) => ({
      ...current,
      version: current.version + 1,
      fields: credentialFields({ worker: mint("worker") }, { credentialType: "WWCC_VIC" })
    })
    yield* revise(Credential, tenant, id, next, { ...noRecords, reruns: [{ credentialId: id, dueAt: start + 1 }] })
    const full = { perType: 1, takenByType: new Map([["WWCC_VIC", 1]]) }
    assert.deepStrictEqual(yield* claimRuns(start + 1, 9, full), { runs: [], nextDueAt: null })
    const [again] = (yield* claimRuns(start + 1)).runs
    assert.strictEqual(again?.credentialType, "WWCC_VIC")
    yield* revise(Credential, tenant, id, (current) => ({
      ...current,
      version: current.version + 1,
      fields: credentialFields({ worker: mint("worker") }, { credentialType: "WWCC_NSW" })
    }))
    yield* concludeBy(tenant, id, leased(again?.lease ?? ""), postponed(start + 2, 0))
    assert.strictEqual((yield* claimRuns(start + 2)).runs[0]?.credentialType, "WWCC_NSW")
  })
}

/** The contract of `VerificationStore.claim` for turns. */
export const verificationTurnSuite = (it: TenantTest): void => {
  describe("VerificationStore, turns", () => turnTests(it))
}
