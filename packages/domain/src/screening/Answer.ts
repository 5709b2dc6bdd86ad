import { Data, Result, Schema } from "effect"
import { CredentialFields } from "../holding/Credential.ts"
import { CodeOfType } from "../holding/CredentialType.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import { ownerColumns } from "../people/Owner.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { Resource } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import { AccountId, ApplicantId, CredentialId, prefixes, WorkerId } from "../shared/Id.ts"
import { fromRfc3339, type Instant, toRfc3339 } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import * as FetchRequests from "./FetchRequests.ts"
import { type InvitationFields, isOpenOn } from "./Invitation.ts"
import * as RecruitmentChecks from "./RecruitmentChecks.ts"
import type { Requirements } from "./ScreeningPackage.ts"
import { requiredTypes } from "./ScreeningProgress.ts"

/** Where an answer of a person stands. APPROVING: an officer has approved, and the cards are being written. */
export const answerStates = ["WAITING", "APPROVING", "APPROVED", "REJECTED"] as const
export type AnswerState = (typeof answerStates)[number]

/** The resources that ask a person. */
export const askedBy = { captureRequest: FetchRequests.asking, credentialCheck: RecruitmentChecks.asking } as const
export type AskedBy = keyof typeof askedBy
const askingTypes = Object.keys(askedBy) as ReadonlyArray<AskedBy>

/** Their definitions. */
export const askedResources: Readonly<Record<AskedBy, Resource<InvitationFields>>> = {
  captureRequest: FetchRequests.FetchRequest,
  credentialCheck: RecruitmentChecks.RecruitmentCheck
}

/** The request or check that a person answers. */
export const AskedRequest = Schema.Struct({
  type: enumeration("AnswerRequestType", askingTypes).annotateKey({
    description: "captureRequest: a fetch request. credentialCheck: a recruitment check."
  }),
  id: Schema.String.annotate({ description: "Id of the fetch request or recruitment check." })
})
export type AskedRequest = typeof AskedRequest.Type

const { expiryDate, holder, identifier, issueNumber, issuingCountry } = CredentialFields.fields.attributes.fields

/** What a person can say of a card, by the fields and rules of credentials. */
export const cardDetails = { identifier, issueNumber, holder, issuingCountry, expiryDate }

/** A card as the person entered it. */
export const EnteredCard = Schema.Struct({
  credentialType: CodeOfType.annotateKey({ description: "The requested type of the card." }),
  ...cardDetails
})
export type EnteredCard = typeof EnteredCard.Type

/** The consent of the person. */
export const Consent = Schema.Struct({
  version: Schema.String.annotate({
    description: "Version of the words of the notice and of the consent in this language."
  }),
  language: Schema.optionalKey(
    Schema.String.annotate({ description: "Language of the notice, such as `en` (BCP 47)." })
  ),
  text: Schema.String.annotate({ description: "The sentence to which the person agreed." }),
  notice: Schema.String.annotate({ description: "The notice that the person saw, one line for each paragraph." }),
  retentionDays: Schema.optionalKey(Schema.Int).annotateKey({
    description:
      "The days after the end of the request that the notice names, until an answer that is not kept is erased."
  }),
  at: time.annotate({ description: "When the person agreed." })
})
export type Consent = typeof Consent.Type

/** The most characters of the reason for a rejection. */
const reasonMax = 500

/** The reason for a rejection, for the person. */
export const RejectionReason = line(reasonMax)

/** What an officer decided. */
const AnswerDecision = Schema.Struct({
  by: Schema.Struct({ id: AccountId }).annotateKey({ description: "The account that decided." }),
  at: time.annotate({ description: "When the officer decided." }),
  reason: Schema.optionalKey(RejectionReason).annotateKey({
    description: "Why the answer was rejected, for the person. Absent after an approval."
  })
})

/** The credentials that an approval has written. */
const Written = Schema.Array(
  Schema.Struct({
    id: CredentialId,
    credentialType: CodeOfType.annotateKey({ description: "Type of the credential." })
  })
)

/** The states after a decision. */
const decidedStates = ["APPROVED", "REJECTED"] as const

