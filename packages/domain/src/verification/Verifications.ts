import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Actor, actorOf, entryOf } from "../audit/AuditEntry.ts"
import { type ChangeRecords, noRecords } from "../crud/ChangeRecords.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import * as Credential from "../holding/Credential.ts"
import { conclusiveDetails, pending, queuedManual, type Verdict } from "../holding/Verification.ts"
import {
  documentOf,
  type Outcome,
  type Trigger,
  type VerificationDocument,
  type VerificationDraft,
  verifications
} from "../holding/VerificationRecord.ts"
import { VerificationSettings } from "../holding/VerificationSettings.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import type { Shown, ShownPage } from "../resource/Collection.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { Query } from "../resource/ListQuery.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import { ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import { type Moment, momentAt } from "../shared/CalendarDay.ts"
import { CorrelationId } from "../shared/CorrelationId.ts"
import { Ids } from "../shared/Id.ts"
import { CalendarDate } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import * as Notifications from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { type OwnCard, type Refused, refusedAsOwn } from "./OwnCard.ts"
import * as VerificationRun from "./VerificationRun.ts"
import {
  type Call,
  type CallBasis,
  type Conclusion,
  type FoundVerification,
  type RunBasis,
  VerificationStore
} from "./VerificationStore.ts"

/** Credentials of this type have no register (DECISIONS.md#verification). */
export class NotVerifiable extends Data.TaggedError("NotVerifiable")<{ readonly credentialType: string }> {}

/** The credential has the maximum number of open verifications. */
export class TooManyWaiting extends Data.TaggedError("TooManyWaiting")<{
  readonly credentialId: string
  readonly limit: number
}> {}

/** The credential does not wait for a manual review. */
export class NoReviewWaiting extends Data.TaggedError("NoReviewWaiting")<{ readonly credentialId: string }> {}

/** Optional body of verify (§2.2). A `correlationId` of null counts as omitted. */
export const VerifyRequest = Schema.Struct({
  correlationId: Schema.optionalKey(Schema.NullOr(CorrelationId)).annotateKey({
    description:
      "The caller's id for this verification. Answer and event repeat it. If absent or null, the server sets one."
  }),
  forceRefresh: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "true: asks the register even if the verdict is younger than 24 hours. False by default."
  })
})
export type VerifyRequest = typeof VerifyRequest.Type

/** The verdict when the call is answered. */
interface KnownOutcome extends Verdict {
  readonly expiryDate: string | null
  readonly errorMessage: string | null
}

/** The answer to verify (§2.2). */
export interface VerifyAnswer extends KnownOutcome {
  readonly correlationId: string
  readonly requestId: string
}

/** A verdict that a person can record. */
export const ConclusiveStatusDetail = enumeration("ConclusiveStatusDetail", conclusiveDetails)

/** The decision of a reviewer. */
export const Review = Schema.Struct({
  statusDetail: ConclusiveStatusDetail.annotateKey({
    description: "Decision of the reviewer. The service derives the eligibility from it."
  }),
  expiryDate: Schema.optionalKey(Schema.NullOr(CalendarDate)).annotateKey({
    description: "Last valid day of the card. If absent or null, a date that the caller declared stays."
  })
})
export type Review = typeof Review.Type

/** A request for a verification. */
interface Asking extends Moment {
  readonly verificationId: string
  readonly eventId: string
  readonly auditId: string
  readonly correlationId: string
  readonly trigger: Trigger
  readonly forceRefresh: boolean
  readonly actor: Actor
}

/** What a request needs of its caller, besides the actor. */
type AskingCaller = Pick<Caller["Service"], "tenantId" | "timeZone" | "workerId">

/** Further records to store in the same transaction. */
type Beside = Pick<ChangeRecords, "audit" | "scans">

const notFound = (id: string) => new ResourceNotFound({ entityType: "credential", id })

/** A new verification: open, or answered by a reusable outcome. */
export const draftOf = (
  credentialId: string,
  {
    actor,
    correlationId,
    now,
    trigger,
    verificationId
  }: Omit<Asking, "auditId" | "eventId" | "forceRefresh" | "today">,
  outcome: Outcome | null
): VerificationDraft => ({
  id: verificationId,
  credentialId,
  correlationId,
  requestId: actor.requestId,
  trigger,
  account: actor.account,
  requestedAt: now,
  outcome
})

/** An accepted call, and its outcome if it is answered now. */
type Asked = Call & { readonly outcome: Outcome | null }

/**
 * The call of a verification. One that is answered now also has its event. `forceRefresh` makes a waiting run due now.
 */
