import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { nameOf, type Privileges } from "../access/Privilege.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { readsOf } from "../resource/DerivedAnswer.ts"
import type { EntityTag } from "../resource/EntityTag.ts"
import { enumeration } from "../resource/Enumeration.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import { type Document, ResourceNotFound, requireId, toDocument } from "../resource/Resource.ts"
import { typeField } from "../resource/ShownFields.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids, prefixes } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { messageDue, messagesChanged, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { queued } from "./Announcing.ts"
import { renderOf, sampleOf } from "./Composing.ts"
import { languages, languageTags } from "./Language.ts"
import { Message, type MessageFields, type MessageState, requeued, resendable, sampleCause } from "./Message.ts"
import { choicesTag } from "./MessageChoices.ts"
import { messageKinds, type OfficerKind, officerKindNames, received } from "./MessageKind.ts"
import {
  type MessageSettings,
  type MessageSettingsDocument,
  requireSettings,
  shownSettings,
  templateOf,
  withTerm
} from "./MessageSettings.ts"
import { MessageStore } from "./MessageStore.ts"
import { MessagesOn } from "./Messages.ts"
import { type RenderedDocument, requireKnown, Template } from "./Template.ts"

const kindField = enumeration("MessageKind", messageKinds).annotateKey({ description: "Kind of message." })

/** The body of a preview. */
export const MessagePreview = Schema.Struct({
  kind: kindField,
  template: Schema.optionalKey(Template).annotateKey({
    description: "Words to try. By default those that are in force."
  }),
  language: Schema.optionalKey(enumeration("MessageLanguage", languageTags)).annotateKey({
    description: "Language of the sample. By default that of the settings."
  })
})
export type MessagePreview = typeof MessagePreview.Type

/** The body of a call that sends a sample. */
export const MessageSample = Schema.Struct({ kind: kindField })
export type MessageSample = typeof MessageSample.Type

/** Which messages a user receives. */
export const OwnMessages = Schema.Struct(
  Object.fromEntries(
    officerKindNames.map((kind) => [
      kind,
      Schema.Boolean.annotateKey({ description: `Whether the user receives ${kind}, if the tenant sends it.` })
    ])
  ) as Record<OfficerKind, typeof Schema.Boolean>
)
export type OwnMessages = typeof OwnMessages.Type
export const OwnMessagesDocument = Schema.Struct({ type: typeField("ownMessages"), ...OwnMessages.fields })
export type OwnMessagesDocument = typeof OwnMessagesDocument.Type

/** An answer with the tag of its choices. */
export interface Tagged<Document> {
  readonly document: Document
  readonly tag: EntityTag
}

/** A message in this state cannot be sent again by hand. */
export class MessageNotEnded extends Data.TaggedError("MessageNotEnded")<{
  readonly id: string
  readonly state: MessageState
}> {}

/** Whether a caller sees messages to people, which tell of their cards and requests. Others see those to users. */
const seesPeople = (privileges: Privileges): boolean =>
  readsOf("personalMessages").every((one) => privileges.has(nameOf(one)))

/** The ids of users come before those of applicants and workers. */
const toUsers: ListQuery.Condition = { _tag: "Before", column: "recipient_id", value: prefixes.applicant }

/** The most messages that a user receives in a day. */
const perDay = 20
const dayMillis = 86_400_000

/** Messages to users: the list, what the tenant and each user have chosen, samples and repetitions. */
export class Outbox extends Context.Service<
  Outbox,
  {
    readonly list: (
      query: ListQuery.Query
    ) => Effect.Effect<ShownPage<Document<MessageFields>>, InvalidArgument, Caller>
    /** Queues a message again that was refused, not delivered in time, without an address, or whose end is unknown. */
    readonly resend: (
      id: string
    ) => Effect.Effect<
      Document<MessageFields>,
      InvalidArgument | ResourceNotFound | MessageNotEnded,
      Caller | RequestId
    >
    readonly settings: Effect.Effect<Tagged<MessageSettingsDocument>, never, Caller>
    readonly setSettings: (
      settings: MessageSettings
    ) => Effect.Effect<Tagged<MessageSettingsDocument>, InvalidArgument | PreconditionFailed, Caller | RequestId>
    /** Writes a sample of a kind. Sends nothing. */
    readonly preview: (preview: MessagePreview) => Effect.Effect<RenderedDocument, InvalidArgument, Caller>
    /** Sends a sample to the calling user. */
    readonly sample: (
      sample: MessageSample
    ) => Effect.Effect<Document<MessageFields>, InvalidArgument, Caller | RequestId>
    /** Which kinds the calling user receives. */
    readonly own: Effect.Effect<Tagged<OwnMessagesDocument>, never, Caller>
    readonly setOwn: (
      own: OwnMessages
    ) => Effect.Effect<Tagged<OwnMessagesDocument>, PreconditionFailed, Caller | RequestId>
  }
>()("@wcs/domain/Outbox") {}

