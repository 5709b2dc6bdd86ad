import { Clock, Context, Effect, Layer, type Redacted, Result, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import type { OwnRecords, Rules, Updating } from "../crud/GroupRules.ts"
import { Resources } from "../crud/Resources.ts"
import { EventKind, readsOfEvents } from "../event/EventKind.ts"
import { forgiven } from "../event/WebhookHealth.ts"
import type { Collection, Shown } from "../resource/Collection.ts"
import { parseFlag, repeated } from "../resource/ListQuery.ts"
import type { PreconditionFailed } from "../resource/Precondition.ts"
import { type CollectionFull, type ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import type { UpdateMethod } from "../resource/Write.ts"
import type { Moment } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { equals, isObject, type JsonValue } from "../shared/Json.ts"
import { Notifications, webhooksChanged } from "../shared/Notifications.ts"
import type { RequestId } from "../shared/RequestId.ts"
import type { Seal } from "../shared/Seal.ts"
import { AddressGuard, checkAddress } from "./AddressGuard.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import {
  directedBy,
  disabled,
  documentAt,
  enabled,
  initialSending,
  remembering,
  type Sending,
  Webhook,
  type WebhookFields,
  type WebhookView,
  withSending
} from "./Webhook.ts"
import * as WebhookSecret from "./WebhookSecret.ts"
import { WebhookSettings } from "./WebhookSettings.ts"
import { requireScheme } from "./WebhookUrl.ts"

/** A webhook with its new signing secret, which is shown only once (§6). */
export interface ShownOnce extends Shown<WebhookView> {
  readonly signingSecret: Redacted.Redacted
}

type Acted<A, E = never> = Effect.Effect<
  A,
  InvalidArgument | ResourceNotFound | Forbidden | PreconditionFailed | E,
  Caller | RequestId
>

/**
 * The collection of webhooks, with secret rotation and enable/disable. A change fails with Forbidden if the caller may
 * not read the entity types of the kinds that it directs (`directedBy`).
 */
export interface WebhookCollection extends Collection<WebhookView, CollectionFull, Forbidden> {
  readonly create: (
    body: JsonValue
  ) => Effect.Effect<ShownOnce, InvalidArgument | Forbidden | CollectionFull, Caller | RequestId>
  /** Issues a new secret on every call. The previous one stays valid for the changeover. */
  readonly rotate: (id: string) => Acted<ShownOnce, WebhookSecret.SecretsFull>
  /** Enables the webhook. Changes nothing when it is already enabled; `disable` likewise. */
  readonly enable: (id: string) => Acted<Shown<WebhookView>>
  readonly disable: (id: string) => Acted<Shown<WebhookView>>
}

export class Webhooks extends Context.Service<Webhooks, WebhookCollection>()("@wcs/domain/Webhooks") {}

const isEventKind = Schema.is(EventKind)

/** The event kinds that a body names, before the rest of the body is validated. */
const kindsIn = (body: JsonValue): ReadonlyArray<EventKind> => {
  const events = isObject(body) ? body["events"] : undefined
  return Array.isArray(events) ? events.filter((one) => isEventKind(one)) : []
}

/** Subscribes a webhook to its kinds of event. */
const subscription = (before: Stored<WebhookFields> | undefined, after: Stored<WebhookFields>): OwnRecords =>
  equals(before?.fields.events ?? [], after.fields.events) ? {} : { subscribesTo: after.fields.events }

/** The rules of a change of a webhook whose deliveries go like this. */
const rulesOf = (sending: Sending | undefined): Rules<WebhookFields, WebhookView> => ({
  show: (stored, { now }) => documentAt(stored, now, sending),
  records: subscription
})

/** Mints a signing secret. `kept` is the encrypted form. */
const issue = Effect.fnUntraced(function* (id: string) {
  const signingSecret = yield* WebhookSecret.mint
  const kept = yield* WebhookSecret.keep(id, signingSecret, yield* Clock.currentTimeMillis)
  return { signingSecret, kept }
})

/** Returns how the deliveries of these webhooks go, by id. */
const readSending = Effect.fnUntraced(function* (deliveries: DeliveryStore["Service"], ids: ReadonlyArray<string>) {
  const { tenantId } = yield* Caller
  const health = yield* deliveries.health(tenantId, ids)
  const backlog = yield* deliveries.backlog(tenantId, ids)
  return new Map(
    ids.map((id): readonly [string, Sending] => [
      id,
      { health: health.get(id) ?? initialSending.health, backlog: backlog.get(id) ?? initialSending.backlog }
    ])
  )
})

/** Returns how the deliveries of a webhook go, if the id is one of a webhook. */
const sendingOf = Effect.fnUntraced(function* (deliveries: DeliveryStore["Service"], id: string) {
  yield* Effect.fromResult(requireId(Webhook, id))
  return (yield* readSending(deliveries, [id])).get(id)
})

/** Parses the parameter `failing`. */
const parseFailing = (text: string | ReadonlyArray<string> | undefined) =>
  text === undefined || typeof text === "string"
    ? parseFlag("failing", text)
    : Result.fail(new InvalidArgument({ field: "failing", reason: repeated }))

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const deliveries = yield* DeliveryStore
  const guard = yield* AddressGuard
  const privileges = yield* PrivilegeRules
  const ids = yield* Ids
  const changed = (yield* Notifications).notify(webhooksChanged)
  const { allowsHttp, changeoverSeconds, webhooksMax } = yield* WebhookSettings
  const definition = { ...Webhook, most: webhooksMax }
  const vault = yield* Effect.context<Seal | SecureRandom.SecureRandom>()

  const settle = (fields: WebhookFields) =>
    Result.map(requireScheme(fields.url, allowsHttp), () => ({ fields, warnings: [] }))

  const mayDirect = (caller: Caller["Service"], kinds: ReadonlyArray<EventKind>) =>
    privileges.authorize(caller.account, caller.privileges, readsOfEvents(kinds))

  // The id is minted first, because the secret is encrypted for it.
  const create: WebhookCollection["create"] = Effect.fnUntraced(function* (body) {
    yield* Effect.fromResult(mayDirect(yield* Caller, kindsIn(body)))
    yield* checkAddress(guard, allowsHttp, body)
    const id = yield* ids.mint("webhook")
    const { kept, signingSecret } = yield* Effect.provideContext(issue(id), vault)
    const shown = yield* resources.create(definition, body, {
      ...rulesOf(undefined),
      id,
      settle: (fields) => settle({ ...fields, secrets: [kept] })
    })
    return { ...shown, signingSecret }
  })

  const list: WebhookCollection["list"] = Effect.fnUntraced(function* ({ failing, ...query }) {
    const { tenantId } = yield* Caller
    const among = (yield* Effect.fromResult(parseFailing(failing))) ? yield* deliveries.failing(tenantId) : undefined
    const page = yield* resources.list(definition, query, (stored, { now }) => documentAt(stored, now), among)
    const sending = yield* readSending(
      deliveries,
      page.documents.map(({ id }) => id)
    )
    return {
      ...page,
      documents: page.documents.map((shown) => withSending(shown, sending.get(shown.id) ?? initialSending))
    }
  })

  const read: WebhookCollection["read"] = Effect.fnUntraced(function* (id, query) {
    const { show } = rulesOf(yield* sendingOf(deliveries, id))
    return yield* resources.get(definition, id, query, show)
  })

  const update = (method: UpdateMethod): WebhookCollection[UpdateMethod] =>
    Effect.fnUntraced(function* (id, body) {
      yield* checkAddress(guard, allowsHttp, body)
      const caller = yield* Caller
      const updating: Updating<WebhookFields, Forbidden, WebhookView> = {
        ...rulesOf(yield* sendingOf(deliveries, id)),
        settle: (before, changed) => {
          const after = remembering(before, changed)
          return Result.andThen(mayDirect(caller, directedBy(before, after)), () => settle(after))
        }
      }
      return yield* Effect.tap(resources.update(definition, id, method, body, updating), changed)
    })

  const act = Effect.fnUntraced(function* <E>(
    id: string,
    action: string,
    decide: (fields: WebhookFields, now: Instant) => Result.Result<WebhookFields, E>,
    own: OwnRecords = {}
  ) {
    const caller = yield* Caller
    const rules = rulesOf(yield* sendingOf(deliveries, id))
    const directing = (before: WebhookFields, { now }: Moment) =>
      Result.flatMap(decide(before, now), (after) =>
        Result.map(mayDirect(caller, directedBy(before, after)), () => after)
      )
    const acting = { ...rules, records: () => own }
    return yield* Effect.tap(resources.act(definition, id, action, directing, acting), changed)
  })

  const rotate: WebhookCollection["rotate"] = Effect.fnUntraced(function* (id) {
    const { kept, signingSecret } = yield* Effect.provideContext(issue(id), vault)
    const shown = yield* act(id, "rotate", (fields, now) => {
      const rotated = WebhookSecret.rotated(fields.secrets, kept, now, changeoverSeconds)
      return Result.map(rotated, (secrets) => ({ ...fields, secrets }))
    })
    return { ...shown, signingSecret }
  })

  // Enabling an active webhook changes nothing, and so resets no health.
  const enable: WebhookCollection["enable"] = Effect.fnUntraced(function* (id) {
    const shown = yield* act(id, "enable", (fields) => Result.succeed(enabled(fields)), { health: forgiven })
    const sending = yield* sendingOf(deliveries, id)
    return { ...shown, document: withSending(shown.document, sending ?? initialSending) }
  })

  return Webhooks.of({
    create,
    list,
    read,
    replace: update("replace"),
    patch: update("patch"),
    remove: (id) =>
      Effect.tap(
        resources.remove(definition, id, () => ({ subscribesTo: [] })),
        changed
      ),
    rotate,
    enable,
    disable: (id) => act(id, "disable", (fields) => Result.succeed(disabled(fields)))
  })
})

export const layer = Layer.effect(Webhooks, make)
