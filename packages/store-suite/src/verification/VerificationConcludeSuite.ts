import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords, type Recheck } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { verdictOf } from "@wcs/domain/holding/Verification"
import type { Owners } from "@wcs/domain/ownership/Ownership"
import type { Stored } from "@wcs/domain/resource/Resource"
import { type RunAuthority, VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { Effect, Exit, Option, Result } from "effect"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  find,
  mint,
  put,
  start,
  subscribe,
  type TenantTest
} from "../Fixtures.ts"
import {
  ask,
  concludeBy,
  concluded,
  dueOne,
  dueRuns,
  historyOf,
  needsReview,
  outcome,
  postponed,
  putAsked,
  reviewer,
  verification
} from "./VerificationFixtures.ts"

const concludeTests = (it: TenantTest): void => {
  it("stores the credential, the outcome, the audit entry and the events, each with its sequence", function* (tenant) {
    const events = yield* EventStore
    yield* subscribe(tenant, mint("webhook"), ["credential.verified"])
    const { credentialId: id } = yield* putAsked(tenant)
    yield* ask(tenant, id)
    const claimed = yield* dueOne(start)
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
    assert.deepStrictEqual(yield* dueRuns(start + 9), { runs: [], nextDueAt: null })
  })

  it("R6: starts the verifications of a recheck, of each other living credential of these types once", function* (tenant) {
    const [worker, applicant] = [mint("worker"), mint("applicant")]
    const give = Effect.fnUntraced(function* (
      owners: Partial<Owners>,
      credentialType: CredentialFields["attributes"]["credentialType"],
      overrides: Partial<Stored<CredentialFields>> = {}
    ) {
      const row = created(mint("credential"), credentialFields(owners, { credentialType }), overrides)
      yield* put(Credential, tenant, row)
      return row.id
    })
    const barred = yield* give({ worker, applicant }, "WWCC_NSW")
    yield* ask(tenant, barred)
    const ofWorker = yield* give({ worker }, "WWCC_VIC")
    const ofBoth = yield* give({ worker, applicant }, "WWCC_SA")
    const ofApplicant = yield* give({ applicant }, "WWCC_NSW")
    yield* give({ worker }, "FIRST_AID")
    yield* give({ worker: mint("worker") }, "WWCC_VIC")
    yield* give({ worker }, "WWCC_VIC", { deletedAt: start })
    const recheck: Recheck = {
      people: [
        { type: "worker", id: worker },
        { type: "applicant", id: applicant }
      ],
      credentialTypes: ["WWCC_NSW", "WWCC_VIC", "WWCC_SA"],
      decide: (held) => held.filter(({ id }) => id !== barred).map(({ id }) => verification(id, { trigger: "bar" }))
    }
    const conclude = (version: number, authority: RunAuthority) =>
      concludeBy(tenant, barred, authority, ({ credential }) => ({
        _tag: "Concluded",
        outcome: outcome(verdictOf("BARRED")),
        next: { ...Option.getOrThrow(credential), version },
        records: { ...noRecords, recheck }
      }))
    const due = yield* dueOne(start)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(conclude(1, due))))
    assert.lengthOf((yield* dueRuns(start)).runs, 1)
    yield* conclude(9, due)
    const { runs } = yield* dueRuns(start)
    assert.sameMembers(
      runs.map(({ credentialId }) => credentialId),
      [ofWorker, ofBoth, ofApplicant]
    )
    for (const id of [ofWorker, ofBoth, ofApplicant]) {
      assert.deepStrictEqual(
        (yield* historyOf(tenant, id)).map(({ outcome, trigger }) => [trigger, outcome]),
        [["bar", null]]
      )
    }
  })

  it("writes nothing when the decision fails or does not raise the version", function* (tenant) {
    const store = yield* VerificationStore
    const asked = yield* putAsked(tenant)
    const claimed = yield* dueOne(start)
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

  it("makes a postponed run due at its time, with its attempt count, and ignores a second conclusion", function* (tenant) {
    const { credentialId } = yield* putAsked(tenant)
    const claimed = yield* dueOne(start)
    yield* concludeBy(tenant, credentialId, claimed, postponed(start + 7, 0))
    assert.isFalse((yield* concludeBy(tenant, credentialId, claimed, concluded())).isDone)
    assert.deepStrictEqual(yield* dueRuns(start + 6), { runs: [], nextDueAt: start + 7 })
    assert.strictEqual((yield* dueRuns(start + 7)).runs[0]?.attempt, 1)
  })

  // Concurrent verifications of one credential share one query (DECISIONS.md#verification), also while it awaits
  // review.
  it("lets a person review only a run that awaits review, also after a refusal, and lets a later call wait for the same review", function* (tenant) {
    const asked = yield* putAsked(tenant)
    const id = asked.credentialId
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    const claimed = yield* dueOne(start)
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    yield* concludeBy(tenant, id, claimed, needsReview)
    const later = yield* ask(tenant, id)
    yield* concludeBy(tenant, id, reviewer, () => ({
      _tag: "AwaitsReview",
      next: undefined,
      records: { ...noRecords, audit: [auditEntry(id)] }
    }))
    assert.lengthOf(yield* auditLog(tenant), 1)
    assert.deepStrictEqual(yield* dueRuns(start + 9), { runs: [], nextDueAt: null })
    assert.isFalse((yield* concludeBy(tenant, id, claimed, concluded())).isDone)
    const { basis, isDone } = yield* concludeBy(tenant, id, reviewer, concluded())
    assert.isTrue(isDone)
    assert.deepStrictEqual(basis?.open, [asked, later])
    assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
  })

  it("returns whether an open verification awaits review, and that a finished one does not", function* (tenant) {
    const store = yield* VerificationStore
    const first = yield* putAsked(tenant)
    const awaitsReview = (id: string) =>
      Effect.map(store.find(tenant, id), (found) => Option.getOrThrow(found).awaitsReview)
    assert.isFalse(yield* awaitsReview(first.id))
    const claimed = yield* dueOne(start)
    assert.isFalse(yield* awaitsReview(first.id))
    yield* concludeBy(tenant, first.credentialId, claimed, needsReview)
    const answered = yield* ask(tenant, first.credentialId, { outcome: outcome() })
    assert.deepStrictEqual([yield* awaitsReview(first.id), yield* awaitsReview(answered.id)], [true, false])
    yield* concludeBy(tenant, first.credentialId, reviewer, concluded())
    assert.isFalse(yield* awaitsReview(first.id))
  })

  it("lets one of several concurrent conclusions succeed, and loses no concurrent request", function* (tenant) {
    const { credentialId: id } = yield* putAsked(tenant)
    const claimed = yield* dueOne(start)
    // A run is told by its due time, so the call is later than the first one.
    const call = ask(tenant, id, { requestedAt: start + 1 })
    const [asked, ...done] = yield* Effect.all(
      [call, ...Array.from({ length: 4 }, () => concludeBy(tenant, id, claimed, concluded()))] as const,
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      done.filter(({ isDone }) => isDone),
      1
    )
    const { runs } = yield* dueRuns(start + 1)
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