const asked = (
  before: Stored<Credential.CredentialFields>,
  asking: Asking,
  outcome: Outcome | null,
  beside: Beside
): Asked => {
  const { actor, auditId, correlationId, eventId, forceRefresh, now, trigger } = asking
  const draft = draftOf(before.id, asking, outcome)
  const next = {
    ...before,
    version: before.version + 1,
    updatedAt: now,
    fields: { attributes: { ...before.fields.attributes, lastCorrelationId: correlationId } }
  }
  const action = trigger === "scan" ? "scan" : "verify"
  const auditedAction = { operation: "UPDATE", action, entityType: "credential", entityId: before.id } as const
  const events =
    outcome === null ? [] : [VerificationRun.verifiedEvent(eventId, Credential.slotsOf(next), draft, outcome, now)]
  const reruns = forceRefresh ? [{ credentialId: before.id, dueAt: now }] : []
  const records = {
    ...beside,
    audit: [...beside.audit, entryOf(auditId, actor, auditedAction, now)],
    events,
    verifications: [draft],
    reruns
  }
  return { next, records, outcome }
}

/** Decides whether the credential can be verified, and with which records. */
const judge = (
  { credential, openCount }: CallBasis,
  credentialId: string,
  caller: AskingCaller,
  asking: Asking,
  beside: Beside
): Result.Result<Asked | Refused, ResourceNotFound | NotVerifiable | TooManyWaiting | OwnerOutside> => {
  if (Option.isNone(credential) || !isVisible(credential.value, false)) return Result.fail(notFound(credentialId))
  const may = requireOwners("verify", credential.value)
  if (Result.isFailure(may)) return Result.fail(may.failure)
  const { credentialType } = credential.value.fields.attributes
  if (!Credential.isVerifiable(credential.value.fields)) return Result.fail(new NotVerifiable({ credentialType }))
  const refused = refusedAsOwn(caller, credential.value, "verify", asking)
  if (refused !== undefined) return Result.succeed(refused)
  const outcome = (asking.forceRefresh ? undefined : VerificationRun.reusable(credential.value, asking)) ?? null
  const limit = VerificationRun.waitingMax
  return outcome === null && openCount >= limit
    ? Result.fail(new TooManyWaiting({ credentialId, limit }))
    : Result.succeed(asked(credential.value, asking, outcome, beside))
}

/** The outcome once no more waiting helps: the verification ended, or a person has to decide. */
const knownOf = ({ awaitsReview, verification: { outcome } }: FoundVerification): Option.Option<KnownOutcome> =>
  awaitsReview
    ? Option.some({ ...queuedManual, expiryDate: null, errorMessage: null })
    : Option.fromNullOr<KnownOutcome | null>(outcome)

/** Requests verdicts on credentials, and records manual reviews (§4.2; DECISIONS.md#verification). */
export class Verifications extends Context.Service<
  Verifications,
  {
    /**
     * Requests a verdict and waits a limited time for it, or until a person has to decide. A later verdict arrives as
     * an event.
     */
    readonly verify: (
      credentialId: string,
      request: VerifyRequest
    ) => Effect.Effect<
      VerifyAnswer,
      InvalidArgument | ResourceNotFound | NotVerifiable | TooManyWaiting | OwnCard | OwnerOutside,
      Caller | RequestId
    >
    /** Requests a verdict without waiting. `beside` is stored in the same transaction, or nothing is. */
    readonly begin: (
      caller: AskingCaller,
      credentialId: string,
      by: Pick<Asking, "actor" | "correlationId" | "trigger">,
      beside?: Beside
    ) => Effect.Effect<void, ResourceNotFound | NotVerifiable | TooManyWaiting | OwnCard | OwnerOutside>
    /** A page of the verifications of a credential, deleted credentials included. */
    readonly history: (
      credentialId: string,
      query: Query
    ) => Effect.Effect<ShownPage<VerificationDocument>, InvalidArgument | ResourceNotFound, Caller>
    /** Records the decision of a reviewer. */
    readonly review: (
      credentialId: string,
      review: Review
    ) => Effect.Effect<
      Shown<Credential.CredentialView>,
      InvalidArgument | ResourceNotFound | NoReviewWaiting | OwnCard | OwnerOutside | PreconditionFailed,
      Caller | RequestId
    >
  }
>()("@wcs/domain/Verifications") {}

const wellFormed = (id: string) => Effect.fromResult(requireId(Credential.Credential, id))

