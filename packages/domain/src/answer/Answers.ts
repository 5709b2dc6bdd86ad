import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import type { Forbidden } from "../access/Privilege.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { Credentials } from "../credential/Credentials.ts"
import type { OwnRecords } from "../crud/GroupRules.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { entriesOf } from "../document/DocumentFiles.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import { causeOf } from "../event/MessageDraft.ts"
import { Credential, type CredentialView, classify } from "../holding/Credential.ts"
import { CodeOfType } from "../holding/CredentialType.ts"
import type { StatusDetail } from "../holding/Verification.ts"
import { noOwners, OwnerNotFound, type OwnerReference, ownerTypes } from "../ownership/Ownership.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import { ownerResources } from "../people/Owner.ts"
import type { Reading, Shown } from "../resource/Collection.ts"
import { Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import type { Document, Resource, ResourceNotFound, Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as AnswerRules from "../screening/Answer.ts"
import { Answer, type AnswerClosed, AnswerFields, type EnteredCard, RejectionReason } from "../screening/Answer.ts"
import { cardKey } from "../shared/CardNumber.ts"
import { CredentialId, Ids } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { messageDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"

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
  targets: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        credentialType: CodeOfType.annotateKey({ description: "Type of the entered card." }),
        credential: Schema.NullOr(Schema.Struct({ id: CredentialId })).annotate({
          description: "The card that an approval would correct; null if it would create one."
        })
      })
    )
  ).annotateKey({
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
      id: string
    ) => Effect.Effect<Shown<AnswerFields>, Refusal | Forbidden | OwnerNotFound | OwnerOutside, Caller | RequestId>
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

  /** The card that each entered card corrects, if any. */
  const targetsOf = (answer: AnswerFields) => {
    const person = personOf(answer)
    return Effect.forEach(answer.cards, (card) =>
      credentials
        .list({
          ...{ ownerType: person.type, ownerId: person.id, credentialType: card.credentialType },
          ...{ pageSize: "100", sort: "createdAt:desc" }
        })
        .pipe(Effect.map(({ documents }) => ({ card, target: targetOf(card, documents) })))
    )
  }

  /** Fails before anything is written, if the person is gone, a card is no longer valid, or a target has another owner. */
  const check = Effect.fnUntraced(function* (
    answer: AnswerFields,
    targets: Effect.Success<ReturnType<typeof targetsOf>>
  ) {
    const { tenantId } = yield* Caller
    const owner = personOf(answer)
    const person = yield* store.find(ownerResources[owner.type] as Resource, tenantId, owner.id)
    if (!Option.exists(person, (row) => isVisible(row, false))) return yield* new OwnerNotFound({ owner })
    for (const { card, target } of targets) {
      const owners = { ...noOwners, [owner.type]: owner.id }
      yield* Effect.fromResult(classify({ attributes: { ...card, owners } }))
      const held = target && Option.getOrUndefined(yield* store.find(Credential, tenantId, target.id))
      if (held !== undefined) yield* Effect.fromResult(requireOwners("update", held))
    }
  })

  const write = Effect.fnUntraced(function* (
    owner: OwnerReference,
    { card, target }: Effect.Success<ReturnType<typeof targetsOf>>[number]
  ) {
    const { credentialType } = card
    if (target !== undefined) {
      yield* credentials.patch(target.id, correctionOf(card, target))
      return { id: target.id, credentialType }
    }
    const { document } = yield* credentials.create({ attributes: { ...card, owners: { [owner.type]: owner.id } } })
    return { id: document.id, credentialType }
  })

  /** Gives the files of an answer to the first card of it. */
  const moveFiles = Effect.fnUntraced(function* (id: string, credentialId: string | undefined) {
    if (credentialId === undefined) return
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const to = { type: "credential", id: credentialId } as const
    const now = yield* Clock.currentTimeMillis
    yield* documents.move(caller.tenantId, { type: "answer", id }, to, now, (moved) =>
      entriesOf(auditId, actor, "move", { ...moved, owner: to }, now)
    )
  })

  const readWithTargets: Answers["Service"]["read"] = Effect.fnUntraced(function* (id, query) {
    const { privileges } = yield* Caller
    const shown = yield* resources.get<AnswerFields>(Answer, id, query)
    const document: Document<AnswerFields> = JSON.parse(shown.text)
    if (!privileges.has("credential:READ") || !AnswerRules.isUndecided(document)) return shown
    const targets = (yield* targetsOf(document)).map(({ card: { credentialType }, target }) => ({
      credentialType,
      credential: target === undefined ? null : { id: target.id }
    }))
    return { ...shown, text: JSON.stringify({ ...document, targets }) }
  })

  return Answers.of({
    read: readWithTargets,
    list: (query) => resources.list<AnswerFields>(Answer, query),

    approve: Effect.fn("Answers.approve")(function* (id) {
      const { document: claim } = yield* act(id, "approve", AnswerRules.approving)
      const finished = Effect.gen(function* () {
        const targets = yield* targetsOf(claim)
        yield* check(claim, targets)
        const written = yield* Effect.forEach(targets, (one) => write(personOf(claim), one))
        yield* moveFiles(id, written[0]?.id)
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