export const AnswerFields = Schema.Struct({
  state: enumeration("AnswerState", answerStates).annotateKey({
    description:
      "WAITING: an officer has to decide, and the person can still correct it. APPROVING: approved, but not all cards are " +
      "written; approve it again. APPROVED: the cards are written. REJECTED: the person can answer again."
  }),
  request: AskedRequest.annotateKey({ description: "The request that the person answers." }),
  worker: Schema.optionalKey(Schema.Struct({ id: WorkerId })).annotateKey({
    description: "The worker who answers. Absent if an applicant does."
  }),
  applicant: Schema.optionalKey(Schema.Struct({ id: ApplicantId })).annotateKey({
    description: "The applicant who answers. Absent if a worker does."
  }),
  consent: Consent.annotateKey({ description: "The notice that the person saw, and the consent." }),
  cards: Schema.Array(EnteredCard).annotateKey({ description: "The cards as the person entered them." }),
  submittedAt: time.annotate({ description: "When the person last sent the answer." }),
  decision: Schema.optionalKey(AnswerDecision).annotateKey({
    description: "The last decision of an officer. Absent while none has decided on this answer."
  }),
  credentials: Schema.optionalKey(Written).annotateKey({
    description: "The credentials that the approval created or corrected."
  }),
  previous: Schema.optionalKey(
    Schema.Struct({
      state: enumeration("DecidedAnswerState", decidedStates).annotateKey({ description: "What was decided." }),
      ...AnswerDecision.fields,
      credentials: Schema.optionalKey(Written).annotateKey({
        description: "The credentials that this approval created or corrected."
      }),
      consent: Consent.annotateKey({ description: "The consent to the earlier answer." })
    })
  ).annotateKey({ description: "The last decision on an earlier answer to the same request, which this one replaces." })
})
export type AnswerFields = typeof AnswerFields.Type

/**
 * What a person answered to a request, by the page of its link (DECISIONS.md#answers). A request has at most one. Its id has
 * the random part of the request's.
 */
export const Answer = {
  type: "answer",
  naming: { by: "minting", kind: "answer" },
  collection: "answers",
  fields: AnswerFields,
  computed: [],
  fixed: [],
  defaults: [],
  personal: [{ path: ["cards"], as: [] }, { path: ["decision", "reason"] }, { path: ["previous", "reason"] }],
  links: [],
  columns: {
    [ownerColumns.worker]: { path: ["worker", "id"] },
    [ownerColumns.applicant]: { path: ["applicant", "id"] },
    request_id: { path: ["request", "id"] },
    state: { path: ["state"] }
  },
  filters: {
    requestId: { by: "equal", column: "request_id" },
    state: { by: "equal", column: "state", among: answerStates },
    workerId: { by: "equal", column: ownerColumns.worker, of: "worker" },
    applicantId: { by: "equal", column: ownerColumns.applicant, of: "applicant" }
  },
  sorts: {}
} as const satisfies Resource<AnswerFields>

/** The id of the answer to a request. */
export const answerIdOf = (requestId: string): string => prefixes.answer + requestId.slice(requestId.indexOf("_") + 1)

/** Returns the request with this id; undefined if it is no id of a request. */
export const requestOf = (requestId: string): AskedRequest | undefined => {
  const type = askingTypes.find((type) => requestId.startsWith(prefixes[type]))
  return type === undefined ? undefined : { type, id: requestId }
}

/** What a request asks, and the person. */
export interface Asked {
  readonly person: OwnerReference
  /** Codes of the requested types. */
  readonly credentialTypes: ReadonlyArray<string>
  /** The words of the organization to the person; undefined without any. */
  readonly message: string | undefined
  /** The last day to answer. */
  readonly until: string
}

type Fields = FetchRequests.FetchRequestFields & RecruitmentChecks.RecruitmentCheckFields

/** Returns the person whom a request asks. */
export const personOf = (type: AskedBy, fields: InvitationFields): OwnerReference =>
  askedBy[type].personOf(fields as Fields) // decoded by the definition of its type

/** Returns what a request asks for. */
export const requirementsOf = (type: AskedBy, fields: InvitationFields): Requirements =>
  askedBy[type].requirementsOf(fields as Fields)

/** Returns what an open request asks; undefined if the request has ended or asks for no card. */
export const askedOn = (type: AskedBy, fields: object, today: string): Asked | undefined => {
  const request = fields as Fields // decoded by the definition of its type
  const { expiryDate, message } = request
  if (!isOpenOn(request, today) || expiryDate === undefined) return undefined
  const credentialTypes = requiredTypes([requirementsOf(type, request)])
  return credentialTypes.length === 0
    ? undefined
    : { person: personOf(type, request), credentialTypes, message, until: expiryDate }
}

/** The answer is not in a state that allows the action. */
export class AnswerClosed extends Data.TaggedError("AnswerClosed")<{
  readonly action: "approve" | "reject" | "submit"
  readonly state: AnswerState
}> {}

/**
 * The type of the card that a file shows: the one that the person chose, or the only one of the answer. Undefined if nobody
 * can tell: the person chose none of several cards, or one that is not a part of the answer any more.
 */
export const cardOfFile = (
  chosen: string | undefined,
  cards: ReadonlyArray<Pick<EnteredCard, "credentialType">>
): string | undefined => {
  const [first, ...others] = cards
  if (chosen !== undefined) return cards.find(({ credentialType }) => credentialType === chosen)?.credentialType
  return others.length === 0 ? first?.credentialType : undefined
}

