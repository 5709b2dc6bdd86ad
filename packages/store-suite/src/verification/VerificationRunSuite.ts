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

const rerunTests = (it: TenantTest): void => {
  it("makes a run that awaits review due now, with its attempts reset", function* (tenant) {
    yield* noRuns
    const { credentialId: id } = yield* putAsked(tenant)
    yield* concludeBy(tenant, id, yield* claimOne(start), needsReview)
    yield* rerun(tenant, id, start + 9)
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    assert.deepStrictEqual(yield* claimRuns(start + 8), { runs: [], nextDueAt: start + 9 })
    assert.deepInclude((yield* claimRuns(start + 9)).runs[0], { credentialId: id, attempt: 1 })
  })

  it("makes a run that waits for its next attempt due now, with its attempts reset, and never later than before", function* (tenant) {
    yield* noRuns
    const { credentialId: id } = yield* putAsked(tenant)
    yield* concludeBy(tenant, id, yield* claimOne(start), postponed(start + 500, 3))
    yield* rerun(tenant, id, start + 501)
    assert.deepStrictEqual(yield* claimRuns(start + 499), { runs: [], nextDueAt: start + 500 })
    yield* rerun(tenant, id, start + 9)
    assert.deepInclude((yield* claimRuns(start + 9)).runs[0], { credentialId: id, attempt: 1 })
  })

  it("leaves a leased run unchanged, and starts no other", function* (tenant) {
    yield* noRuns
    const { credentialId: id } = yield* putAsked(tenant)
    const claimed = yield* claimOne(start)
    yield* rerun(tenant, id, start + 9)
    assert.deepStrictEqual(yield* claimRuns(start + 9), { runs: [], nextDueAt: start + leaseMillis })
    assert.isTrue((yield* concludeBy(tenant, id, claimed, concluded())).isDone)
    yield* rerun(tenant, id, start + 9)
    assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
  })
}

/** Opens a verification and requests a rerun, as a change of the card does. */
const askAnew = Effect.fnUntraced(function* (tenantId: string, credentialId: string, at: number) {
  const draft = verification(credentialId, { trigger: "update", requestedAt: at })
  const next = (current: Stored<CredentialFields>) => ({ ...current, version: current.version + 1 })
  yield* revise(Credential, tenantId, credentialId, next, {
    ...noRecords,
    verifications: [draft],
    reruns: [{ credentialId, dueAt: at }]
  })
  return draft
})

const updateTests = (it: TenantTest): void => {
  const waiting = [
    ["is concluded", concluded(), 1],
    ["awaits review", needsReview, 2],
    ["waits for its next attempt", postponed(start + 500, 3), 2]
  ] as const
  for (const [state, conclusion, openCount] of waiting) {
    it(`makes a run due with attempt 1 when the run before ${state}`, function* (tenant) {
      yield* noRuns
      const first = yield* putAsked(tenant)
      yield* concludeBy(tenant, first.credentialId, yield* claimOne(start), conclusion)
      const second = yield* askAnew(tenant, first.credentialId, start + 9)
      assert.deepStrictEqual(yield* claimRuns(start + 8), { runs: [], nextDueAt: start + 9 })
      const [run] = (yield* claimRuns(start + 9)).runs
      assert.strictEqual(run?.attempt, 1)
      const { basis } = yield* concludeBy(tenant, first.credentialId, leased(run?.lease ?? ""), concluded())
      assert.deepStrictEqual(basis?.open, [first, second].slice(-openCount))
    })
  }

  it("keeps a leased run with its worker, which concludes the new verification too", function* (tenant) {
    yield* noRuns
    const first = yield* putAsked(tenant)
    const claimed = yield* claimOne(start)
    const second = yield* askAnew(tenant, first.credentialId, start + 9)
    assert.deepStrictEqual(yield* claimRuns(start + 9), { runs: [], nextDueAt: start + leaseMillis })
    const { basis } = yield* concludeBy(tenant, first.credentialId, claimed, concluded())
    assert.deepStrictEqual(basis?.open, [first, second])
    assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
  })
}

/** The contract of `VerificationStore` for the one run of a credential. */
export const verificationRunSuite = (it: TenantTest): void => {
  describe("VerificationStore, calls that share a run", () => coalesceTests(it))
  describe("VerificationStore, reruns requested by records", () => rerunTests(it))
  describe("VerificationStore, a verification and a rerun in one change", () => updateTests(it))
}
