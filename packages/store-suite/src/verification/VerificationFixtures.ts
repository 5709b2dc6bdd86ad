import { assert } from "@effect/vitest"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { verdictOf } from "@wcs/domain/holding/Verification"
import type { Outcome, VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import {
  type Conclusion,
  type DueRun,
  type RunAuthority,
  type RunBasis,
  type RunInFlight,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import { Effect, Option, Result } from "effect"
import { allPartitions } from "../delivery/DeliveryFixtures.ts"
import { created, credentialFields, digits, everything, mint, put, revise, start } from "../Fixtures.ts"

export const outcome = (overrides: Partial<Outcome> = {}): Outcome => ({
  ...verdictOf("VALID"),
  expiryDate: "2030-01-31",
  errorMessage: null,
  verifiedAt: start + 1,
  ...overrides
})

export const verification = (credentialId: string, overrides: Partial<VerificationDraft> = {}): VerificationDraft => ({
  id: mint("verification"),
  credentialId,
  correlationId: `run:${digits()}`,
  requestId: "01K0000000000000000000TEST",
  trigger: "verify",
  account: operatorUrn,
  requestedAt: start,
  outcome: null,
  ...overrides
})

/** Opens a verification of an existing credential. */
export const ask = Effect.fnUntraced(function* (
  tenantId: string,
  credentialId: string,
  overrides: Partial<VerificationDraft> = {}
) {
  const draft = verification(credentialId, overrides)
  const next = (current: Stored<CredentialFields>) => ({ ...current, version: current.version + 1 })
  yield* revise(Credential, tenantId, credentialId, next, { ...noRecords, verifications: [draft] })
  return draft
})

/** Requests a rerun of an existing credential at a time. */
export const rerun = (tenantId: string, credentialId: string, dueAt: Instant) =>
  revise(Credential, tenantId, credentialId, (current) => ({ ...current, version: current.version + 1 }), {
    ...noRecords,
    reruns: [{ credentialId, dueAt }]
  })

/** Stores a credential and opens a verification at a time. */
export const putAsked = Effect.fnUntraced(function* (
  tenantId: string,
  requestedAt: Instant = start,
  attributes: Partial<CredentialFields["attributes"]> = {}
) {
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }, attributes))
  const draft = verification(row.id, { requestedAt })
  yield* put(Credential, tenantId, row, { ...noRecords, verifications: [draft] })
  return draft
})

/** All verifications of a credential, in order of request. */
export const historyOf = Effect.fnUntraced(function* (tenantId: string, credentialId: string) {
  const store = yield* VerificationStore
  return (yield* store.list(tenantId, credentialId, everything)).items.map(({ position: _, ...row }) => row)
})

/** Reads the due runs, by default as a worker that leases all partitions and has none in flight. */
export const dueRuns = Effect.fnUntraced(function* (
  now: Instant,
  total = 100,
  { inFlight = [] as ReadonlyArray<RunInFlight>, partitions = allPartitions, perType = Number.MAX_SAFE_INTEGER } = {}
) {
  const store = yield* VerificationStore
  return yield* store.readDue({ now, partitions, inFlight, limits: { total: total + inFlight.length, perType } })
})

/** The authority of a worker that read a run. */
export const byWorker = (run: DueRun | undefined): RunAuthority => {
  assert.isDefined(run)
  return { _tag: "Worker", run: run ?? { dueAt: 0, attempt: 0 } }
}

export const reviewer: RunAuthority = { _tag: "Reviewer" }

/** Reads the only due run, and returns the authority to conclude it. */
export const dueOne = Effect.fnUntraced(function* (now: Instant) {
  const { runs } = yield* dueRuns(now)
  assert.lengthOf(runs, 1)
  return byWorker(runs[0])
})

/** Concludes a run, and returns whether it was concluded and the basis of the decision. */
export const concludeBy = Effect.fnUntraced(function* (
  tenantId: string,
  credentialId: string,
  authority: RunAuthority,
  conclusionOf: (basis: RunBasis) => Conclusion
) {
  const store = yield* VerificationStore
  const bases: Array<RunBasis> = []
  const isDone = yield* store.conclude(tenantId, credentialId, authority, (basis) => {
    bases.push(basis)
    return Result.succeed(conclusionOf(basis))
  })
  return { isDone, basis: bases.at(-1) }
})

/** Concludes every open verification with the outcome, and increments the version of the credential. */
export const concluded =
  (overrides: Partial<Outcome> = {}) =>
  ({ credential }: RunBasis): Conclusion => ({
    _tag: "Concluded",
    outcome: outcome(overrides),
    next: Option.getOrUndefined(Option.map(credential, (row) => ({ ...row, version: row.version + 1 }))),
    records: noRecords
  })

/** The run awaits review. */
export const needsReview = (): Conclusion => ({ _tag: "AwaitsReview", next: undefined, records: noRecords })

/** The run is due at a time, with this attempt count. */
export const postponed = (dueAt: Instant, attempts: number) => (): Conclusion => ({
  _tag: "Postponed",
  dueAt,
  attempts
})

/** Concludes all runs that other tests left, because reads concern all tenants. */
export const noRuns = Effect.gen(function* () {
  const { runs } = yield* dueRuns(Number.MAX_SAFE_INTEGER, 10_000)
  yield* Effect.forEach(runs, (run) => concludeBy(run.tenantId, run.credentialId, byWorker(run), concluded()), {
    concurrency: 32,
    discard: true
  })
})
