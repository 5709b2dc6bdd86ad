import { Clock, Context, Effect, Layer, Option, Result, type Stream } from "effect"
import type { RateLimiter } from "../access/RateLimitTier.ts"
import type { Tenant } from "../access/Tenant.ts"
import { entryOf, personActing } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { type DocumentsFull, deleted, type StoredDocument } from "../document/Document.ts"
import { DocumentFiles, entriesOf } from "../document/DocumentFiles.ts"
import { type DocumentOwner, isSameOwner } from "../document/DocumentOwner.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import { noOwners } from "../ownership/Ownership.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import {
  Answer,
  AnswerClosed,
  type AnswerFields,
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
    ) => Effect.Effect<void, E | Refused | AnswerClosed | InvalidArgument | DocumentsFull, RequestId>
    /** Deletes a file of an answer that waits, without a trace. One that is not there changes nothing. */
    readonly remove: (
      tenant: Tenant,
      visitor: Visitor,
      documentId: string
    ) => Effect.Effect<void, Refused | AnswerClosed, RequestId>
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
  const documents = yield* DocumentStore
  const ids = yield* Ids
  const auditId = ids.source("audit")

  /** What a bound device has entered. */
  const read = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor, { agreesTo, entered }: Sent) {
    const found = yield* find(tenant, visitor)
    if (found.standing !== "bound") return yield* new NoAnswerLink()
    const { key, notice } = noticeTo(tenant, found.asked.person.type, visitor)
    const cards = cardsOf(found.asked.credentialTypes, entered, found.moment.today)
    const consent = agreesTo === key ? [] : [agreesTo === "" ? consentFaults.missing : consentFaults.changed]
    const faults = [...(Result.isFailure(cards) ? cards.failure : []), ...consent]
    const read = Result.isFailure(cards) || faults.length > 0 ? Result.fail(faults) : cards
    return { ...found, notice, key, read }
  })

  const requireWaiting = ({ state }: AnswerFields) =>
    state === "WAITING" ? Effect.void : Effect.fail(new AnswerClosed({ action: "submit", state }))

  /** Deletes a file of an answer. */
  const drop = Effect.fnUntraced(function* (tenantId: string, owner: DocumentOwner, id: string, requestId: string) {
    const now = yield* Clock.currentTimeMillis
    const actor = personActing(requestId)
    const audit = entriesOf(auditId, actor, "delete", { id, owner }, now)
    const isOwn = ({ owner: other, status }: StoredDocument) => status === "STORED" && isSameOwner(other, owner)
    const removing = documents.change(tenantId, id, ({ document }) =>
      Option.match(Option.filter(document, isOwn), {
        onNone: () => Result.fail("not there" as const),
        onSome: (found) => Result.succeed({ next: deleted(found, actor, null, now), audit })
      })
    )
    yield* Effect.ignore(removing)
  })

  return AnswerForm.of({
    check: Effect.fnUntraced(function* (tenant, visitor, sent) {
      const { asked, key, notice, read: cards } = yield* read(tenant, visitor, sent)
      return Result.map(cards, (cards) => ({ ...boundView(asked, undefined, notice, key), entered: enteredOf(cards) }))
    }),

    upload: Effect.fn("AnswerForm.upload")(function* (tenant, visitor, file) {
      const { announcedBytes, bytes, card: chosen, name } = file
      const requestId = yield* RequestId
      const { asked, request, standing } = yield* find(tenant, visitor)
      const answer = standing === "bound" ? yield* answerTo(tenant.id, request) : undefined
      if (answer === undefined) return yield* new NoAnswerLink()
      yield* requireWaiting(answer.fields)
      const card = cardOfFile(chosen === "" ? undefined : chosen, answer.fields.cards)
      if (card === undefined)
        return yield* new InvalidArgument({ field: "card", reason: "must be a card of the answer" })
      const { person } = asked
      const arrival = {
        card,
        ...{ tenantId: tenant.id, name, announcedBytes, actor: personActing(requestId) },
        ...{ owner: { type: "answer" as const, id: answer.id }, people: { ...noOwners, [person.type]: person.id } }
      }
      const closed = () => Effect.fail(new AnswerClosed({ action: "submit", state: "APPROVING" }))
      const stored = yield* files.receive(arrival, bytes).pipe(Effect.catchTag("DocumentNotFound", closed))
      // An approval that came between has moved the others, and would leave this one.
      const after = yield* answerTo(tenant.id, request)
      if (after?.fields.state === "WAITING") return
      yield* drop(tenant.id, arrival.owner, stored.id, requestId)
      return yield* closed()
    }),

    remove: Effect.fn("AnswerForm.remove")(function* (tenant, visitor, documentId) {
      const { request, standing } = yield* find(tenant, visitor)
      const answer = standing === "bound" ? yield* answerTo(tenant.id, request) : undefined
      if (answer === undefined) return yield* new NoAnswerLink()
      yield* requireWaiting(answer.fields)
      yield* drop(tenant.id, { type: "answer", id: answer.id }, documentId, yield* RequestId)
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
            // An answer that was forgotten is as if it had never been, but for its version.
            const before = Option.getOrUndefined(Option.filter(current, (row) => isVisible(row, false)))
            const version = Option.match(current, { onNone: () => 1, onSome: (row) => row.version + 1 })
            const sending = { request, person: asked.person, consent, cards: cards.success }
            const fields = yield* submitted(before?.fields, sending, now)
            const times = { createdAt: before?.createdAt ?? now, updatedAt: now, deletedAt: null }
            const operation = before === undefined ? "CREATE" : "UPDATE"
            const entry = { operation, action: "submit", entityType: Answer.type, entityId: id } as const
            return {
              _tag: "Changed" as const,
              next: { id, version, ...times, fields },
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
  ResourceStore | AnswerAccessStore | DocumentFiles | DocumentStore | RateLimiter | Digest | Ids
> = Layer.effect(AnswerForm, make)
