import { Clock, Context, Data, Effect, Layer, Option, Redacted, Result, Stream } from "effect"
import { isTokenShaped, tokenLength } from "../access/OpaqueToken.ts"
import { RateLimited, RateLimiter } from "../access/RateLimitTier.ts"
import type { Tenant } from "../access/Tenant.ts"
import { entryOf, personActing } from "../audit/AuditEntry.ts"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { DocumentsFull, StoredDocument } from "../document/Document.ts"
import { DocumentFiles } from "../document/DocumentFiles.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import type { MessageDraft } from "../event/MessageDraft.ts"
import { MessageStore } from "../message/MessageStore.ts"
import { noOwners } from "../ownership/Ownership.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import {
  Answer,
  type AnswerClosed,
  type AnswerFields,
  type Asked,
  type AskedRequest,
  answerIdOf,
  askedOn,
  askedResources,
  requestOf,
  submitted
} from "../screening/Answer.ts"
import { cardsOf, type Entered, enteredOf } from "../screening/AnswerEntry.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { messageDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import type { Fault } from "../shared/SchemaFaults.ts"
import * as Access from "./AnswerAccess.ts"
import { AnswerAccessStore } from "./AnswerAccessStore.ts"
import { codeHashOf } from "./AnswerMinting.ts"
import { consentTo, type Notice, type Noticed, noticeOf } from "./Notice.ts"

/** The link is unknown, of another tenant, or its request has ended. All are the same for the visitor. */
export class NoAnswerLink extends Data.TaggedError("NoAnswerLink") {}

/** What the visitor of a link may see. It has nothing of the records of the organization but what is asked. */
export type AnswerView = StrangerView | EndedView | BoundView

/** What anybody with the link sees. */
export type StrangerView =
  /** No device is bound yet. */
  | { readonly _tag: "First"; readonly credentialTypes: ReadonlyArray<string>; readonly until: string }
  /** Another device is bound. */
  | { readonly _tag: "Foreign" }

/** What the person sees on a bound device after the request has ended. */
export interface EndedView extends Decided {
  readonly _tag: "Ended"
}

/** How far an answer has come. */
interface Decided {
  /** Whether an officer has to decide, or what was decided. Undefined without an answer. */
  readonly state: AnswerFields["state"] | undefined
  /** Why the answer was rejected. */
  readonly reason: string | undefined
}

/** What the person sees on a bound device. */
export interface BoundView extends Decided {
  readonly _tag: "Bound"
  readonly credentialTypes: ReadonlyArray<string>
  readonly until: string
  /** The words of the organization to the person. */
  readonly message: string | undefined
  readonly notice: Notice
  /** Names the words of the notice. */
  readonly noticeKey: string
  /** What the person has entered before. */
  readonly entered: Entered
  /** The names of the files that the person has added. */
  readonly files: ReadonlyArray<string>
}

/** Returns what a device may see that is not bound. */
export const strangerView = (
  standing: "first" | "foreign",
  { credentialTypes, until }: Pick<Asked, "credentialTypes" | "until">
): StrangerView => (standing === "first" ? { _tag: "First", credentialTypes, until } : { _tag: "Foreign" })

const decidedOf = (answer: AnswerFields | undefined): Decided => ({
  state: answer?.state,
  reason: answer?.decision?.reason
})

/** Returns what the person sees after the end of the request. */
export const endedView = (answer: AnswerFields | undefined): EndedView => ({ _tag: "Ended", ...decidedOf(answer) })

/** Returns what the person sees on a bound device. */
export const boundView = (
  { credentialTypes, message, until }: Asked,
  answer: AnswerFields | undefined,
  notice: Notice,
  noticeKey: string
): BoundView => ({
  _tag: "Bound",
  ...{ credentialTypes, message, until, notice, noticeKey, ...decidedOf(answer) },
  entered: enteredOf(answer?.cards ?? []),
  files: []
})

const nameOfFile = ({ name, status }: StoredDocument): ReadonlyArray<string> => (status === "STORED" ? [name] : [])

