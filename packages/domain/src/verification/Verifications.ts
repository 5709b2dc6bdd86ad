import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Actor, actorOf, entryOf } from "../audit/AuditEntry.ts"
import * as Credential from "../credential/Credential.ts"
import { type ChangeRecords, noRecords } from "../resource/ChangeRecords.ts"
import type { Shown, ShownPage } from "../resource/Collection.ts"
import { oneOf } from "../resource/Form.ts"
import type { Query } from "../resource/ListQuery.ts"
import { ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import { ResourceStore } from "../resource/ResourceStore.ts"
import * as Series from "../resource/Series.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { CorrelationId } from "../shared/CorrelationId.ts"
import { Ids } from "../shared/Id.ts"
import { CalendarDate, type Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import * as Notices from "../shared/Notices.ts"
import { RequestId } from "../shared/RequestId.ts"
import {
  conclusiveDetails,
  isConclusive,
  pending,
  queuedManual,
  StatusDetailWord,
  type Verdict,
  verdictOf
} from "./Verification.ts"
import {
  documentOf,
  type Outcome,
  type Trigger,
  type VerificationDocument,
  type VerificationDraft,
  verifications
} from "./VerificationRecord.ts"
import * as VerificationRun from "./VerificationRun.ts"
import {
  type Call,
  type CallBasis,
  type FoundVerification,
  type RunBasis,
  VerificationStore
} from "./VerificationStore.ts"

/** No register can be asked about a credential of this kind (DECISIONS.md#verification). */
export class NotVerifiable extends Data.TaggedError("NotVerifiable")<{ readonly credentialType: string }> {}

/** As many calls as can wait for the verdict on a credential. */
export class TooManyWaiting extends Data.TaggedError("TooManyWaiting")<{
  readonly credentialId: string
  readonly limit: number
}> {}

/** No person's decision is awaited for the credential. */
export class NoReviewWaiting extends Data.TaggedError("NoReviewWaiting")<{ readonly credentialId: string }> {}

/** The body of verify (§2.2), which is optional. A correlationId of null counts as omitted. */
export const VerifyRequest = Schema.Struct({
  correlationId: Schema.optionalKey(Schema.NullOr(CorrelationId)),
  forceRefresh: Schema.optionalKey(Schema.Boolean)
})
export type VerifyRequest = typeof VerifyRequest.Type

/** What is known of a verification when a call for it is answered. */
interface KnownOutcome extends Verdict {
  readonly expiryDate: string | null
  readonly errorMessage: string | null
}

/** The answer to verify (§2.2). */
export interface VerifyAnswer extends KnownOutcome {
  readonly correlationId: string
  readonly requestId: string
}

/** What a person decides in a register's place. */
export const Review = Schema.Struct({
  statusDetail: StatusDetailWord.check(Schema.makeFilter((detail) => isConclusive(verdictOf(detail)))).annotate({
    form: oneOf(conclusiveDetails)
  }),
  expiryDate: Schema.optionalKey(Schema.NullOr(CalendarDate))
})
export type Review = typeof Review.Type

/** Who asks for a verification, and by what. */
interface Asking {
  readonly verificationId: string
  readonly eventId: string
  readonly auditId: string
  readonly correlationId: string
  readonly trigger: Trigger
  readonly forceRefresh: boolean
  readonly actor: Actor
  readonly now: Instant
}

/** What is written in the same transaction, where a verification is asked for by more than a call for it. */
type Beside = Pick<ChangeRecords, "audit" | "scans">

const notFound = (id: string) => new ResourceNotFound({ entityType: "credential", id })

/** A verification that is open, or answered by an outcome that is young enough. */
export const draftOf = (
  credentialId: string,
  { actor, correlationId, now, trigger, verificationId }: Omit<Asking, "auditId" | "eventId" | "forceRefresh">,
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

/**
 * The credential with a verification that was asked for; one that is answered at once has its event too. Who forces a
 * refresh does not wait for a person, or for the next attempt, as others do.
 */
const asked = (
  before: Stored<Credential.CredentialFields>,
  asking: Asking,
  outcome: Outcome | null,
  beside: Beside
): Call & { readonly outcome: Outcome | null } => {
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

/** Whether a verdict on the credential can be asked for, and what comes of it. */
const judge = (
  { credential, openCount }: CallBasis,
  credentialId: string,
  asking: Asking,
  beside: Beside
): Result.Result<ReturnType<typeof asked>, ResourceNotFound | NotVerifiable | TooManyWaiting> => {
  if (Option.isNone(credential) || !isVisible(credential.value, false)) return Result.fail(notFound(credentialId))
  const { credentialType } = credential.value.fields.attributes
  if (!Credential.isVerifiable(credential.value.fields)) return Result.fail(new NotVerifiable({ credentialType }))
  const { forceRefresh, now } = asking
  const outcome = (forceRefresh ? undefined : VerificationRun.reusable(credential.value, now)) ?? null
  const limit = VerificationRun.waitingMax
  return outcome === null && openCount >= limit
    ? Result.fail(new TooManyWaiting({ credentialId, limit }))
    : Result.succeed(asked(credential.value, asking, outcome, beside))
}

/** What is known of a verification that need not be waited for any longer: it has ended, or a person is to decide. */
const knownOf = ({ isSetAside, verification: { outcome } }: FoundVerification): Option.Option<KnownOutcome> =>
  isSetAside
    ? Option.some({ ...queuedManual, expiryDate: null, errorMessage: null })
    : Option.fromNullOr<KnownOutcome | null>(outcome)

/** Asking for verdicts on credentials, and giving them in a register's place (§4.2; DECISIONS.md#verification). */
export class Verifications extends Context.Service<
  Verifications,
  {
    /**
     * Asks for a verdict, and waits for it for a while, or until it is known that a person will decide. What is not there
     * by then is awaited still, and an event tells of it.
     */
    readonly verify: (
      credentialId: string,
      request: VerifyRequest
    ) => Effect.Effect<
      VerifyAnswer,
      InvalidArgument | ResourceNotFound | NotVerifiable | TooManyWaiting,
      Caller | RequestId
    >
    /** Asks for a verdict and does not wait for it. `beside` is written in the same transaction, or not at all. */
    readonly begin: (
      tenantId: string,
      credentialId: string,
      by: Pick<Asking, "actor" | "correlationId" | "trigger">,
      beside?: Beside
    ) => Effect.Effect<void, ResourceNotFound | NotVerifiable | TooManyWaiting>
    /** GET of a page of the verifications of a credential, deleted ones too. */
    readonly history: (
      credentialId: string,
      query: Query
    ) => Effect.Effect<ShownPage<VerificationDocument>, InvalidArgument | ResourceNotFound, Caller>
    /** Decides what a register leaves to a person. */
    readonly review: (
      credentialId: string,
      review: Review
    ) => Effect.Effect<
      Shown<Credential.CredentialView>,
      InvalidArgument | ResourceNotFound | NoReviewWaiting,
      Caller | RequestId
    >
  }
>()("@wcs/domain/Verifications") {}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const store = yield* VerificationStore
  const notices = yield* Notices.Notices
  const ids = yield* Ids
  const { patienceMillis } = yield* VerificationRun.VerificationSettings

  const wellFormed = (id: string) => Effect.fromResult(requireId(Credential.Credential, id))

  const ask = Effect.fnUntraced(function* (
    tenantId: string,
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
      now: yield* Clock.currentTimeMillis
    }
    const { outcome } = yield* store.begin(tenantId, credentialId, (basis) =>
      judge(basis, credentialId, asking, beside)
    )
    yield* notices.tell(outcome === null ? Notices.verificationDue : Notices.deliveryDue)
    return { verificationId, outcome }
  })

  /** The outcome, or that a person is to decide, once it is known; none where that takes longer than one would wait. */
  const verdictOn = (tenantId: string, verificationId: string) =>
    Notices.until(
      notices,
      Notices.settled(verificationId),
      Effect.map(store.find(tenantId, verificationId), Option.flatMap(knownOf))
    ).pipe(
      Effect.timeoutOption(patienceMillis),
      Effect.map(Option.getOrNull),
      // What was begun stands, whatever befalls whoever waits: who called anew would begin another.
      Effect.catchDefect((defect) => Effect.as(Effect.logWarning("A verdict could not be waited for.", defect), null))
    )

  const verify: Verifications["Service"]["verify"] = Effect.fn("Verifications.verify")(function* (id, request) {
    const { tenantId, ...caller } = yield* Caller
    const requestId = yield* RequestId
    const correlationId = request.correlationId ?? (yield* ids.ulid)
    const begun = yield* ask(tenantId, yield* wellFormed(id), {
      actor: actorOf({ tenantId, ...caller }, requestId),
      correlationId,
      trigger: "verify",
      forceRefresh: request.forceRefresh ?? false
    })
    const known = begun.outcome ?? (yield* verdictOn(tenantId, begun.verificationId))
    const { eligibility, statusDetail } = known ?? pending
    return {
      eligibility,
      statusDetail,
      expiryDate: known?.expiryDate ?? null,
      errorMessage: known?.errorMessage ?? null,
      correlationId,
      requestId
    }
  })

  const begin: Verifications["Service"]["begin"] = Effect.fn("Verifications.begin")(
    (tenantId, credentialId, by, beside) =>
      Effect.asVoid(ask(tenantId, credentialId, { ...by, forceRefresh: false }, beside))
  )

  const history: Verifications["Service"]["history"] = Effect.fn("Verifications.history")(function* (id, query) {
    const { tenantId } = yield* Caller
    const selection = yield* Effect.fromResult(Series.parse(verifications, query))
    const found = yield* resources.find(Credential.Credential, tenantId, yield* wellFormed(id))
    if (Option.isNone(found)) return yield* notFound(id)
    return Series.shownPage(verifications, selection, yield* store.list(tenantId, id, selection), documentOf)
  })

  const review: Verifications["Service"]["review"] = Effect.fn("Verifications.review")(function* (
    id,
    { expiryDate, statusDetail }
  ) {
    const caller = yield* Caller
    const by = {
      now: yield* Clock.currentTimeMillis,
      actor: actorOf(caller, yield* RequestId),
      auditId: ids.source("audit"),
      eventId: ids.source("event")
    }
    let reviewed:
      | { readonly credential: Stored<Credential.CredentialFields>; readonly open: RunBasis["open"] }
      | undefined
    const isOurs = yield* store.conclude(
      caller.tenantId,
      yield* wellFormed(id),
      { _tag: "Reviewer" },
      ({ credential, open }) => {
        if (Option.isNone(credential) || !isVisible(credential.value, false)) return Result.fail(notFound(id))
        const outcome = VerificationRun.found(credential.value.fields, statusDetail, expiryDate ?? null, by.now)
        const conclusion = VerificationRun.conclude(credential.value, open, outcome, by)
        reviewed = { credential: conclusion.next, open }
        return Result.succeed(conclusion)
      }
    )
    if (!isOurs || reviewed === undefined) {
      const found = yield* resources.find(Credential.Credential, caller.tenantId, id)
      return yield* Option.exists(found, (stored) => isVisible(stored, false))
        ? new NoReviewWaiting({ credentialId: id })
        : notFound(id)
    }
    for (const verification of reviewed.open) yield* notices.tell(Notices.settled(verification.id))
    yield* notices.tell(Notices.deliveryDue)
    return { document: Credential.documentOn(reviewed.credential, dayAt(by.now)), warnings: [] }
  })

  return Verifications.of({ verify, begin, history, review })
})

export const layer: Layer.Layer<Verifications, never, ResourceStore | VerificationStore | Notices.Notices | Ids> =
  Layer.effect(Verifications, make)
