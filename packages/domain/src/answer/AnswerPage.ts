import { Context, Effect, Layer, Option, Redacted } from "effect"
import { tokenLength } from "../access/OpaqueToken.ts"
import type { RateLimiter } from "../access/RateLimitTier.ts"
import type { Tenant } from "../access/Tenant.ts"
import { entryOf, personActing } from "../audit/AuditEntry.ts"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import type { MessageDraft } from "../event/MessageDraft.ts"
import type { MessageSettings } from "../message/MessageSettings.ts"
import { MessageStore } from "../message/MessageStore.ts"
import { type AskedRequest, answerIdOf } from "../screening/Answer.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { messageDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as Access from "./AnswerAccess.ts"
import { AnswerAccessStore } from "./AnswerAccessStore.ts"
import { codeHashOf } from "./AnswerMinting.ts"
import { type AnswerView, boundView, endedView, filesOf, strangerView } from "./AnswerView.ts"
import type { Refused, Visitor } from "./AnswerVisit.ts"
import * as AnswerVisit from "./AnswerVisit.ts"
import { NoAnswerLink } from "./AnswerVisit.ts"

/** Opens the page on which a person answers a request, without an account (DECISIONS.md#answers). */
export class AnswerPage extends Context.Service<
  AnswerPage,
  {
    /** The settings of the organization, which are a part of each visit. */
    readonly settingsOf: (tenant: Tenant) => Effect.Effect<MessageSettings>
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
    /** Ends the access of the device, for a device that others use too. The next one needs a code. */
    readonly leave: (tenant: Tenant, visitor: Visitor) => Effect.Effect<void, Refused, RequestId>
  }
>()("@wcs/domain/AnswerPage") {}

/** Text of a code as people type it. */
const codeOf = (text: string): string => text.replaceAll(/[\s-]/g, "").slice(0, 2 * Access.codeLength)

export const make = Effect.gen(function* () {
  const { answerTo, find, findAny, hashOf, noticeTo } = yield* AnswerVisit.make
  const accesses = yield* AnswerAccessStore
  const messages = yield* MessageStore
  const documents = yield* DocumentStore
  const notifications = yield* Notifications
  const digest = yield* Digest
  const ids = yield* Ids
  const auditId = ids.source("audit")
  const messageId = ids.source("message")

  const view = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor) {
    const { asked, request, standing } = yield* findAny(tenant, visitor)
    if (standing !== "bound") {
      return asked === undefined ? yield* new NoAnswerLink() : strangerView(standing, asked)
    }
    const answer = (yield* answerTo(tenant.id, request))?.fields
    if (asked === undefined) return endedView(answer)
    const { key, notice } = noticeTo(tenant, asked.person.type, visitor)
    const owner = { type: "answer", id: answerIdOf(request.id) } as const
    const shown = boundView(asked, answer, notice, key)
    if (answer === undefined) return shown
    return { ...shown, files: filesOf(yield* documents.list(tenant.id, owner), answer.cards) }
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

  return AnswerPage.of({
    settingsOf: (tenant) => Effect.map(messages.tenant(tenant.id), ({ settings }) => settings),

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

    leave: Effect.fn("AnswerPage.leave")(function* (tenant, visitor) {
      const { moment, request } = yield* findAny(tenant, visitor)
      const requestId = yield* RequestId
      yield* accesses.change(tenant.id, request.id, (access) => {
        const next = Access.leaving(access, hashOf(visitor.device))
        return next === undefined ? { next } : { next, records: recordsOf("leave", request, requestId, moment.now) }
      })
    })
  })
})

export const layer: Layer.Layer<
  AnswerPage,
  never,
  ResourceStore | AnswerAccessStore | DocumentStore | MessageStore | RateLimiter | Notifications | Digest | Ids
> = Layer.effect(AnswerPage, make)