/** The visitor of a link: its secret, and the secret of the device. Both can be anything. */
export interface Visitor {
  readonly secret: Redacted.Redacted
  readonly device: Redacted.Redacted
}

/** What a person sends. */
export interface Sent {
  readonly entered: Entered
  /** The key of the notice to which the person agrees; empty without consent. */
  readonly agreesTo: string
}

type Refused = NoAnswerLink | RateLimited

/** The page on which a person answers a request, without an account (DECISIONS.md#answers). */
export class AnswerPage extends Context.Service<
  AnswerPage,
  {
    /** Returns what the visitor may see. Changes nothing: mail scanners open links, too. */
    readonly open: (tenant: Tenant, visitor: Visitor) => Effect.Effect<AnswerView, Refused>
    /** Binds the link to the device if it is the first. Returns the secret of the device. */
    readonly bind: (tenant: Tenant, visitor: Visitor) => Effect.Effect<Redacted.Redacted, Refused, RequestId>
    /**
     * Sends a code to the person, unless one was sent just now or too many were. The answer does not tell. Returns the
     * secret of the device, which only may enter the code.
     */
    readonly askCode: (tenant: Tenant, visitor: Visitor) => Effect.Effect<Redacted.Redacted, Refused, RequestId>
    /** Binds another device by a code, in place of the one before. Returns the secret of the device; none if the code is not accepted. */
    readonly enterCode: (
      tenant: Tenant,
      visitor: Visitor,
      code: string
    ) => Effect.Effect<Option.Option<Redacted.Redacted>, Refused, RequestId>
    /** Checks what the person entered, as `submit` does, and stores nothing. */
    readonly check: (
      tenant: Tenant,
      visitor: Visitor,
      sent: Sent
    ) => Effect.Effect<Result.Result<BoundView, ReadonlyArray<Fault>>, Refused>
    /**
     * Stores a photo or scan with the answer, once it was sent. It moves to the card with the approval. Fails with the reason
     * if the file is refused.
     */
    readonly upload: (
      tenant: Tenant,
      visitor: Visitor,
      file: { readonly name: string; readonly bytes: Uint8Array }
    ) => Effect.Effect<void, Refused | InvalidArgument | DocumentsFull, RequestId>
    /** Ends the access of the device, for a device that others use too. The next one needs a code. */
    readonly leave: (tenant: Tenant, visitor: Visitor) => Effect.Effect<void, Refused, RequestId>
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
>()("@wcs/domain/AnswerPage") {}

const noticedOf = ({ name, retentionYears }: Tenant, contact: string | undefined): Noticed => ({
  ...{ organization: name, retentionYears, contact }
})

/** Text of a code as people type it. */
const codeOf = (text: string): string => text.replaceAll(/[\s-]/g, "").slice(0, 2 * Access.codeLength)

const otherNotice: Fault = { field: "consent", reason: "is required again: the notice has changed since you read it" }

const noConsent: Fault = { field: "consent", reason: "is required: without your consent, nothing is stored" }

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const accesses = yield* AnswerAccessStore
  const messages = yield* MessageStore
  const files = yield* DocumentFiles
  const documents = yield* DocumentStore
  const limiter = yield* RateLimiter
  const notifications = yield* Notifications
  const digest = yield* Digest
  const ids = yield* Ids
  const auditId = ids.source("audit")
  const messageId = ids.source("message")

  const count = Effect.fnUntraced(function* (tier: "answerLinks" | "answerPages", key: string) {
    const quota = yield* limiter.take(tier, key)
    if (quota.exceeded) return yield* new RateLimited({ quota })
  })

  const hashOf = (secret: Redacted.Redacted): string | undefined => {
    const text = Redacted.value(secret)
    return isTokenShaped(text) ? digest.sha256(text) : undefined
  }

  /** Finds the request of a link; `asked` is undefined if it has ended. */
  const findAny = Effect.fnUntraced(function* (tenant: Tenant, { device, secret }: Visitor) {
    const hash = hashOf(secret)
    const found = hash === undefined ? Option.none() : yield* accesses.find(tenant.id, hash)
    const request = Option.isSome(found) ? requestOf(found.value.requestId) : undefined
    if (Option.isNone(found) || request === undefined) {
      // Only unknown links use up what the tenant has, so that strangers lock nobody out.
      yield* count("answerPages", tenant.id)
      return yield* new NoAnswerLink()
    }
    yield* count("answerLinks", request.id)
    const moment = momentAt(yield* Clock.currentTimeMillis, tenant.timeZone)
    const stored = yield* store.find(askedResources[request.type], tenant.id, request.id)
    const living = Option.filter(stored, (row) => isVisible(row, false))
    if (Option.isNone(living)) return yield* new NoAnswerLink()
    const { access } = found.value
    const asked = askedOn(request.type, living.value.fields, moment.today)
    return { request, asked, moment, standing: Access.standingOf(access, hashOf(device)) }
  })

  /** Finds the open request of a link. */
  const find = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor) {
    const { asked, ...found } = yield* findAny(tenant, visitor)
    return asked === undefined ? yield* new NoAnswerLink() : { ...found, asked }
  })

  const noticedIn = (tenant: Tenant): Effect.Effect<Noticed> =>
    Effect.map(messages.tenant(tenant.id), ({ settings }) => noticedOf(tenant, settings.privacyContact))

  /** Names the words of a notice, so that nobody agrees to other words than those that were shown. */
  const keyOf = ({ consent, paragraphs }: Notice): string =>
    digest.sha256([...paragraphs, consent].join("\n")).slice(0, 32)

  const answerTo = (tenantId: string, { id }: AskedRequest) =>
    Effect.map(store.find(Answer, tenantId, answerIdOf(id)), (found) =>
      Option.getOrUndefined(Option.filter(found, (row) => isVisible(row, false)))
    )

  const view = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor) {
    const { asked, request, standing } = yield* findAny(tenant, visitor)
    if (standing !== "bound") {
      return asked === undefined ? yield* new NoAnswerLink() : strangerView(standing, asked)
    }
    const answer = (yield* answerTo(tenant.id, request))?.fields
    if (asked === undefined) return endedView(answer)
    const notice = noticeOf(yield* noticedIn(tenant), asked.person.type)
    const owner = { type: "answer", id: answerIdOf(request.id) } as const
    const files = answer === undefined ? [] : yield* documents.list(tenant.id, owner)
    return { ...boundView(asked, answer, notice, keyOf(notice)), files: files.flatMap(nameOfFile) }
  })

  /** The audit entry of what a person does with a link. */
  const recordsOf = (action: string, request: AskedRequest, requestId: string, now: number): ChangeRecords => ({
    events: [],
    audit: [
      entryOf(
        auditId(),
        personActing(requestId),
        { operation: "UPDATE", action, entityType: request.type, entityId: request.id },
        now
      )
    ]
  })

  /** The secret of the device that the browser has, or a new one. */
  const deviceOf = Effect.fnUntraced(function* ({ device }: Visitor) {
    const hash = hashOf(device)
    if (hash !== undefined) return { device, hash }
    const text = yield* ids.secret(tokenLength)
    return { device: Redacted.make(text), hash: digest.sha256(text) }
  })

  /** What a bound device has entered. */
  const read = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor, { agreesTo, entered }: Sent) {
    const found = yield* find(tenant, visitor)
    if (found.standing !== "bound") return yield* new NoAnswerLink()
    const notice = noticeOf(yield* noticedIn(tenant), found.asked.person.type)
    const key = keyOf(notice)
    const cards = cardsOf(found.asked.credentialTypes, entered, found.moment.today)
    const consent = agreesTo === key ? [] : [agreesTo === "" ? noConsent : otherNotice]
    const faults = [...(Result.isFailure(cards) ? cards.failure : []), ...consent]
    const read = Result.isFailure(cards) || faults.length > 0 ? Result.fail(faults) : cards
    return { ...found, notice, key, read }
  })

  return AnswerPage.of({
    open: view,

    bind: Effect.fn("AnswerPage.bind")(function* (tenant, visitor) {
      const { moment, request } = yield* find(tenant, visitor)
      const requestId = yield* RequestId
      const { device, hash } = yield* deviceOf(visitor)
      yield* accesses.change(tenant.id, request.id, (access) => {
        const next = Access.bound(access, hash)
        return next === undefined || next === access
          ? { next: undefined }
          : { next, records: recordsOf("open", request, requestId, moment.now) }
      })
      return device
    }),

    askCode: Effect.fn("AnswerPage.askCode")(function* (tenant, visitor) {
      const { asked, moment, request } = yield* find(tenant, visitor)
      const requestId = yield* RequestId
      const { device, hash } = yield* deviceOf(visitor)
      const id = messageId()
      const { next } = yield* accesses.change(tenant.id, request.id, (access) => {
        const next = Access.asked(access, hash, moment.now)
        if (next === undefined) return { next }
        const draft: MessageDraft = {
          ...{ id, kind: "REQUEST_CODE", recipient: asked.person, about: request, cause: requestId, at: moment.now }
        }
        return { next, records: { ...recordsOf("ask for code", request, requestId, moment.now), messages: [draft] } }
      })
      if (next !== undefined) yield* notifications.notify(messageDue)
      return device
    }),

    enterCode: Effect.fn("AnswerPage.enterCode")(function* (tenant, visitor, text) {
      const { moment, request } = yield* find(tenant, visitor)
      const requestId = yield* RequestId
      const { device, hash } = yield* deviceOf(visitor)
      const codeHash = codeHashOf(digest.sha256, request.id, codeOf(text))
      const { isBound } = yield* accesses.change(tenant.id, request.id, (access) => {
        const { isBound, next } = Access.entered(access, codeHash, hash, moment.now)
        const action = isBound ? "enter code" : "enter wrong code"
        return { next, isBound, records: recordsOf(action, request, requestId, moment.now) }
      })
      return isBound ? Option.some(device) : Option.none()
    }),

    check: Effect.fnUntraced(function* (tenant, visitor, sent) {
      const { asked, key, notice, read: cards } = yield* read(tenant, visitor, sent)
      return Result.map(cards, (cards) => ({ ...boundView(asked, undefined, notice, key), entered: enteredOf(cards) }))
    }),

    upload: Effect.fn("AnswerPage.upload")(function* (tenant, visitor, { bytes, name }) {
      const { asked, request, standing } = yield* find(tenant, visitor)
      const answer = standing === "bound" ? yield* answerTo(tenant.id, request) : undefined
      if (answer?.fields.state !== "WAITING") return yield* new NoAnswerLink()
      const { person } = asked
      const arrival = {
        ...{ tenantId: tenant.id, name, announcedBytes: bytes.length, actor: personActing(yield* RequestId) },
        ...{ owner: { type: "answer" as const, id: answer.id }, people: { ...noOwners, [person.type]: person.id } }
      }
      yield* files
        .receive(arrival, Stream.make(bytes))
        .pipe(Effect.catchTag("DocumentNotFound", () => Effect.fail(new NoAnswerLink())))
    }),

    leave: Effect.fn("AnswerPage.leave")(function* (tenant, visitor) {
      const { moment, request } = yield* findAny(tenant, visitor)
      const requestId = yield* RequestId
      yield* accesses.change(tenant.id, request.id, (access) => {
        const next = Access.leaving(access, hashOf(visitor.device))
        return next === undefined ? { next } : { next, records: recordsOf("leave", request, requestId, moment.now) }
      })
    }),

    submit: Effect.fn("AnswerPage.submit")(function* (tenant, visitor, sent) {
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
  AnswerPage,
  never,
  | ResourceStore
  | AnswerAccessStore
  | DocumentFiles
  | DocumentStore
  | MessageStore
  | RateLimiter
  | Notifications
  | Digest
  | Ids
> = Layer.effect(AnswerPage, make)