export const make = Effect.gen(function* () {
  const store = yield* MessageStore
  const accounts = yield* AccessStore
  const resources = yield* ResourceStore
  const notifications = yield* Notifications
  const ids = yield* Ids
  const isAvailable = yield* MessagesOn
  const audited = makeAudit(ids)
  const { sha256 } = yield* Digest

  const taggedSettings = (settings: MessageSettings): Tagged<MessageSettingsDocument> => ({
    document: shownSettings(settings, isAvailable),
    tag: choicesTag(sha256, settings)
  })
  const taggedOwn = (declined: ReadonlyArray<OfficerKind>): Tagged<OwnMessagesDocument> => ({
    document: { type: "ownMessages", ...received(declined) },
    tag: choicesTag(sha256, received(declined))
  })

  const entry = Effect.fnUntraced(function* (action: string, id: string, operation: "CREATE" | "UPDATE" = "UPDATE") {
    const actor = actorOf(yield* Caller, yield* RequestId)
    const what = { operation, action, entityType: "message", entityId: id } as const
    return yield* audited(actor, what, yield* Clock.currentTimeMillis)
  })

  return Outbox.of({
    list: Effect.fnUntraced(function* (query) {
      const { privileges, tenantId, timeZone } = yield* Caller
      const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
      const selection = yield* Effect.fromResult(ListQuery.parse(Message, query, today))
      const conditions = seesPeople(privileges)
        ? selection.conditions
        : selection.conditions && [...selection.conditions, toUsers]
      const page = yield* resources.list(Message, tenantId, { ...selection, conditions })
      return {
        documents: page.items.map((stored) => toDocument(Message, stored)),
        pageSize: selection.pageSize,
        nextCursor: ListQuery.nextCursor(Message, selection, page),
        total: page.total,
        warnings: []
      }
    }),

    resend: Effect.fn("Outbox.resend")(function* (id) {
      yield* Effect.fromResult(requireId(Message, id))
      if (!isAvailable) {
        const reason = "cannot be sent again: the operator has not set up messages for this deployment"
        return yield* new InvalidArgument({ field: "id", reason })
      }
      const { tenantId } = yield* Caller
      const now = yield* Clock.currentTimeMillis
      const audit = yield* entry("resend", id)
      let state: MessageState | undefined
      const changed = yield* store.change(
        tenantId,
        id,
        (message) => {
          state = message.fields.state
          const next = { ...message, version: message.version + 1, updatedAt: now, fields: requeued(message.fields) }
          return resendable.includes(state) ? { message: next, dueAt: now } : undefined
        },
        audit
      )
      if (Option.isNone(changed)) return yield* new ResourceNotFound({ entityType: "message", id })
      if (changed.value === null || changed.value === undefined) {
        return yield* new MessageNotEnded({ id, state: state ?? "QUEUED" })
      }
      yield* notifications.notify(messageDue)
      return toDocument(Message, changed.value.message)
    }),

    settings: Effect.flatMap(Caller, ({ tenantId }) =>
      Effect.map(store.tenant(tenantId), ({ settings }) => taggedSettings(settings))
    ),

    setSettings: Effect.fn("Outbox.setSettings")(function* (given) {
      const { tenantId, timeZone } = yield* Caller
      const before = yield* store.tenant(tenantId)
      const complete = withTerm(given, before.settings)
      const settings = yield* Effect.fromResult(requireSettings(complete, isAvailable))
      const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
      const condition = yield* Precondition
      yield* store.setSettings(tenantId, settings, today, yield* entry("setSettings", tenantId), (present) =>
        checkPrecondition(condition, () => taggedSettings(present).tag.text)
      )
      yield* notifications.notify(messagesChanged)
      return taggedSettings(settings)
    }),

    preview: Effect.fn("Outbox.preview")(function* ({ kind, language: asked, template }) {
      const { tenantId, timeZone } = yield* Caller
      const tenant = yield* store.tenant(tenantId)
      const { templates } = tenant.settings
      const language = asked ?? tenant.settings.language
      const words = yield* Effect.fromResult(
        template === undefined
          ? Result.succeed(templateOf({ language, templates }, kind))
          : requireKnown("template", kind, template)
      )
      const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
      const tried = { language, templates: { ...templates, [kind]: words } }
      const contents = sampleOf(kind, languages[language], moment, language)
      const { subject, text } = renderOf(tenant, tried, kind, contents, moment.today)
      return { subject, text }
    }),

    sample: Effect.fn("Outbox.sample")(function* ({ kind }) {
      const { account, tenantId } = yield* Caller
      if (!isAvailable) {
        const reason = "cannot be sent: the operator has not set up messages for this deployment"
        return yield* new InvalidArgument({ field: "kind", reason })
      }
      const own = Option.getOrUndefined(yield* accounts.findAccount(tenantId, accountIdOf(account)))
      if (own?.kind !== "user") {
        return yield* new InvalidArgument({
          field: "kind",
          reason: "cannot be sent: the caller is no user with an address"
        })
      }
      const now = yield* Clock.currentTimeMillis
      const placed = queued(yield* ids.mint("message"), kind, sampleCause(yield* ids.ulid), own, now)
      const audit = yield* entry("sample", placed.message.id, "CREATE")
      const isStored = yield* store.insert(tenantId, placed, { since: now - dayMillis, most: perDay }, audit)
      if (!isStored) {
        const reason = `cannot be sent: a user receives at most ${perDay} messages a day`
        return yield* new InvalidArgument({ field: "kind", reason })
      }
      yield* notifications.notify(messageDue)
      return toDocument(Message, placed.message)
    }),

    own: Effect.flatMap(Caller, ({ account, tenantId }) =>
      Effect.map(store.declined(tenantId, accountIdOf(account)), taggedOwn)
    ),

    setOwn: Effect.fn("Outbox.setOwn")(function* (own) {
      const { account, tenantId } = yield* Caller
      const id = accountIdOf(account)
      const declined = officerKindNames.filter((kind) => !own[kind])
      const condition = yield* Precondition
      yield* store.decline(tenantId, id, declined, yield* entry("setOwn", id), (present) =>
        checkPrecondition(condition, () => taggedOwn(present).tag.text)
      )
      return taggedOwn(declined)
    })
  })
})

export const layer: Layer.Layer<
  Outbox,
  never,
  MessageStore | AccessStore | ResourceStore | Notifications | Ids | Digest
> = Layer.effect(Outbox, make)
