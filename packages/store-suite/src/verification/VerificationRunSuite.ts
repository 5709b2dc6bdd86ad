import { assert, describe } from "@effect/vitest"
import { Credential, type CredentialFields } from "@wcs/domain/credential/Credential"
import { noRecords } from "@wcs/domain/resource/ChangeRecords"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Effect } from "effect"
import { revise, start, type TenantTest } from "../Fixtures.ts"
import {
  ask,
  claimOne,
  claimRuns,
  concludeBy,
  concluded,
  historyOf,
  leased,
  leaseMillis,
  needsReview,
  noRuns,
  outcome,
  postponed,
  putAsked,
  rerun,
  reviewer,
  verification
} from "./VerificationFixtures.ts"

const coalesceTests = (it: TenantTest): void => {
  it("keeps one run per credential, which a later call leaves unchanged", function* (tenant) {
    yield* noRuns
    const first = yield* putAsked(tenant)
    const id = first.credentialId
    const second = yield* ask(tenant, id, { requestedAt: start - 10 })
    assert.deepStrictEqual(yield* claimRuns(start - 1), { runs: [], nextDueAt: start })
    const { runs } = yield* claimRuns(start)
    assert.lengthOf(runs, 1)
    const third = yield* ask(tenant, id)
    assert.deepStrictEqual((yield* claimRuns(start)).runs, [])
    const { basis } = yield* concludeBy(tenant, id, leased(runs[0]?.lease ?? ""), concluded())
    assert.deepStrictEqual(basis?.open, [first, second, third])
    assert.deepStrictEqual(yield* historyOf(tenant, id), [
      { ...first, outcome: outcome() },
      { ...second, outcome: outcome() },
      { ...third, outcome: outcome() }
    ])
  })

  it("starts no run for a verification that is answered immediately", function* (tenant) {
    yield* noRuns
    const { credentialId } = yield* putAsked(tenant)
    yield* concludeBy(tenant, credentialId, yield* claimOne(start), concluded())
    yield* ask(tenant, credentialId, { outcome: outcome() })
    assert.deepStrictEqual(yield* claimRuns(start + 1), { runs: [], nextDueAt: null })
  })

  it("starts a new run for a verification after a conclusion, and keeps the concluded ones", function* (tenant) {
    yield* noRuns
    const first = yield* putAsked(tenant)
    yield* concludeBy(tenant, first.credentialId, yield* claimOne(start), concluded())
    const second = yield* ask(tenant, first.credentialId, { requestedAt: start + 5 })
    const [next] = (yield* claimRuns(start + 5)).runs
    assert.strictEqual(next?.attempt, 1)
    const { basis } = yield* concludeBy(
      tenant,
      first.credentialId,
      leased(next?.lease ?? ""),
      concluded({ ...outcome(), expiryDate: null })
    )
    assert.deepStrictEqual(basis?.open, [second])
    assert.deepStrictEqual(yield* historyOf(tenant, first.credentialId), [
      { ...first, outcome: outcome() },
      { ...second, outcome: outcome({ expiryDate: null }) }
    ])
  })
}

/** Requests a rerun as a change of the card does, with a verification if the new card has a register. */
const anew = Effect.fnUntraced(function* (tenantId: string, credentialId: string, at: number, isAsked: boolean) {
  if (!isAsked) {
    yield* rerun(tenantId, credentialId, at)
    return []
  }
  const draft = verification(credentialId, { trigger: "update", requestedAt: at })
  const next = (current: Stored<CredentialFields>) => ({ ...current, version: current.version + 1 })
  const reruns = [{ credentialId, dueAt: at }]
  yield* revise(Credential, tenantId, credentialId, next, { ...noRecords, verifications: [draft], reruns })
  return [draft]
})

const rerunTests = (it: TenantTest, isAsked: boolean): void => {
  for (const [state, conclusion] of [
    ["awaits review", needsReview],
    ["waits for its next attempt", postponed(start + 500, 3)]
  ] as const) {
    it(`makes a run that ${state} due at the time of the change, with its attempts reset`, function* (tenant) {
      yield* noRuns
      const first = yield* putAsked(tenant)
      const id = first.credentialId
      yield* concludeBy(tenant, id, yield* claimOne(start), conclusion)
      const second = yield* anew(tenant, id, start + 9, isAsked)
      assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
      assert.deepStrictEqual(yield* claimRuns(start + 8), { runs: [], nextDueAt: start + 9 })
      const [run] = (yield* claimRuns(start + 9)).runs
      assert.deepInclude(run, { credentialId: id, attempt: 1 })
      const { basis } = yield* concludeBy(tenant, id, leased(run?.lease ?? ""), concluded())
      assert.deepStrictEqual(basis?.open, [first, ...second])
    })
  }

  it("never makes a run due later than before", function* (tenant) {
    yield* noRuns
    const { credentialId: id } = yield* putAsked(tenant)
    yield* concludeBy(tenant, id, yield* claimOne(start), postponed(start + 500, 3))
    yield* anew(tenant, id, start + 501, isAsked)
    assert.deepStrictEqual(yield* claimRuns(start + 499), { runs: [], nextDueAt: start + 500 })
  })

  it("leaves a leased run with its worker, whose conclusion ends everything open, and starts no other", function* (tenant) {
    yield* noRuns
    const first = yield* putAsked(tenant)
    const id = first.credentialId
    const claimed = yield* claimOne(start)
    const second = yield* anew(tenant, id, start + 9, isAsked)
    assert.deepStrictEqual(yield* claimRuns(start + 9), { runs: [], nextDueAt: start + leaseMillis })
    const { basis } = yield* concludeBy(tenant, id, claimed, concluded())
    assert.deepStrictEqual(basis?.open, [first, ...second])
    assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
  })

  it("starts a run after a conclusion only for a verification", function* (tenant) {
    yield* noRuns
    const { credentialId: id } = yield* putAsked(tenant)
    yield* concludeBy(tenant, id, yield* claimOne(start), concluded())
    const second = yield* anew(tenant, id, start + 9, isAsked)
    assert.deepStrictEqual(yield* claimRuns(start + 8), { runs: [], nextDueAt: isAsked ? start + 9 : null })
    const { runs } = yield* claimRuns(start + 9)
    assert.deepStrictEqual(
      runs.map(({ attempt }) => attempt),
      second.map(() => 1)
    )
  })
}

/** The contract of `VerificationStore` for the one run of a credential. */
export const verificationRunSuite = (it: TenantTest): void => {
  describe("VerificationStore, calls that share a run", () => coalesceTests(it))
  describe("VerificationStore, reruns requested by records", () => rerunTests(it, false))
  describe("VerificationStore, a verification and a rerun in one change", () => rerunTests(it, true))
}
