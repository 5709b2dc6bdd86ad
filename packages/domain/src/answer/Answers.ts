import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import type { Forbidden } from "../access/Privilege.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { Credentials } from "../credential/Credentials.ts"
import type { OwnRecords } from "../crud/GroupRules.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { movedTo } from "../document/Document.ts"
import { entriesOf } from "../document/DocumentFiles.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import { causeOf } from "../event/MessageDraft.ts"
import { Credential, type CredentialView, classify } from "../holding/Credential.ts"
import type { StatusDetail } from "../holding/Verification.ts"
import { noOwners, OwnerNotFound, type OwnerReference, ownerTypes } from "../ownership/Ownership.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import { ownerResources } from "../people/Owner.ts"
import type { Reading, Shown } from "../resource/Collection.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import type { Document, Resource, ResourceNotFound, Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as AnswerRules from "../screening/Answer.ts"
import {
  Answer,
  type AnswerClosed,
  AnswerFields,
  cardOfFile,
  type EnteredCard,
  RejectionReason
} from "../screening/Answer.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { cardKey } from "../shared/CardNumber.ts"
import { Ids } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { messageDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { type Approval, recordedOf, requireSeen, Target, TargetChanged } from "./Approval.ts"

/** The body of a rejection. */
export const Rejection = Schema.Struct({
  reason: RejectionReason.annotateKey({ description: "Why, in words for the person: a message tells them." })
})
export type Rejection = typeof Rejection.Type

/** The caller is the worker who answered, so somebody else has to decide. */
export class OwnAnswer extends Data.TaggedError("OwnAnswer")<{ readonly answerId: string }> {}

type Held = Document<CredentialView>

/** Verdicts that tell of wrong or missing details. */
const mistyped: ReadonlyArray<StatusDetail> = ["NOT_FOUND", "NAME_MISMATCH", "DETAILS_MISMATCH", "DETAILS_MISSING"]

const keyOf = (identifier: string | undefined): string | undefined =>
  identifier === undefined ? undefined : cardKey(identifier)

/**
 * Returns the card that an entered one corrects; undefined if it is a new card. The same number is the same card, and so is
 * a card without a number if none was entered. Another number corrects the only card of the type whose details were
 * wrong. `held` are the cards of the person and of the type, the newest first.
 */
export const targetOf = (card: EnteredCard, held: ReadonlyArray<Held>): Held | undefined => {
  const same = held.find(({ attributes }) => keyOf(attributes.identifier) === keyOf(card.identifier))
  if (same !== undefined || card.identifier === undefined) return same
  const [wrong, ...others] = held.filter(
    ({ attributes: { statusDetail } }) => statusDetail !== undefined && mistyped.includes(statusDetail)
  )
  return others.length === 0 ? wrong : undefined
}

/** Details that belong to one number: those that were not entered do not pass to another number. */
const ofNumber = ["issueNumber", "cardType", "issuingCountry", "issueDate", "expiryDate"] as const

/** Returns the body of the update that corrects a card. */
export const correctionOf = ({ credentialType: _, ...card }: EnteredCard, { attributes }: Held): JsonObject => {
  const isSame = keyOf(attributes.identifier) === keyOf(card.identifier)
  const cleared = isSame ? {} : Object.fromEntries(ofNumber.map((name) => [name, null]))
  return { attributes: { ...cleared, ...card } }
}

/** Returns the person who answered. */
export const personOf = (fields: AnswerFields): OwnerReference => {
  const person = ownerTypes.flatMap((type) => {
    const id = fields[type]?.id
    return id === undefined ? [] : [{ type, id }]
  })[0]
  if (person === undefined) throw new Error("an answer names no person")
  return person
}

type Refusal = InvalidArgument | ResourceNotFound | PreconditionFailed | AnswerClosed | OwnAnswer

/** An answer as GET returns it. */
export const AnswerView = Schema.Struct({
  ...AnswerFields.fields,
  targets: Schema.optionalKey(Schema.Array(Target)).annotateKey({
    description:
      "What an approval would write now. Present in the answer of one GET while the answer is undecided, for callers who " +
      "may READ credentials."
  })
})
export type AnswerView = typeof AnswerView.Type

/** Answers of people, and the decisions of officers on them (DECISIONS.md#answers). */
export class Answers extends Context.Service<
  Answers,
  Reading<AnswerFields, Forbidden> & {
    /**
     * Writes the cards of a waiting answer: corrects those that the person has, and creates others. Each is verified as after
     * any write. If a card is refused, the answer waits again. An approval that was interrupted can be repeated after
     * `approvalMillis`.
     */
    readonly approve: (
      id: string,
      approval: Approval
    ) => Effect.Effect<
      Shown<AnswerFields>,
      Refusal | Forbidden | OwnerNotFound | OwnerOutside | TargetChanged,
      Caller | RequestId
    >
    /** Refuses a waiting answer. The person can answer again while the request is open. */
    readonly reject: (
      id: string,
      rejection: Rejection
    ) => Effect.Effect<Shown<AnswerFields>, Refusal, Caller | RequestId>
  }
>()("@wcs/domain/Answers") {}

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const store = yield* ResourceStore
  const credentials = yield* Credentials
  const notifications = yield* Notifications
  const documents = yield* DocumentStore
  const ids = yield* Ids
  const messageId = ids.source("message")
  const auditId = ids.source("audit")

  const decided = (before: Stored<AnswerFields> | undefined, after: Stored<AnswerFields>): OwnRecords => {
    const { request, state } = after.fields
    if (state === before?.fields.state || (state !== "APPROVED" && state !== "REJECTED")) return {}
    const about = { recipient: personOf(after.fields), about: request }
    return {
      messages: [{ id: messageId(), kind: "REQUEST_DECIDED", ...about, cause: causeOf(after), at: after.updatedAt }]
    }
  }

  /** Changes an answer that is not the caller's own. */
  const act = (
    id: string,
    action: string,
    decide: (fields: AnswerFields, by: AnswerRules.Decider) => Result.Result<AnswerFields, AnswerClosed>
  ) =>
    Effect.flatMap(Caller, ({ account, workerId }) =>
      resources.act<AnswerFields, AnswerClosed | OwnAnswer>(
        Answer,
        id,
        action,
        (fields, { now }) =>
          workerId !== null && fields.worker?.id === workerId
            ? Result.fail(new OwnAnswer({ answerId: id }))
            : decide(fields, { accountId: accountIdOf(account), now }),
        { records: decided }
      )
    )

  /** The card that each entered card corrects, if any, as the documents and the store have it. */
  const targetsOf = Effect.fnUntraced(function* (answer: AnswerFields) {
    const { tenantId, timeZone } = yield* Caller
    const person = personOf(answer)
    const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
    return yield* Effect.forEach(answer.cards, (card) =>
      Effect.gen(function* () {
        const { documents } = yield* credentials.list({
          ...{ ownerType: person.type, ownerId: person.id, credentialType: card.credentialType },
          ...{ pageSize: "100", sort: "createdAt:desc" }
        })
        const target = targetOf(card, documents)
        const stored = target && Option.getOrUndefined(yield* store.find(Credential, tenantId, target.id))
        return { card, target, stored, tag: stored && tagAt(Credential, stored, { today }).text }
      })
    )
  })
  type Found = Effect.Success<ReturnType<typeof targetsOf>>[number]

  const shownTarget = ({ card: { credentialType }, tag, target }: Found): Target => ({
    credentialType,
    credential:
      target === undefined || tag === undefined ? null : { id: target.id, tag, recorded: recordedOf(target.attributes) }
  })

  /** Fails before anything is written, if the person is gone, a card is no longer valid, or a target has another owner. */
  const check = Effect.fnUntraced(function* (answer: AnswerFields, targets: ReadonlyArray<Found>) {
    const { tenantId } = yield* Caller
    const owner = personOf(answer)
    const person = yield* store.find(ownerResources[owner.type] as Resource, tenantId, owner.id)
    if (!Option.exists(person, (row) => isVisible(row, false))) return yield* new OwnerNotFound({ owner })
    for (const { card, stored } of targets) {
      const owners = { ...noOwners, [owner.type]: owner.id }
      yield* Effect.fromResult(classify({ attributes: { ...card, owners } }))
      if (stored !== undefined) yield* Effect.fromResult(requireOwners("update", stored))
    }
  })

  const write = Effect.fnUntraced(function* (owner: OwnerReference, { card, tag, target }: Found) {
    const { credentialType } = card
    if (target !== undefined) {
      // It may change between the check and the write.
      const condition = tag === undefined ? {} : { match: [tag] }
      yield* credentials.patch(target.id, correctionOf(card, target)).pipe(
        Effect.provideService(Precondition, condition),
        Effect.catchTag("PreconditionFailed", () => Effect.fail(new TargetChanged({ credentialType })))
      )
      return { id: target.id, credentialType }
    }
    const { document } = yield* credentials.create({ attributes: { ...card, owners: { [owner.type]: owner.id } } })
    return { id: document.id, credentialType }
  })

  /** Fails unless the caller has seen these files of an answer. */
  const requireFiles = Effect.fnUntraced(function* (id: string, seen: Approval["documents"]) {
    if (seen === undefined) return
    const all = yield* documents.list((yield* Caller).tenantId, { type: "answer", id })
    const stored = all.filter(({ status }) => status === "STORED")
    if (stored.length !== seen.length || stored.some((document) => !seen.includes(document.id))) {
      return yield* new TargetChanged({ credentialType: undefined })
    }
  })

  /** Gives each file of an answer to the card that it shows. A file of a card that was not sent stays with the answer. */
  const moveFiles = Effect.fnUntraced(function* (
    id: string,
    written: NonNullable<AnswerFields["credentials"]>,
    seen: Approval["documents"]
  ) {
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const now = yield* Clock.currentTimeMillis
    for (const card of written) {
      const to = { type: "credential", id: card.id } as const
      yield* documents.move(caller.tenantId, { type: "answer", id }, to, now, (document) => {
        if (seen?.includes(document.id) === false) return undefined
        if (cardOfFile(document.card, written) !== card.credentialType) return undefined
        const next = movedTo(document, to)
        return { next, audit: entriesOf(auditId, actor, "move", next, now) }
      })
    }
  })

  const readWithTargets: Answers["Service"]["read"] = Effect.fnUntraced(function* (id, query) {
    const { privileges } = yield* Caller
    const shown = yield* resources.get<AnswerFields>(Answer, id, query)
    const document: Document<AnswerFields> = JSON.parse(shown.text)
    if (!privileges.has("credential:READ") || !AnswerRules.isUndecided(document)) return shown
    const targets = (yield* targetsOf(document)).map(shownTarget)
    return { ...shown, text: JSON.stringify({ ...document, targets }) }
  })

  return Answers.of({
    read: readWithTargets,
    list: (query) => resources.list<AnswerFields>(Answer, query),

    approve: Effect.fn("Answers.approve")(function* (id, { documents: files, targets: seen }) {
      const { document: claim } = yield* act(id, "approve", AnswerRules.approving)
      const finished = Effect.gen(function* () {
        const targets = yield* targetsOf(claim)
        yield* Effect.fromResult(requireSeen(seen, targets.map(shownTarget)))
        yield* requireFiles(id, files)
        yield* check(claim, targets)
        const written = yield* Effect.forEach(targets, (one) => write(personOf(claim), one))
        yield* moveFiles(id, written, files)
        return yield* act(id, "complete", (fields) => AnswerRules.approved(fields, claim, written))
      }).pipe(
        Effect.onError(() =>
          Effect.ignore(act(id, "release", (fields) => Result.succeed(AnswerRules.released(fields, claim))))
        ),
        // The condition was about the answer as the caller saw it.
        Effect.provideService(Precondition, {})
      )
      const shown = yield* finished
      yield* notifications.notify(messageDue)
      return shown
    }),

    reject: Effect.fn("Answers.reject")(function* (id, { reason }) {
      const shown = yield* act(id, "reject", (fields, by) => AnswerRules.rejected(fields, reason, by))
      yield* notifications.notify(messageDue)
      return shown
    })
  })
})

export const layer: Layer.Layer<
  Answers,
  never,
  Resources | ResourceStore | DocumentStore | Credentials | Notifications | Ids
> = Layer.effect(Answers, make)
