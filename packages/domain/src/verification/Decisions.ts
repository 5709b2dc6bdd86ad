import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller, withoutCaller } from "../access/Caller.ts"
import { actorOf, entryOf } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { questionsOf } from "../holding/Clearance.ts"
import * as Credential from "../holding/Credential.ts"
import { aboutOf, type Decision, type DecisionRequest, decidable, decidedIn, Outcome } from "../holding/Decision.ts"
import { type StatusDetail, StatusDetailWord } from "../holding/Verification.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import { Worker, type WorkerType } from "../people/Worker.ts"
import type { Shown } from "../resource/Collection.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import { ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { progressionsOfCredential } from "../screening/Progressions.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { CalendarDate, dayAfter, toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import * as Notifications from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { isOwn, type OwnCard, type Refused, refusedAsOwn } from "./OwnCard.ts"
import { type Call, VerificationStore } from "./VerificationStore.ts"

type StoredCredential = Stored<Credential.CredentialFields>

/** The state of the record does not allow the decision: nothing can be decided, or not with this outcome or end. */
export class NotDecidable extends Data.TaggedError("NotDecidable")<{
  /** The credential or ban. */
  readonly subjectId: string
  /** The questions to decide. */
  readonly about: ReadonlyArray<StatusDetail>
  /** The outcomes that are possible for all of them; empty if none is. */
  readonly outcomes: ReadonlyArray<Decision["outcome"]>
  /** The latest end, `YYYY-MM-DD`; null if no outcome is possible. */
  readonly until: string | null
}> {}

/** What can be decided about a credential now. */
export const DecisionBounds = Schema.Struct({
  about: Schema.Array(StatusDetailWord).annotate({
    description: "The questions to decide. Empty if none is open and no decision can be replaced."
  }),
  outcomes: Schema.Array(Outcome).annotate({
    description:
      "The outcomes that are possible. MAY_ENGAGE is missing where only the person who holds the card can answer. " +
      "Empty if nothing can be decided, also for the caller's own credential and for one with an owner outside the units."
  }),
  until: Schema.NullOr(CalendarDate).annotate({
    description: "The latest `endsOn`. Null if nothing can be decided."
  }),
  ownerOutside: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description:
      "The credential has an owner outside the units of the caller, so the caller cannot change or verify it. Absent otherwise."
  })
})
export type DecisionBounds = typeof DecisionBounds.Type

/** What may be decided about these questions together, by the table of `decidable`. */
const boundsOf = (about: ReadonlyArray<StatusDetail>, today: string): Omit<DecisionBounds, "about"> => {
  const rows = about.map((question) => decidable[question] ?? { outcomes: [], days: 0 })
  const [first, ...others] = rows
  const outcomes = (first?.outcomes ?? []).filter((outcome) => others.every((row) => row.outcomes.includes(outcome)))
  const until = outcomes.length === 0 ? null : dayAfter(today, Math.min(...rows.map(({ days }) => days)))
  return { outcomes, until }
}

/** Records what a person decides about a credential whose register leaves a question open (DECISIONS.md#registers). */
export class Decisions extends Context.Service<
  Decisions,
  {
    /**
     * Records a decision about all open questions of the credential, and returns the credential. It replaces an earlier
     * decision, which is possible while that is in force even if no question is open. The verdict stays as it is.
     */
    readonly decide: (
      credentialId: string,
      decision: DecisionRequest
    ) => Effect.Effect<
      Shown<Credential.CredentialView>,
      InvalidArgument | ResourceNotFound | NotDecidable | OwnCard | OwnerOutside | PreconditionFailed,
      Caller | RequestId
    >
    /** Returns what `decide` accepts for the credential now. */
    readonly bounds: (credentialId: string) => Effect.Effect<DecisionBounds, InvalidArgument | ResourceNotFound, Caller>
  }
>()("@wcs/domain/Decisions") {}

/** The credential as it reads today, its open questions for a worker of the type, and the bounds of a decision. */
const asked = (before: StoredCredential, workerType: WorkerType | undefined, today: string) => {
  const { fields } = Credential.readOn(before, today)
  const open = questionsOf(fields, workerType)
  const about = decidedIn(open, fields.attributes.decision)
  return { attributes: fields.attributes, open, about, ...boundsOf(about, today) }
}

