import { Context, Data, Effect, Layer, Result, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import type { Forbidden } from "../access/Privilege.ts"
import { Credentials } from "../credential/Credentials.ts"
import type { OwnRecords } from "../crud/GroupRules.ts"
import { Resources } from "../crud/Resources.ts"
import { causeOf } from "../event/MessageDraft.ts"
import type { CredentialView } from "../holding/Credential.ts"
import type { StatusDetail } from "../holding/Verification.ts"
import type { OwnerNotFound, OwnerReference } from "../ownership/Ownership.ts"
import { ownerTypes } from "../ownership/Ownership.ts"
import type { OwnerOutside } from "../people/Oversight.ts"
import type { Reading, Shown } from "../resource/Collection.ts"
import { Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import type { Document, ResourceNotFound, Stored } from "../resource/Resource.ts"
import * as AnswerRules from "../screening/Answer.ts"
import { Answer, type AnswerClosed, type AnswerFields, type EnteredCard, RejectionReason } from "../screening/Answer.ts"
import { cardKey } from "../shared/CardNumber.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids, prefixes } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { messageDue, Notifications } from "../shared/Notifications.ts"
import type { RequestId } from "../shared/RequestId.ts"

/** The body of a rejection. */
export const Rejection = Schema.Struct({
  reason: RejectionReason.annotateKey({ description: "Why, in words for the person: a message tells them." })
})
export type Rejection = typeof Rejection.Type

/** The caller is the worker who answered, so somebody else has to decide. */
export class OwnAnswer extends Data.TaggedError("OwnAnswer")<{ readonly answerId: string }> {}

type Held = Document<CredentialView>

/** Verdicts that tell of wrong or missing details. The details of a card with such a verdict can be corrected. */
const mistyped: ReadonlyArray<StatusDetail> = [
  "NOT_FOUND",
  "NAME_MISMATCH",
  "DETAILS_MISMATCH",
  "DETAILS_MISSING",
  "PENDING"
]

const keyOf = (identifier: string | undefined): string | undefined =>
  identifier === undefined ? undefined : cardKey(identifier)

/**
 * Returns the card that an entered one corrects; undefined if it is a new card. The same number is the same card. Another
 * number corrects a card of the type whose details were wrong. `held` are the cards of the person and of the type, the
 * newest first, and `newId` is the id of the card that this approval would create.
 */
export const targetOf = (card: EnteredCard, held: ReadonlyArray<Held>, newId: string): Held | undefined =>
  held.find(({ id }) => id === newId) ??
  held.find(
    ({ attributes }) => card.identifier !== undefined && keyOf(attributes.identifier) === keyOf(card.identifier)
  ) ??
  held.find(({ attributes: { statusDetail } }) => statusDetail !== undefined && mistyped.includes(statusDetail))

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

/** Answers of people, and the decisions of officers on them (DECISIONS.md#answers). */
export class Answers extends Context.Service<
  Answers,
  Reading<AnswerFields> & {
    /**
     * Writes the cards of a waiting answer: corrects those that the person has, and creates others. Each is verified as after
     * any write. If a card is refused, the answer waits again. An approval that was interrupted can be repeated: no
     * card is written twice.
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
  const credentials = yield* Credentials
  const notifications = yield* Notifications
  const digest = yield* Digest
  const ids = yield* Ids
  const messageId = ids.source("message")

  const decided = (before: Stored<AnswerFields> | undefined, after: Stored<AnswerFields>): OwnRecords => {
    const { decision, request, state } = after.fields
    if (decision === undefined || (state !== "APPROVED" && state !== "REJECTED")) return {}
    if (before?.fields.state === state) return {}
    return {
      messages: [
        {
          ...{ id: messageId(), kind: "REQUEST_DECIDED", recipient: personOf(after.fields), about: request },
          ...{ cause: causeOf(after), at: after.updatedAt }
        }
      ]
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

  /** Writes a card. Writing it again changes nothing. */
  const write = Effect.fnUntraced(function* (answer: Document<AnswerFields>, card: EnteredCard) {
    const { credentialType, ...details } = card
    const person = personOf(answer)
    const key = [answer.id, answer.submittedAt, credentialType].join(" ")
    const newId = prefixes.credential + digest.sha256(key).slice(0, 16)
    const { documents } = yield* credentials.list({
      ...{ ownerType: person.type, ownerId: person.id, credentialType },
      ...{ pageSize: "100", sort: "createdAt:desc" }
    })
    const target = targetOf(card, documents, newId)
    if (target !== undefined) {
      yield* credentials.patch(target.id, { attributes: details })
      return { id: target.id, credentialType }
    }
    const owners = { [person.type]: person.id }
    const { document } = yield* credentials.createAs(newId, { attributes: { credentialType, ...details, owners } })
    return { id: document.id, credentialType }
  })

  return Answers.of({
    read: (id, query) => resources.get<AnswerFields>(Answer, id, query),
    list: (query) => resources.list<AnswerFields>(Answer, query),

    approve: Effect.fn("Answers.approve")(function* (id) {
      const begun = yield* act(id, "approve", AnswerRules.approving)
      const { cards, state } = begun.document
      if (state === "APPROVED") return begun
      const finished = Effect.gen(function* () {
        const written = yield* Effect.forEach(cards, (card) => write(begun.document, card))
        return yield* act(id, "complete", (fields) => AnswerRules.approved(fields, written))
      }).pipe(
        Effect.tapError(() =>
          Effect.ignore(act(id, "release", (fields) => Result.succeed(AnswerRules.released(fields))))
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

export const layer: Layer.Layer<Answers, never, Resources | Credentials | Notifications | Digest | Ids> = Layer.effect(
  Answers,
  make
)
