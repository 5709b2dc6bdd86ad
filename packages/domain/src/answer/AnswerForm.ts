import { Context, Effect, Layer, Option, Result, type Stream } from "effect"
import type { RateLimiter } from "../access/RateLimitTier.ts"
import type { Tenant } from "../access/Tenant.ts"
import { entryOf, personActing } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { DocumentsFull } from "../document/Document.ts"
import { DocumentFiles } from "../document/DocumentFiles.ts"
import type { MessageStore } from "../message/MessageStore.ts"
import { noOwners } from "../ownership/Ownership.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import {
  Answer,
  type AnswerClosed,
  answerIdOf,
  askedOn,
  askedResources,
  cardOfFile,
  submitted
} from "../screening/Answer.ts"
import { cardsOf, type Entered, enteredOf } from "../screening/AnswerEntry.ts"
import type { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import type { Fault } from "../shared/SchemaFaults.ts"
import type { AnswerAccessStore } from "./AnswerAccessStore.ts"
import { type BoundView, boundView } from "./AnswerView.ts"
import type { Refused, Visitor } from "./AnswerVisit.ts"
import * as AnswerVisit from "./AnswerVisit.ts"
import { NoAnswerLink } from "./AnswerVisit.ts"
import { consentTo } from "./Notice.ts"

/** What a person sends. */
export interface Sent {
  readonly entered: Entered
  /** The key of the notice to which the person agrees; empty without consent. */
  readonly agreesTo: string
}

/** A file that arrives. */
export interface SentFile<E> {
  readonly name: string
  /** The most bytes that it can have. */
  readonly announcedBytes: number
  readonly bytes: Stream.Stream<Uint8Array, E>
  /** Code of the type of the card that it shows; empty if the person chose none. */
  readonly card: string
}

/** Takes what a person enters on the page of a link, from a bound device (DECISIONS.md#answers). */
export class AnswerForm extends Context.Service<
  AnswerForm,
  {
    /** Checks what the person entered, as `submit` does, and stores nothing. */
    readonly check: (
      tenant: Tenant,
      visitor: Visitor,
      sent: Sent
    ) => Effect.Effect<Result.Result<BoundView, ReadonlyArray<Fault>>, Refused>
    /**
     * Stores a photo or scan with the answer, once it was sent. `card` is the code of the card's type; of an answer with one
     * card it can be empty. The file moves to the card with the approval. Fails with the reason if the file is refused.
     */
    readonly upload: <E>(
      tenant: Tenant,
      visitor: Visitor,
      file: SentFile<E>
    ) => Effect.Effect<void, E | Refused | InvalidArgument | DocumentsFull, RequestId>
    /**
     * Stores the answer of the person, which waits for an officer then. Fails with AnswerClosed while an approval is being
     * written.
     */
    readonly submit: (
      tenant: Tenant,
      visitor: Visitor,
      sent: Sent
    ) => Effect.Effect<Result.Result<BoundView, ReadonlyArray<Fault>>, Refused | AnswerClosed, RequestId>
  }
>()("@wcs/domain/AnswerForm") {}

/** What is wrong with the consent: it is missing, or is about a notice that has changed. */
export const consentFaults = {
  missing: { field: "consent", reason: "is required: without your consent, nothing is stored" },
  changed: { field: "consent", reason: "is required again: the notice has changed since you read it" }
} as const satisfies Readonly<Record<string, Fault>>

export const make = Effect.gen(function* () {
  const { answerTo, find, noticeTo } = yield* AnswerVisit.make
  const store = yield* ResourceStore
  const files = yield* DocumentFiles
  const ids = yield* Ids
  const auditId = ids.source("audit")

  /** What a bound device has entered. */
  const read = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor, { agreesTo, entered }: Sent) {
    const found = yield* find(tenant, visitor)
    if (found.standing !== "bound") return yield* new NoAnswerLink()
    const { key, notice } = yield* noticeTo(tenant, found.asked.person.type, visitor.language)
    const cards = cardsOf(found.asked.credentialTypes, entered, found.moment.today)
    const consent = agreesTo === key ? [] : [agreesTo === "" ? consentFaults.missing : consentFaults.changed]
    const faults = [...(Result.isFailure(cards) ? cards.failure : []), ...consent]
    const read = Result.isFailure(cards) || faults.length > 0 ? Result.fail(faults) : cards
    return { ...found, notice, key, read }
  })

  return AnswerForm.of({
    check: Effect.fnUntraced(function* (tenant, visitor, sent) {
      const { asked, key, notice, read: cards } = yield* read(tenant, visitor, sent)
      return Result.map(cards, (cards) => ({ ...boundView(asked, undefined, notice, key), entered: enteredOf(cards) }))
    }),

    upload: Effect.fn("AnswerForm.upload")(function* (tenant, visitor, file) {
      const { announcedBytes, bytes, card: chosen, name } = file
      const { asked, request, standing } = yield* find(tenant, visitor)
      const answer = standing === "bound" ? yield* answerTo(tenant.id, request) : undefined
      if (answer?.fields.state !== "WAITING") return yield* new NoAnswerLink()
      const card = cardOfFile(chosen === "" ? undefined : chosen, answer.fields.cards)
      if (card === undefined)
        return yield* new InvalidArgument({ field: "card", reason: "must be a card of the answer" })
      const { person } = asked
      const arrival = {
        card,
        ...{ tenantId: tenant.id, name, announcedBytes, actor: personActing(yield* RequestId) },
        ...{ owner: { type: "answer" as const, id: answer.id }, people: { ...noOwners, [person.type]: person.id } }
      }
      yield* files
        .receive(arrival, bytes)
        .pipe(Effect.catchTag("DocumentNotFound", () => Effect.fail(new NoAnswerLink())))
    }),

    submit: Effect.fn("AnswerForm.submit")(function* (tenant, visitor, sent) {
      const { asked, key, moment, notice, read: cards, request } = yield* read(tenant, visitor, sent)
      if (Result.isFailure(cards)) return Result.fail(cards.failure)
      const requestId = yield* RequestId
      const { now, today } = moment
      const consent = consentTo(notice, now)
      const id = answerIdOf(request.id)
      const changed = yield* store.change(
        Answer,
        tenant.id,
        id,
        [{ resource: askedResources[request.type], id: request.id }],
        ({ current, references: [asking = Option.none()] }) =>
          Result.gen(function* () {
            const isOpen = Option.exists(
              asking,
              (row) => isVisible(row, false) && askedOn(request.type, row.fields, today)?.person.id === asked.person.id
            )
            if (!isOpen) return yield* Result.fail(new NoAnswerLink())
            const before = Option.getOrUndefined(current)
            const sending = { request, person: asked.person, consent, cards: cards.success }
            const fields = yield* submitted(before?.fields, sending, now)
            const next = { id, version: 1, createdAt: now, deletedAt: null, ...before, updatedAt: now, fields }
            const operation = before === undefined ? "CREATE" : "UPDATE"
            const entry = { operation, action: "submit", entityType: Answer.type, entityId: id } as const
            return {
              _tag: "Changed" as const,
              next: { ...next, version: before === undefined ? 1 : before.version + 1 },
              records: { events: [], audit: [entryOf(auditId(), personActing(requestId), entry, now)] }
            }
          })
      )
      return Result.succeed(boundView(asked, changed.next.fields, notice, key))
    })
  })
})

export const layer: Layer.Layer<
  AnswerForm,
  never,
  ResourceStore | AnswerAccessStore | DocumentFiles | MessageStore | RateLimiter | Digest | Ids
> = Layer.effect(AnswerForm, make)