/** Whether an officer still has to decide, or to finish an approval. */
export const isUndecided = ({ state }: Pick<AnswerFields, "state">): boolean =>
  state === "WAITING" || state === "APPROVING"

/** What a person sends. */
export interface Submission {
  readonly request: AskedRequest
  readonly person: OwnerReference
  readonly consent: Consent
  readonly cards: ReadonlyArray<EnteredCard>
}

/** The last decision before a new answer, if there was one. */
const previousOf = (before: AnswerFields | undefined): Pick<AnswerFields, "previous"> => {
  if (before === undefined) return {}
  const { consent, credentials, decision, previous, state } = before
  if (decision !== undefined && (state === "APPROVED" || state === "REJECTED")) {
    return { previous: { state, ...decision, ...(credentials === undefined ? {} : { credentials }), consent } }
  }
  return previous === undefined ? {} : { previous }
}

/**
 * The answer after the person has sent it, for the first time or again. Fails while an approval is being written. What was
 * decided before does not hold for the new answer, and stays readable beside it.
 */
export const submitted = (
  before: AnswerFields | undefined,
  { cards, consent, person, request }: Submission,
  now: Instant
): Result.Result<AnswerFields, AnswerClosed> =>
  before?.state === "APPROVING"
    ? Result.fail(new AnswerClosed({ action: "submit", state: before.state }))
    : Result.succeed({
        state: "WAITING",
        request,
        [person.type]: { id: person.id },
        consent,
        cards,
        submittedAt: toRfc3339(now),
        ...previousOf(before)
      })

/**
 * The approved answer before a correction that nobody approved, without its cards, which are credentials by now. Undefined if
 * none was approved before.
 */
export const withoutCorrection = ({ previous, ...fields }: AnswerFields): AnswerFields | undefined => {
  if (previous === undefined || previous.state !== "APPROVED" || fields.state === "APPROVED") return undefined
  const { at, by, consent, credentials } = previous
  const { request, worker, applicant, submittedAt } = fields
  return {
    ...{ state: "APPROVED", request, submittedAt, consent, cards: [], decision: { by, at } },
    ...(worker === undefined ? {} : { worker }),
    ...(applicant === undefined ? {} : { applicant }),
    ...(credentials === undefined ? {} : { credentials })
  }
}

/** The account and time of a decision. */
export interface Decider {
  readonly accountId: string
  readonly now: Instant
}

const decisionOf = ({ accountId, now }: Decider) => ({ by: { id: accountId }, at: toRfc3339(now) })

/** How long an approval can take, in milliseconds. After that it counts as interrupted, and another decision is possible. */
export const approvalMillis = 60_000

/** Whether an approval is being written. */
export const isUnderWay = ({ decision, state }: AnswerFields, now: Instant): boolean =>
  state === "APPROVING" && now < (fromRfc3339(decision?.at ?? "") ?? 0) + approvalMillis

/** The answer whose cards are written now. Fails unless it waits, or an approval was interrupted. */
export const approving = (before: AnswerFields, by: Decider): Result.Result<AnswerFields, AnswerClosed> =>
  isUndecided(before) && !isUnderWay(before, by.now)
    ? Result.succeed({ ...before, state: "APPROVING", decision: decisionOf(by) })
    : Result.fail(new AnswerClosed({ action: "approve", state: before.state }))

/** Whether the approval is still the one that has begun: no other decision came between. */
const isClaim = ({ decision, state }: AnswerFields, claim: AnswerFields): boolean =>
  state === "APPROVING" && decision?.at === claim.decision?.at && decision?.by.id === claim.decision?.by.id

/** The answer whose cards are written. Fails if the approval was taken for interrupted meanwhile. */
export const approved = (
  before: AnswerFields,
  claim: AnswerFields,
  credentials: NonNullable<AnswerFields["credentials"]>
): Result.Result<AnswerFields, AnswerClosed> =>
  isClaim(before, claim)
    ? Result.succeed({ ...before, state: "APPROVED", credentials })
    : Result.fail(new AnswerClosed({ action: "approve", state: before.state }))

/** The answer after an approval whose cards were refused: it waits again. */
export const released = (before: AnswerFields, claim: AnswerFields): AnswerFields => {
  if (!isClaim(before, claim)) return before
  const { decision: _, ...others } = before
  return { ...others, state: "WAITING" }
}

/** The answer after a rejection. A repeated one changes nothing. */
export const rejected = (
  before: AnswerFields,
  reason: string,
  by: Decider
): Result.Result<AnswerFields, AnswerClosed> => {
  if (before.state === "REJECTED") return Result.succeed(before)
  return isUndecided(before) && !isUnderWay(before, by.now)
    ? Result.succeed({ ...before, state: "REJECTED", decision: { ...decisionOf(by), reason } })
    : Result.fail(new AnswerClosed({ action: "reject", state: before.state }))
}
