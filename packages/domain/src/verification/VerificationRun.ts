import { Option, Result } from "effect"
import { type Actor, entryOf, serverActing } from "../audit/AuditEntry.ts"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { EventDraft } from "../event/EventDraft.ts"
import * as Credential from "../holding/Credential.ts"
import { asksForExpiryDate, find, renewsAnew } from "../holding/CredentialType.ts"
import { isAnotherCard } from "../holding/CredentialUpdate.ts"
import {
  eligibilityOf,
  isConclusive,
  lapsed,
  queuedManual,
  type StatusDetail,
  type Verdict,
  verdictOf
} from "../holding/Verification.ts"
import type { Outcome, VerificationDraft } from "../holding/VerificationRecord.ts"
import type { Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { progressionsOfCredential } from "../screening/Progressions.ts"
import { isLapsed, type Moment } from "../shared/CalendarDay.ts"
import { fromRfc3339, type Instant, toRfc3339 } from "../shared/Instant.ts"
import { equals } from "../shared/Json.ts"
import { recheckAfter } from "./Bar.ts"
import {
  comparable,
  type Matched,
  type RegisterAnswer,
  type RegisterDetail,
  type RegisterFailed,
  type RegisterFault,
  type RegisterQuestion
} from "./Register.ts"
import type { Conclusion, RunBasis } from "./VerificationStore.ts"

/** The greatest age of a verdict that is returned without asking the register (DECISIONS.md#verification). */
export const reuseMillis = 24 * 3_600_000

/**
 * The maximum number of open verifications of a credential. A conclusion writes one event for each in one transaction,
 * as a batch of that many credentials does (§8).
 */
export const waitingMax = 500

const textOrNull = (text: string | undefined): string | null => text ?? null

/** The register query for a credential. */
export const questionOf = ({ attributes }: Credential.CredentialFields): RegisterQuestion => ({
  credentialType: attributes.credentialType,
  jurisdiction: textOrNull(attributes.jurisdiction),
  identifier: textOrNull(attributes.identifier),
  issueNumber: textOrNull(attributes.issueNumber),
  cardType: textOrNull(attributes.cardType),
  expiryDate: asksForExpiryDate(attributes.credentialType)
    ? textOrNull(Credential.declaredExpiryDate({ attributes }))
    : null,
  holder: {
    firstName: textOrNull(attributes.holder?.firstName),
    middleName: textOrNull(attributes.holder?.middleName),
    lastName: textOrNull(attributes.holder?.lastName),
    birthDate: textOrNull(attributes.holder?.birthDate),
    otherNames: (attributes.holder?.otherNames ?? []).map(({ firstName, lastName }) => ({
      firstName: textOrNull(firstName),
      lastName
    }))
  },
  issuingCountry: textOrNull(attributes.issuingCountry)
})

const faultTexts: Readonly<Record<RegisterFault, string>> = {
  SOURCE_UNAVAILABLE: "The register could not be reached.",
  SOURCE_TIMEOUT: "The register did not answer in time.",
  SOURCE_NOT_CONFIGURED:
    "No register is set up for this type. Create a verification source with its gateway and the secret of your account.",
  INTERNAL_ERROR: "The verification could not be carried out."
}

/** The credential's current verdict. */
const verdictIn = ({ attributes }: Credential.CredentialFields): Verdict | undefined =>
  attributes.statusDetail === undefined ? undefined : verdictOf(attributes.statusDetail)

/** The last verdict, evaluated today, when it is recent enough to reuse. */
export const reusable = (stored: Stored<Credential.CredentialFields>, { now, today }: Moment): Outcome | undefined => {
  const { expiryDate, lastVerifiedAt } = stored.fields.attributes
  const verifiedAt = lastVerifiedAt === undefined ? undefined : fromRfc3339(lastVerifiedAt)
  const stands = verdictIn(stored.fields)
  if (verifiedAt === undefined || stands === undefined || !isConclusive(stands)) return undefined
  if (now - verifiedAt >= reuseMillis) return undefined
  const verdict = verdictIn(Credential.readOn(stored, today).fields) ?? stands
  return { ...verdict, expiryDate: expiryDate ?? null, errorMessage: null, verifiedAt }
}

/** The outcome of a verdict from a register or a reviewer. */
export const found = (
  fields: Credential.CredentialFields,
  statusDetail: StatusDetail,
  expiryDate: string | null,
  verifiedAt: Instant
): Outcome => ({
  ...verdictOf(statusDetail),
  expiryDate: expiryDate ?? Credential.declaredExpiryDate(fields) ?? null,
  errorMessage: null,
  verifiedAt
})

/** The outcome without a verdict. */
const failed = (
  fields: Credential.CredentialFields | undefined,
  fault: RegisterFault,
  verifiedAt: Instant
): Outcome => ({
  ...verdictOf(fault),
  expiryDate: fields?.attributes.expiryDate ?? null,
  errorMessage: faultTexts[fault],
  verifiedAt
})

/** The outcome while the credential lacks what its register is asked with. Nothing was asked, so no verdict is wrong. */
const lacking = (
  fields: Credential.CredentialFields,
  missing: ReadonlyArray<string>,
  verifiedAt: Instant
): Outcome => ({
  ...verdictOf("DETAILS_MISSING"),
  expiryDate: fields.attributes.expiryDate ?? null,
  errorMessage: `The register was not asked, because these are missing: ${missing.join(", ")}.`,
  verifiedAt
})

/** Whether only its holder can renew the card: it has expired, and a renewal has another number. */
const isForHolder = ({ attributes }: Credential.CredentialFields, today: string): boolean =>
  renewsAnew(attributes.credentialType) && isLapsed(attributes.expiryDate, today)

/** The outcome of an expired card whose renewal has a new number. Nothing was asked. */
const expired = (fields: Credential.CredentialFields, verifiedAt: Instant): Outcome => ({
  ...lapsed,
  expiryDate: fields.attributes.expiryDate ?? null,
  errorMessage: "The register was not asked: the card has expired, and a renewed card has a new number.",
  verifiedAt
})

/** The last conclusive verdict, and since when it holds. A failure or an open review hides it, but does not end it. */
const lastGood = (fields: Credential.CredentialFields): Credential.CredentialFields["attributes"]["lastKnown"] => {
  const { lastKnown, lastVerifiedAt, statusSince } = fields.attributes
  const verdict = verdictIn(fields)
  const isOpen = verdict === undefined || !isConclusive(verdict)
  const good = isOpen ? lastKnown : { ...verdict, ...(statusSince === undefined ? {} : { since: statusSince }) }
  // Credentials of earlier releases do not say since when. Their last verdict is the earliest known time.
  return good === undefined || lastVerifiedAt === undefined ? good : { since: lastVerifiedAt, ...good }
}

/** Since when a credential has the status of an outcome. */
const sinceOf = (fields: Credential.CredentialFields, outcome: Outcome): string => {
  const { statusDetail, statusSince } = fields.attributes
  const before = isConclusive(outcome) ? lastGood(fields) : { statusDetail, since: statusSince }
  const known = before?.statusDetail === outcome.statusDetail ? before.since : undefined
  return known ?? toRfc3339(outcome.verifiedAt)
}

/**
 * The credential with an outcome. An inconclusive outcome keeps the last conclusive verdict as `lastKnown`, and a
 * decision. A conclusive one ends a decision that it outranks.
 */
export const withOutcome = (fields: Credential.CredentialFields, outcome: Outcome): Credential.CredentialFields => {
  const { eligibility, expiryDate, statusDetail, verifiedAt } = outcome
  const verdict = { eligibility, statusDetail, statusSince: sinceOf(fields, outcome) }
  if (isConclusive({ eligibility, statusDetail })) {
    const declared = Credential.declaredExpiryDate(fields)
    const { lastKnown: _, ...others } = Credential.withExpiryDate(fields, expiryDate ?? undefined, declared).attributes
    const decided = Credential.decidedAfter(others, { eligibility, statusDetail })
    return { attributes: { ...decided, ...verdict, lastVerifiedAt: toRfc3339(verifiedAt) } }
  }
  const lastKnown = lastGood(fields)
  return { attributes: { ...fields.attributes, ...verdict, ...(lastKnown === undefined ? {} : { lastKnown }) } }
}

/** The `credential.verified` event of a verification: the verdict, and the correlation id of the request. */
export const verifiedEvent = (
  eventId: string,
  reported: Credential.Slots,
  { correlationId, requestId, trigger }: VerificationDraft,
  { eligibility, errorMessage, expiryDate, statusDetail, verifiedAt }: Outcome,
  at: Instant
): EventDraft => {
  const event = Credential.eventOf("credential.verified", eventId, reported, correlationId, at)
  const verifiedTime = toRfc3339(verifiedAt)
  const verification = {
    eligibility,
    statusDetail,
    expiryDate,
    errorMessage,
    requestId,
    trigger,
    verifiedAt: verifiedTime
  }
  return { ...event, data: { ...event.data, verification } }
}

/** The actor and the time of a conclusion, and the ids for its records. */
export interface Concluding extends Moment {
  /** The actor in the audit log; the server by default. */
  readonly actor?: Actor
  /** The action in the audit log; `verified` by default. */
  readonly action?: string
  readonly auditId: () => string
  readonly eventId: () => string
  readonly verificationId: () => string
}

const actorOf = (open: ReadonlyArray<VerificationDraft>, by: Concluding): Actor =>
  by.actor ?? serverActing(open[0]?.requestId ?? "")

/** The audit entry of a change by these verifications. */
export const auditOf = (credentialId: string, action: string, open: ReadonlyArray<VerificationDraft>, by: Concluding) =>
  entryOf(
    by.auditId(),
    actorOf(open, by),
    { operation: "UPDATE", action, entityType: "credential", entityId: credentialId },
    by.now
  )

/** The outcome as it is today, so that no event reports an expired credential as valid. */
const asRead = (outcome: Outcome, today: string): Outcome =>
  isConclusive(outcome) && isLapsed(outcome.expiryDate ?? undefined, today) ? { ...outcome, ...lapsed } : outcome

/**
 * Gives every open verification the outcome, each with its own event, in order of request. A scheduled one has an event
 * only if the verdict changed. Without `changes` the credential keeps its verdict.
 */
export const conclude = (
  credential: Stored<Credential.CredentialFields>,
  open: ReadonlyArray<VerificationDraft>,
  outcome: Outcome,
  by: Concluding,
  changes = true
) => {
  const { now, today } = by
  const changed = changes ? { updatedAt: now, fields: withOutcome(credential.fields, outcome) } : {}
  const next = { ...credential, ...changed, version: credential.version + Math.max(1, open.length) }
  const slots = Credential.slotsOf(credential)
  const reported = asRead(outcome, today)
  const before = Credential.readOn(credential, today).fields.attributes
  const isNew =
    changes &&
    (reported.statusDetail !== before.statusDetail ||
      reported.eligibility !== before.eligibility ||
      reported.expiryDate !== (before.expiryDate ?? null))
  const events = open
    .filter(({ trigger }) => isNew || trigger !== "schedule")
    .map((verification, index) => ({
      ...verifiedEvent(by.eventId(), slots, verification, reported, now),
      sequence: credential.version + 1 + index
    }))
  const audit = changes ? [auditOf(credential.id, by.action ?? "verified", open, by)] : []
  const progressions = changes ? progressionsOfCredential(next, { ...by, actor: actorOf(open, by) }) : []
  const recheck = changes ? recheckAfter(credential, outcome, open, now, by.verificationId) : undefined
  return {
    _tag: "Concluded",
    outcome: reported,
    next,
    records: { audit, events, progressions, ...(recheck === undefined ? {} : { recheck }) }
  } as const satisfies Conclusion
}

/** The same without a change of the verdict. A credential without a new event is not written. */
const concludeUnchanged = (
  credential: Stored<Credential.CredentialFields>,
  open: ReadonlyArray<VerificationDraft>,
  outcome: Outcome,
  by: Concluding
): Conclusion => {
  const conclusion = conclude(credential, open, outcome, by, false)
  return conclusion.records.events.length === 0 ? { ...conclusion, next: undefined } : conclusion
}

/** Whether no register can be asked: the credential is deleted, or its type has no register. */
const isMoot = (credential: Stored<Credential.CredentialFields>): boolean =>
  !isVisible(credential, false) || !Credential.isVerifiable(credential.fields)

/** The register query of a credential; undefined when no register can be asked, or not without more details. */
const possibleQuestion = (credential: Stored<Credential.CredentialFields>): RegisterQuestion | undefined =>
  isMoot(credential) || Credential.missingDetails(credential.fields).length > 0
    ? undefined
    : questionOf(credential.fields)

/** The register query of a claimed credential on a day; undefined when nothing is asked. */
export const questionFor = (
  credential: Option.Option<Stored<Credential.CredentialFields>>,
  today: string
): RegisterQuestion | undefined =>
  Option.isNone(credential) || isForHolder(credential.value.fields, today)
    ? undefined
    : possibleQuestion(credential.value)

/** Whether a change makes a waiting run due: it changes the query or starts a verification. */
export const isAskedAnew = (
  before: Stored<Credential.CredentialFields>,
  after: Stored<Credential.CredentialFields>
): boolean => isAnotherCard(before.fields, after.fields) || !equals(possibleQuestion(before), possibleQuestion(after))

/** Time for slow queries and idle workers, added to the sum of all retry delays. */
const latenessMillis = 3_600_000

/**
 * The delay before the next attempt; undefined after the last, or when the oldest request is older than all delays
 * together. Repeated changes therefore cannot keep a caller waiting forever.
 */
const delayAfter = (
  attempt: number,
  open: RunBasis["open"],
  retryDelaysMillis: ReadonlyArray<number>,
  now: Instant
): number | undefined => {
  const longest = retryDelaysMillis.reduce((sum, delay) => sum + delay, latenessMillis)
  return now - (open[0]?.requestedAt ?? now) > longest ? undefined : retryDelaysMillis[attempt - 1]
}

/** The longest delay of a deferred question. A resumed source is asked within this time. In milliseconds. */
const deferralMax = 900_000

/** A question that has waited long is looked at less often, so that many waiting runs are seldom rewritten. */
const deferralAfter = (least: number, waited: number): number => Math.max(least, Math.min(waited / 4, deferralMax))

/** The paths of a question that show what a register compared. */
const comparedBy: Readonly<Record<Matched, ReadonlyArray<string>>> = {
  identifier: ["identifier"],
  name: ["holder.lastName", "holder.firstName"],
  birthDate: ["holder.birthDate"]
}

/**
 * What an answer says about the person of the question. A clearance of a record that the register did not compare with
 * all that its type asks with may be another person's, and needs a review.
 */
const confirmed = (
  { matched, statusDetail }: RegisterAnswer & { readonly _tag: "Found" },
  question: RegisterQuestion | undefined
): RegisterDetail => {
  if (matched === undefined || eligibilityOf(statusDetail) !== "MAY_ENGAGE") return statusDetail
  const askedWith = find(question?.credentialType ?? "")?.askedWith.map((path) => path.join(".")) ?? []
  const isOpen = comparable.some(
    (one) => !matched.includes(one) && comparedBy[one].some((path) => askedWith.includes(path))
  )
  return isOpen ? "POSSIBLE_MATCH" : statusDetail
}

/** The conclusion of a run after attempt number `attempt` asked `question`, or when no register could be asked. */
export const afterAsking = (
  { credential, open }: RunBasis,
  question: RegisterQuestion | undefined,
  answer: Result.Result<RegisterAnswer, RegisterFailed>,
  attempt: number,
  retryDelaysMillis: ReadonlyArray<number>,
  by: Concluding
): Conclusion => {
  const { now } = by
  if (Option.isNone(credential)) {
    const outcome = failed(undefined, "INTERNAL_ERROR", now)
    return { _tag: "Concluded", outcome, next: undefined, records: { audit: [], events: [] } satisfies ChangeRecords }
  }
  const current = credential.value
  if (isMoot(current)) return concludeUnchanged(current, open, failed(current.fields, "INTERNAL_ERROR", now), by)
  const missing = Credential.missingDetails(current.fields)
  if (missing.length > 0) return conclude(current, open, lacking(current.fields, missing, now), by)
  if (isForHolder(current.fields, by.today)) return concludeUnchanged(current, open, expired(current.fields, now), by)
  // The credential changed meanwhile, so the answer is about other values.
  if (!equals(question, questionOf(current.fields))) return { _tag: "Postponed", dueAt: now, attempts: 0 }
  if (Result.isFailure(answer)) {
    const { fault, isTransient } = answer.failure
    const delay = isTransient ? delayAfter(attempt, open, retryDelaysMillis, now) : undefined
    if (delay !== undefined) return { _tag: "Postponed", dueAt: now + delay, attempts: attempt }
    // A check that no caller asked for leaves the verdict when the register cannot be asked.
    const isAskedFor = open.some(({ trigger }) => trigger !== "schedule")
    return (isAskedFor ? conclude : concludeUnchanged)(current, open, failed(current.fields, fault, now), by)
  }
  if (answer.success._tag === "Deferred") {
    const delay = deferralAfter(answer.success.delayMillis, now - (open[0]?.requestedAt ?? now))
    return { _tag: "Postponed", dueAt: now + delay, attempts: attempt - 1 }
  }
  if (answer.success._tag === "Queued") return awaitReview(current, open, by)
  const detail = confirmed(answer.success, question)
  return conclude(current, open, found(current.fields, detail, answer.success.expiryDate, now), by)
}

const awaitReview = (
  credential: Stored<Credential.CredentialFields>,
  open: ReadonlyArray<VerificationDraft>,
  by: Concluding
): Conclusion => {
  if (credential.fields.attributes.statusDetail === queuedManual.statusDetail)
    return { _tag: "AwaitsReview", next: undefined, records: { audit: [], events: [] } }
  const fields = withOutcome(credential.fields, {
    ...queuedManual,
    expiryDate: null,
    errorMessage: null,
    verifiedAt: by.now
  })
  const next = { ...credential, version: credential.version + 1, updatedAt: by.now, fields }
  return { _tag: "AwaitsReview", next, records: { audit: [auditOf(credential.id, "queue", open, by)], events: [] } }
}
