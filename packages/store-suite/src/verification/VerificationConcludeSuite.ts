import { assert, describe } from "@effect/vitest"
import { Credential } from "@wcs/domain/credential/Credential"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { EventStore } from "@wcs/domain/webhook/EventStore"
import { Effect, Option, Result } from "effect"
import { auditEntry, auditLog, eventDraft, find, mint, start, subscribe, type TenantTest } from "../Fixtures.ts"
import {
  ask,
  claimOne,
  claimRuns,
  concludeBy,
  concluded,
  historyOf,
  leaseMillis,
  needsReview,
  noRuns,
  outcome,
  postponed,
  putAsked,
  reviewer
} from "./VerificationFixtures.ts"

const concludeTests = (it: TenantTest): void => {
  it("stores the credential, the outcome, the audit entry and the events, each with its sequence", function* (tenant) {
    yield* noRuns
    const events = yield* EventStore
    yield* subscribe(tenant, mint("webhook"), ["credential.verified"])
    const { credentialId: id } = yield* putAsked(tenant)
    yield* ask(tenant, id)
    const claimed = yield* claimOne(start)
    const about = { credentialType: "WWCC_NSW", jurisdiction: "NSW" }
    const drafts = [
      eventDraft(id, "credential.verified", { sequence: 3, about }),
      eventDraft(id, "credential.verified")
    ]
    const { basis } = yield* concludeBy(tenant, id, claimed, ({ credential }) => ({
      _tag: "Concluded",
      outcome: outcome(),
      next: { ...Option.getOrThrow(credential), version: 4, updatedAt: start + 8 },
      records: { audit: [auditEntry(id)], events: drafts }
    }))
    assert.strictEqual(Option.getOrUndefined(basis?.credential ?? Option.none())?.version, 2)
    const stored = yield* find(Credential, tenant, id)
    assert.deepStrictEqual([stored?.version, stored?.updatedAt], [4, start + 8])
    const kept = yield* events.events(tenant, 0, 10)
    assert.deepStrictEqual(
      kept.map(({ about, id, sequence }) => ({ about, id, sequence })),
      [
        { about, id: drafts[0]?.id, sequence: 3 },
        { about: drafts[1]?.about, id: drafts[1]?.id, sequence: 4 }
      ]
    )
    assert.lengthOf(yield* auditLog(tenant), 1)
    assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
  })

  it("writes nothing when the decision fails or does not raise the version", function* (tenant) {
    yield* noRuns
    const store = yield* VerificationStore
    const asked = yield* putAsked(tenant)
    const claimed = yield* claimOne(start)
    const refused = store.conclude(tenant, asked.credentialId, claimed, () => Result.fail("no" as const))
    assert.strictEqual(yield* Effect.flip(refused), "no")
    const stale = concludeBy(tenant, asked.credentialId, claimed, ({ credential }) => ({
      _tag: "Concluded",
      outcome: outcome(),
      next: Option.getOrThrow(credential),
      records: { audit: [auditEntry(asked.credentialId)], events: [] }
    }))
    assert.strictEqual((yield* Effect.exit(stale))._tag, "Failure")
    assert.deepStrictEqual(yield* historyOf(tenant, asked.credentialId), [asked])
    assert.deepStrictEqual(yield* auditLog(tenant), [])
    assert.isTrue((yield* concludeBy(tenant, asked.credentialId, claimed, concluded())).isDone)
  })

  it("makes a postponed run due at its time, with its attempt count, and ends the lease", function* (tenant) {
    yield* noRuns
    const { credentialId } = yield* putAsked(tenant)
    const claimed = yield* claimOne(start)
    yield* concludeBy(tenant, credentialId, claimed, postponed(start + 7, 0))
    assert.isFalse((yield* concludeBy(tenant, credentialId, claimed, concluded())).isDone)
    assert.deepStrictEqual(yield* claimRuns(start + 6), { runs: [], nextDueAt: start + 7 })
    assert.strictEqual((yield* claimRuns(start + 7)).runs[0]?.attempt, 1)
  })

  // Concurrent verifications of one credential share one query (DECISIONS.md#verification), also while it awaits
  // review.
  it("lets a person review only a run that awaits review, and lets a later call wait for the same review", function* (tenant) {
    yield* noRuns
    const asked = yield* putAsked(tenant)
    const id = asked.credentialId
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    const claimed = yield* claimOne(start)
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    yield* concludeBy(tenant, id, claimed, needsReview)
    const later = yield* ask(tenant, id)
    assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
    assert.isFalse((yield* concludeBy(tenant, id, claimed, concluded())).isDone)
    const { basis, isDone } = yield* concludeBy(tenant, id, reviewer, concluded())
    assert.isTrue(isDone)
    assert.deepStrictEqual(basis?.open, [asked, later])
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
  })

  it("returns whether an open verification awaits review, and that a finished one does not", function* (tenant) {
    yield* noRuns
    const store = yield* VerificationStore
    const first = yield* putAsked(tenant)
    const awaitsReview = (id: string) =>
      Effect.map(store.find(tenant, id), (found) => Option.getOrThrow(found).awaitsReview)
    assert.isFalse(yield* awaitsReview(first.id))
    const claimed = yield* claimOne(start)
    assert.isFalse(yield* awaitsReview(first.id))
    yield* concludeBy(tenant, first.credentialId, claimed, needsReview)
    const answered = yield* ask(tenant, first.credentialId, { outcome: outcome() })
    assert.deepStrictEqual([yield* awaitsReview(first.id), yield* awaitsReview(answered.id)], [true, false])
    yield* concludeBy(tenant, first.credentialId, reviewer, concluded())
    assert.isFalse(yield* awaitsReview(first.id))
  })

  it("lets one of several concurrent conclusions succeed, and loses no concurrent request", function* (tenant) {
    yield* noRuns
    const { credentialId: id } = yield* putAsked(tenant)
    const claimed = yield* claimOne(start)
    const [asked, ...done] = yield* Effect.all(
      [ask(tenant, id), ...Array.from({ length: 4 }, () => concludeBy(tenant, id, claimed, concluded()))] as const,
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      done.filter(({ isDone }) => isDone),
      1
    )
    const { runs } = yield* claimRuns(start)
    const open = (yield* historyOf(tenant, id)).filter((row) => row.outcome === null)
    // The call came before the conclusion and shares it, or after it and has its own run.
    assert.deepStrictEqual(
      open.map((row) => row.id),
      runs.length === 0 ? [] : [asked.id]
    )
  })
}

/** The contract of `VerificationStore.conclude`. */
export const verificationConcludeSuite = (it: TenantTest): void => {
  describe("VerificationStore.conclude", () => concludeTests(it))
}
