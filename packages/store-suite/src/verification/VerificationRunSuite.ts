import { assert, describe } from "@effect/vitest"
import { start, type TenantTest } from "../Fixtures.ts"
import {
  ask,
  byWorker,
  concludeBy,
  concluded,
  dueOne,
  dueRuns,
  historyOf,
  needsReview,
  outcome,
  postponed,
  putAsked,
  rerun,
  reviewer
} from "./VerificationFixtures.ts"

const coalesceTests = (it: TenantTest): void => {
  it("keeps one run per credential, which a later call leaves unchanged", function* (tenant) {
    const first = yield* putAsked(tenant)
    const id = first.credentialId
    const second = yield* ask(tenant, id, { requestedAt: start - 10 })
    assert.deepStrictEqual(yield* dueRuns(start - 1), { runs: [], nextDueAt: start })
    const { runs } = yield* dueRuns(start)
    assert.lengthOf(runs, 1)
    const third = yield* ask(tenant, id)
    assert.deepStrictEqual((yield* dueRuns(start, 9, { inFlight: runs })).runs, [])
    const { basis } = yield* concludeBy(tenant, id, byWorker(runs[0]), concluded())
    assert.deepStrictEqual(basis?.open, [first, second, third])
    assert.deepStrictEqual(yield* historyOf(tenant, id), [
      { ...first, outcome: outcome() },
      { ...second, outcome: outcome() },
      { ...third, outcome: outcome() }
    ])
  })

  it("starts no run for a verification that is answered immediately", function* (tenant) {
    const { credentialId } = yield* putAsked(tenant)
    yield* concludeBy(tenant, credentialId, yield* dueOne(start), concluded())
    yield* ask(tenant, credentialId, { outcome: outcome() })
    assert.deepStrictEqual(yield* dueRuns(start + 1), { runs: [], nextDueAt: null })
  })

  it("starts a new run for a verification after a conclusion, and keeps the concluded ones", function* (tenant) {
    const first = yield* putAsked(tenant)
    yield* concludeBy(tenant, first.credentialId, yield* dueOne(start), concluded())
    const second = yield* ask(tenant, first.credentialId, { requestedAt: start + 5 })
    const [next] = (yield* dueRuns(start + 5)).runs
    assert.strictEqual(next?.attempt, 1)
    const { basis } = yield* concludeBy(
      tenant,
      first.credentialId,
      byWorker(next),
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
    const { credentialId: id } = yield* putAsked(tenant)
    yield* concludeBy(tenant, id, yield* dueOne(start), needsReview)
    yield* rerun(tenant, id, start + 9)
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    assert.deepStrictEqual(yield* dueRuns(start + 8), { runs: [], nextDueAt: start + 9 })
    assert.deepInclude((yield* dueRuns(start + 9)).runs[0], { credentialId: id, attempt: 1 })
  })

  it("makes a run that waits for its next attempt due now, with its attempts reset, and never later than before", function* (tenant) {
    const { credentialId: id } = yield* putAsked(tenant)
    yield* concludeBy(tenant, id, yield* dueOne(start), postponed(start + 500, 3))
    yield* rerun(tenant, id, start + 501)
    assert.deepStrictEqual(yield* dueRuns(start + 499), { runs: [], nextDueAt: start + 500 })
    yield* rerun(tenant, id, start + 9)
    assert.deepInclude((yield* dueRuns(start + 9)).runs[0], { credentialId: id, attempt: 1 })
  })

  it("leaves a run in flight unchanged, and starts no other", function* (tenant) {
    const { credentialId: id } = yield* putAsked(tenant)
    const { runs: inFlight } = yield* dueRuns(start)
    yield* rerun(tenant, id, start + 9)
    assert.deepStrictEqual(yield* dueRuns(start + 9, 9, { inFlight }), { runs: [], nextDueAt: null })
    assert.isTrue((yield* concludeBy(tenant, id, byWorker(inFlight[0]), concluded())).isDone)
    yield* rerun(tenant, id, start + 9)
    assert.deepStrictEqual(yield* dueRuns(start + 99), { runs: [], nextDueAt: null })
  })
}

/** The contract of `VerificationStore` for the one run of a credential. */
export const verificationRunSuite = (it: TenantTest): void => {
  describe("VerificationStore, calls that share a run", () => coalesceTests(it))
  describe("VerificationStore, reruns requested by records", () => rerunTests(it))
}