export const make = Effect.gen(function* () {
  const { timeoutMillis } = yield* VerificationSettings
  const resources = yield* ResourceStore
  const store = yield* VerificationStore
  const notifications = yield* Notifications.Notifications
  const ids = yield* Ids

  const ask = Effect.fnUntraced(function* (
    caller: AskingCaller,
    credentialId: string,
    by: Pick<Asking, "actor" | "correlationId" | "trigger" | "forceRefresh">,
    beside: Beside = noRecords
  ) {
    const verificationId = yield* ids.mint("verification")
    const asking: Asking = {
      ...by,
      verificationId,
      eventId: yield* ids.mint("event"),
      auditId: yield* ids.mint("audit"),
      ...momentAt(yield* Clock.currentTimeMillis, caller.timeZone)
    }
    const decided = yield* store.begin(caller.tenantId, credentialId, (basis) =>
      judge(basis, credentialId, caller, asking, beside)
    )
    if ("refusal" in decided) return yield* decided.refusal
    const { outcome } = decided
    yield* notifications.notify(outcome === null ? Notifications.verificationDue : Notifications.deliveryDue)
    return { verificationId, outcome }
  })

  /** The outcome, or that a person has to decide; null when the wait times out. */
  const verdictOn = (tenantId: string, verificationId: string) =>
    Notifications.until(
      notifications,
      Notifications.settled(verificationId),
      Effect.map(store.find(tenantId, verificationId), Option.flatMap(knownOf))
    ).pipe(
      Effect.timeoutOption(timeoutMillis),
      Effect.map(Option.getOrNull),
      // The verification is stored. A failed wait must not fail the call, or a retry would start another one.
      Effect.catchDefect((defect) => Effect.as(Effect.logWarning("Waiting for a verdict failed.", defect), null))
    )

  return Verifications.of({
    verify: Effect.fn("Verifications.verify")(function* (id, request) {
      const caller = yield* Caller
      const requestId = yield* RequestId
      const correlationId = request.correlationId ?? (yield* ids.ulid)
      const begun = yield* ask(caller, yield* wellFormed(id), {
        actor: actorOf(caller, requestId),
        correlationId,
        trigger: "verify",
        forceRefresh: request.forceRefresh ?? false
      })
      const known = begun.outcome ?? (yield* verdictOn(caller.tenantId, begun.verificationId))
      const { eligibility, statusDetail } = known ?? pending
      return {
        eligibility,
        statusDetail,
        expiryDate: known?.expiryDate ?? null,
        errorMessage: known?.errorMessage ?? null,
        correlationId,
        requestId
      }
    }),
    begin: Effect.fn("Verifications.begin")((caller, credentialId, by, beside) =>
      Effect.asVoid(ask(caller, credentialId, { ...by, forceRefresh: false }, beside))
    ),
    history: Effect.fn("Verifications.history")(function* (id, query) {
      const { tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Timeline.parse(verifications, query))
      const found = yield* resources.find(Credential.Credential, tenantId, yield* wellFormed(id))
      if (Option.isNone(found)) return yield* notFound(id)
      return Timeline.shownPage(verifications, selection, yield* store.list(tenantId, id, selection), documentOf)
    }),
    review: Effect.fn("Verifications.review")(function* (id, { expiryDate, statusDetail }) {
      const caller = yield* Caller
      const condition = yield* Precondition
      const by = {
        ...momentAt(yield* Clock.currentTimeMillis, caller.timeZone),
        actor: actorOf(caller, yield* RequestId),
        auditId: ids.source("audit"),
        eventId: ids.source("event"),
        verificationId: ids.source("verification")
      }
      let refused: Refused | undefined
      let reviewed:
        | {
            readonly credential: Stored<Credential.CredentialFields>
            readonly open: RunBasis["open"]
            readonly isBar: boolean
          }
        | undefined
      const isOurs = yield* store.conclude(
        caller.tenantId,
        yield* wellFormed(id),
        { _tag: "Reviewer" },
        ({ credential, open }): Result.Result<Conclusion, ResourceNotFound | OwnerOutside | PreconditionFailed> => {
          if (Option.isNone(credential) || !isVisible(credential.value, false)) return Result.fail(notFound(id))
          const before = credential.value
          const holds = checkPrecondition(condition, () => tagAt(Credential.Credential, before, by).text)
          const may = Result.andThen(holds, () => requireOwners("review", before))
          if (Result.isFailure(may)) return Result.fail(may.failure)
          refused = refusedAsOwn(caller, before, "review", { ...by, auditId: by.auditId() })
          if (refused !== undefined) return Result.succeed({ _tag: "AwaitsReview", ...refused })
          const outcome = VerificationRun.found(credential.value.fields, statusDetail, expiryDate ?? null, by.now)
          const conclusion = VerificationRun.conclude(credential.value, open, outcome, by)
          reviewed = { credential: conclusion.next, open, isBar: conclusion.records.recheck !== undefined }
          return Result.succeed(conclusion)
        }
      )
      if (isOurs && refused !== undefined) return yield* refused.refusal
      if (!isOurs || reviewed === undefined) {
        const found = yield* resources.find(Credential.Credential, caller.tenantId, id)
        return yield* Option.exists(found, (stored) => isVisible(stored, false))
          ? new NoReviewWaiting({ credentialId: id })
          : notFound(id)
      }
      for (const verification of reviewed.open) yield* notifications.notify(Notifications.settled(verification.id))
      yield* notifications.notify(Notifications.deliveryDue)
      if (reviewed.isBar) yield* notifications.notify(Notifications.verificationDue)
      const document = Credential.documentOn(reviewed.credential, by.today)
      return { document, warnings: [], tag: tagAt(Credential.Credential, reviewed.credential, by) }
    })
  })
})

export const layer = Layer.effect(Verifications, make)
