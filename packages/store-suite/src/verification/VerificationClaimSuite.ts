import { assert, describe } from "@effect/vitest"
import { Credential } from "@wcs/domain/credential/Credential"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { Effect, Option } from "effect"
import { find, freshTenant, remove, start, type TenantTest } from "../Fixtures.ts"
import {
  claimOne,
  claimRuns,
  concludeBy,
  concluded,
  leased,
  leaseMillis,
  noRuns,
  putAsked
} from "./VerificationFixtures.ts"

const claimTests = (it: TenantTest): void => {
  it("returns a due run with the current credential, deleted or not", function* (tenant) {
    yield* noRuns
    const { credentialId } = yield* putAsked(tenant, start)
    yield* remove(Credential, tenant, credentialId)
    const early = yield* claimRuns(start - 1)
    assert.deepStrictEqual(early, { runs: [], nextDueAt: start })
    const { nextDueAt, runs } = yield* claimRuns(start)
    const [run] = runs
    assert.deepStrictEqual([run?.tenantId, run?.credentialId, run?.attempt], [tenant, credentialId, 1])
    assert.deepStrictEqual(
      Option.getOrUndefined(run?.credential ?? Option.none()),
      yield* find(Credential, tenant, credentialId)
    )
    assert.strictEqual(nextDueAt, start + leaseMillis)
  })

  it("returns no run twice to concurrent claims", function* (tenant) {
    yield* noRuns
    const asked = yield* Effect.forEach(Array.from({ length: 12 }), () => putAsked(tenant))
    const claims = yield* Effect.all(
      Array.from({ length: 6 }, () => claimRuns(start, 5)),
      { concurrency: "unbounded" }
    )
    const left = yield* claimRuns(start, 100)
    const taken = [...claims, left].flatMap(({ runs }) => runs.map(({ credentialId }) => credentialId))
    assert.sameMembers(
      taken,
      asked.map(({ credentialId }) => credentialId)
    )
    assert.strictEqual(new Set(taken).size, taken.length)
    for (const { runs } of claims) assert.isAtMost(runs.length, 5)
  })

  it("returns the longest due runs of all tenants first, up to the limit", function* () {
    yield* noRuns
    const asked = yield* Effect.forEach([3, 1, 2, 4], (later) => putAsked(freshTenant(), start + later))
    const order = [1, 2, 0].map((index) => asked[index]?.credentialId)
    const { nextDueAt, runs } = yield* claimRuns(start + 9, 3)
    assert.deepStrictEqual(
      runs.map(({ credentialId }) => credentialId),
      order
    )
    assert.isNull(nextDueAt, "no place is free")
    assert.strictEqual((yield* claimRuns(start + 3, 3)).nextDueAt, start + 4)
  })

  it("makes a run due again when its lease expires, as the next attempt; the old lease is invalid", function* (tenant) {
    yield* noRuns
    const { credentialId } = yield* putAsked(tenant)
    const first = yield* claimOne(start)
    assert.deepStrictEqual((yield* claimRuns(start + leaseMillis - 1)).runs, [])
    const [second] = (yield* claimRuns(start + leaseMillis)).runs
    assert.strictEqual(second?.attempt, 2)
    const late = yield* concludeBy(tenant, credentialId, first, concluded())
    assert.deepStrictEqual(late, { isDone: false, basis: undefined })
    assert.isTrue((yield* concludeBy(tenant, credentialId, leased(second?.lease ?? ""), concluded())).isDone)
  })

  it("makes a released run due now, as the same attempt; another worker's run is not released", function* () {
    yield* noRuns
    const store = yield* VerificationStore
    const { credentialId } = yield* putAsked(freshTenant())
    const [run] = (yield* claimRuns(start)).runs
    assert.isDefined(run)
    if (run === undefined) return
    yield* store.release({ ...run, lease: "another" }, start + 1)
    assert.deepStrictEqual((yield* claimRuns(start + 1)).runs, [])
    yield* store.release(run, start + 1)
    const [again] = (yield* claimRuns(start + 1)).runs
    assert.deepStrictEqual([again?.credentialId, again?.attempt], [credentialId, 1])
  })
}

/** The contract of `VerificationStore.claim` and `release` for leases. */
export const verificationClaimSuite = (it: TenantTest): void => {
  describe("VerificationStore.claim and release", () => claimTests(it))
}
