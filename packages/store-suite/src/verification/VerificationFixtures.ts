import { assert } from "@effect/vitest"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { Credential, type CredentialFields } from "@wcs/domain/credential/Credential"
import { noRecords } from "@wcs/domain/resource/ChangeRecords"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import { verdictOf } from "@wcs/domain/verification/Verification"
import type { Outcome, VerificationDraft } from "@wcs/domain/verification/VerificationRecord"
import {
  type Conclusion,
  type RunAuthority,
  type RunBasis,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import type { Places } from "@wcs/domain/verification/VerificationTurns"
import { Effect, Option, Result } from "effect"
import { created, credentialFields, digits, everything, mint, put, revise, start } from "../Fixtures.ts"

export const leaseMillis = 60_000

let claims = 0

/** A new lease. */
export const freshLease = (): string => `lease ${++claims}`

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

/** `limit` places for any credential types. */
export const placesFor = (limit: number, overrides: Partial<Places> = {}): Places => ({
  limit,
  perType: Number.MAX_SAFE_INTEGER,
  takenByType: new Map(),
  ...overrides
})

/** Claims the due runs. */
export const claimRuns = Effect.fnUntraced(function* (now: Instant, limit = 100, overrides: Partial<Places> = {}) {
  const store = yield* VerificationStore
  return yield* store.claim({ now, lease: freshLease(), leaseMillis, places: placesFor(limit, overrides) })
})

export const leased = (lease: string): RunAuthority => ({ _tag: "Lease", lease })
export const reviewer: RunAuthority = { _tag: "Reviewer" }

/** Claims the only due run, and returns the authority of its lease. */
export const claimOne = Effect.fnUntraced(function* (now: Instant) {
  const { runs } = yield* claimRuns(now)
  assert.lengthOf(runs, 1)
  return leased(runs[0]?.lease ?? "")
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

/** Concludes all runs that other tests left, because claims concern all tenants. */
export const noRuns = Effect.gen(function* () {
  const { runs } = yield* claimRuns(Number.MAX_SAFE_INTEGER - leaseMillis, 10_000)
  for (const { credentialId, lease, tenantId } of runs) {
    yield* concludeBy(tenantId, credentialId, leased(lease), concluded())
  }
})