export const make = Effect.gen(function* () {
  const store = yield* VerificationStore
  const resources = yield* ResourceStore
  const notifications = yield* Notifications.Notifications
  const ids = yield* Ids

  /** How the worker who holds a card is engaged. It decides the questions, so it is read also beyond the caller's units. */
  const holderOf = Effect.fnUntraced(function* (tenantId: string, credentialId: string) {
    const found = yield* resources.find(Credential.Credential, tenantId, credentialId)
    const id = Option.getOrUndefined(found)?.fields.attributes.owners.worker ?? undefined
    const worker = id === undefined ? undefined : Option.getOrUndefined(yield* resources.find(Worker, tenantId, id))
    return { id, workerType: worker?.fields.employment?.workerType }
  })

  return Decisions.of({
    bounds: Effect.fn("Decisions.bounds")(function* (id) {
      const caller = yield* Caller
      const { today } = momentAt(yield* Clock.currentTimeMillis, caller.timeZone)
      const credentialId = yield* Effect.fromResult(requireId(Credential.Credential, id))
      const stored = Option.getOrUndefined(yield* resources.find(Credential.Credential, caller.tenantId, credentialId))
      const isOutside = stored !== undefined && Result.isFailure(requireOwners("decide", stored))
      // Nothing can be decided about a deleted card, but whether the caller may restore it is told.
      if (stored === undefined || (!isVisible(stored, false) && !isOutside)) {
        return yield* new ResourceNotFound({ entityType: "credential", id })
      }
      const { workerType } = yield* holderOf(caller.tenantId, credentialId)
      const { about, outcomes, until } = asked(stored, workerType, today)
      const none = { about, outcomes: [], until: null }
      if (isOutside) return { ...none, ownerOutside: true as const }
      return isOwn(caller, stored.fields) ? none : { about, outcomes, until }
    }),

    decide: Effect.fn("Decisions.decide")(function* (id, { endsOn, outcome, reason }) {
      const caller = yield* Caller
      const condition = yield* Precondition
      const credentialId = yield* Effect.fromResult(requireId(Credential.Credential, id))
      const by = {
        ...momentAt(yield* Clock.currentTimeMillis, caller.timeZone),
        actor: actorOf(caller, yield* RequestId),
        auditId: ids.source("audit"),
        eventId: ids.source("event")
      }
      const { actor, now, today } = by
      const holder = yield* withoutCaller(holderOf(caller.tenantId, credentialId))

      /** The change by the decision, if the table of what may be decided allows it. */
      const decided = (before: StoredCredential): Result.Result<Call & { next: StoredCredential }, NotDecidable> => {
        // The questions are those of the worker who was read. If another one holds the card now, fewer are answered.
        const workerType: WorkerType | undefined =
          before.fields.attributes.owners.worker === holder.id ? holder.workerType : undefined
        const { about: decided, attributes, open, outcomes, until } = asked(before, workerType, today)
        const { decision: replaced, lastKnown, statusDetail } = attributes
        if (until === null || endsOn < today || endsOn > until || !outcomes.includes(outcome)) {
          return Result.fail(new NotDecidable({ subjectId: credentialId, about: decided, outcomes, until }))
        }
        const about = aboutOf(outcome, open, replaced, lastKnown?.statusDetail ?? statusDetail)
        const decision = { outcome, reason, endsOn, about, decidedAt: toRfc3339(now), account: actor.account }
        const fields = { attributes: { ...before.fields.attributes, decision } }
        const next = { ...before, version: before.version + 1, updatedAt: now, fields }
        const action = { operation: "UPDATE", action: "decide", entityType: "credential", entityId: before.id } as const
        const slots = Credential.slotsOf(next)
        const records = {
          audit: [entryOf(by.auditId(), actor, action, now)],
          events: [Credential.eventOf("credential.updated", by.eventId(), slots, null, now)],
          progressions: progressionsOfCredential(next, by)
        }
        return Result.succeed({ next, records })
      }

      const done = yield* store.begin(
        caller.tenantId,
        credentialId,
        ({
          credential
        }): Result.Result<
          (Call & { readonly next: StoredCredential }) | Refused,
          ResourceNotFound | NotDecidable | OwnerOutside | PreconditionFailed
        > => {
          if (Option.isNone(credential) || !isVisible(credential.value, false)) {
            return Result.fail(new ResourceNotFound({ entityType: "credential", id }))
          }
          const before = credential.value
          const holds = checkPrecondition(condition, () => tagAt(Credential.Credential, before, by).text)
          const may = Result.andThen(holds, () => requireOwners("decide", before))
          if (Result.isFailure(may)) return Result.fail(may.failure)
          const refused = refusedAsOwn(caller, before, "decide", { ...by, auditId: by.auditId() })
          return refused === undefined ? decided(before) : Result.succeed(refused)
        }
      )
      if ("refusal" in done) return yield* done.refusal
      yield* notifications.notify(Notifications.deliveryDue)
      const document = Credential.documentOn(done.next, today)
      return { document, warnings: [], tag: tagAt(Credential.Credential, done.next, by) }
    })
  })
})

export const layer = Layer.effect(Decisions, make)
