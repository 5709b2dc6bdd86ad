import { Clock, Context, Effect, Layer, type Redacted, Result, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import type { Collection, Shown } from "../resource/Collection.ts"
import { type CollectionFull, type ResourceNotFound, requireId } from "../resource/Resource.ts"
import { type Peculiarity, plain, Resources } from "../resource/Resources.ts"
import { Ids } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { isObject, type JsonValue } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import type { Seal } from "../shared/Seal.ts"
import { AddressGuard } from "./AddressGuard.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { EventKind, subscribingNeeds } from "./EventKind.ts"
import { disabled, documentAt, enabled, Webhook, type WebhookFields, type WebhookView, withHealth } from "./Webhook.ts"
import { forgiven, initialHealth } from "./WebhookHealth.ts"
import * as WebhookSecret from "./WebhookSecret.ts"
import { isWebhookUrl, requireScheme } from "./WebhookUrl.ts"

/** The default limit of webhooks per tenant. */
export const defaultWebhooksMax = 100

/** Settings of webhooks. */
export const WebhookSettings = Context.Reference<{
  /** Whether URLs without TLS are allowed, for development. */
  readonly allowsHttp: boolean
  /** How long the previous secret stays valid after a rotation. */
  readonly changeoverSeconds: number
  /** The most webhooks of a tenant. Each event is stored and sent once per webhook. */
  readonly webhooksMax: number
}>("@wcs/domain/WebhookSettings", {
  defaultValue: () => ({
    allowsHttp: false,
    changeoverSeconds: WebhookSecret.changeoverSeconds.least,
    webhooksMax: defaultWebhooksMax
  })
})

/** A webhook with its new signing secret, which is shown only once (§6). */
export interface ShownOnce extends Shown<WebhookView> {
  readonly signingSecret: Redacted.Redacted
}

type Acted<A, E = never> = Effect.Effect<A, InvalidArgument | ResourceNotFound | E, Caller | RequestId>

/**
 * The collection of webhooks, with secret rotation and enable/disable. Creating a webhook or adding event kinds fails
 * with Forbidden when the caller may not read the entity type of an added kind.
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

const addedKinds = (before: ReadonlyArray<EventKind>, after: ReadonlyArray<EventKind>) =>
  after.filter((kind) => !before.includes(kind))

const isEventKind = Schema.is(EventKind)

/** The event kinds that a body names, before the rest of the body is validated. */
const kindsIn = (body: JsonValue): ReadonlyArray<EventKind> => {
  const events = isObject(body) ? body["events"] : undefined
  return Array.isArray(events) ? events.filter((one) => isEventKind(one)) : []
}

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const deliveries = yield* DeliveryStore
  const guard = yield* AddressGuard
  const rules = yield* PrivilegeRules
  const ids = yield* Ids
  const { allowsHttp, changeoverSeconds, webhooksMax } = yield* WebhookSettings
  const definition = { ...Webhook, most: webhooksMax }
  const vault = yield* Effect.context<Seal | SecureRandom.SecureRandom>()

  const settle = (fields: WebhookFields) =>
    Result.map(requireScheme(fields.url, allowsHttp), () => ({ fields, warnings: [] }))

  /** Fails with Forbidden when the caller may not subscribe to these kinds. */
  const maySubscribe = (
    { account, privileges }: Pick<Caller["Service"], "account" | "privileges">,
    kinds: ReadonlyArray<EventKind>
  ) => rules.authorize(account, privileges, subscribingNeeds(kinds))

  const own: Peculiarity<WebhookFields, CollectionFull, never, WebhookView> = {
    ...plain(definition),
    full: (refusal) => refusal,
    show: documentAt,
    settleCreated: settle,
    settleUpdated: (_before, after) => settle(after),
    subscribesTo: ({ events }) => events
  }
  const collection = resources.collection(definition, own)

  /** The collection for one webhook: with its health, and with the privilege check of its caller. */
  const about = Effect.fnUntraced(function* (id: string) {
    const caller = yield* Caller
    yield* Effect.fromResult(requireId(definition, id))
    const health = (yield* deliveries.health(caller.tenantId, [id])).get(id)
    const asCaller: Peculiarity<WebhookFields, CollectionFull, Forbidden, WebhookView> = {
      ...own,
      show: (stored, now) => documentAt(stored, now, health),
      settleUpdated: (before, after) =>
        Result.andThen(maySubscribe(caller, addedKinds(before.events, after.events)), () => settle(after))
    }
    return resources.collection(definition, asCaller)
  })

  /** Checks the address of a body's URL before any lookup or write. Schema validation rejects malformed URLs. */
  const guarded = (body: JsonValue): Effect.Effect<void, InvalidArgument> => {
    const url = isObject(body) ? body["url"] : undefined
    return typeof url === "string" && isWebhookUrl(url) ? guard.check(url) : Effect.void
  }

  const issue = Effect.fnUntraced(function* (id: string) {
    const signingSecret = yield* WebhookSecret.mint
    const kept = yield* WebhookSecret.keep(id, signingSecret, yield* Clock.currentTimeMillis)
    return { signingSecret, kept }
  }, Effect.provideContext(vault))

  // The id is minted first, because the secret is encrypted for it.
  const create: WebhookCollection["create"] = Effect.fnUntraced(function* (body) {
    yield* Effect.fromResult(maySubscribe(yield* Caller, kindsIn(body)))
    yield* guarded(body)
    const id = yield* ids.mint("webhook")
    const { kept, signingSecret } = yield* issue(id)
    const withSecret = resources.collection(definition, {
      ...own,
      mint: Effect.succeed(id),
      settleCreated: (fields) => settle({ ...fields, secrets: [kept] })
    })
    return { ...(yield* withSecret.create(body)), signingSecret }
  })

  const list: WebhookCollection["list"] = Effect.fnUntraced(function* (query) {
    const { tenantId } = yield* Caller
    const page = yield* collection.list(query)
    const health = yield* deliveries.health(
      tenantId,
      page.documents.map(({ id }) => id)
    )
    return {
      ...page,
      documents: page.documents.map((shown) => withHealth(shown, health.get(shown.id) ?? initialHealth))
    }
  })

  const rotate: WebhookCollection["rotate"] = Effect.fnUntraced(function* (id) {
    const { kept, signingSecret } = yield* issue(id)
    const webhooks = yield* about(id)
    const shown = yield* webhooks.act(id, "rotate", (fields, now) =>
      Result.map(WebhookSecret.rotated(fields.secrets, kept, now, changeoverSeconds), (secrets) => ({
        ...fields,
        secrets
      }))
    )
    return { ...shown, signingSecret }
  })

  // The health is reset first: with its old failures the webhook would be disabled at the next failure. Enabling an
  // active webhook resets nothing.
  const enable: WebhookCollection["enable"] = Effect.fnUntraced(function* (id) {
    const { tenantId } = yield* Caller
    const { document } = yield* collection.read(id, {})
    if (document.status !== "ACTIVE") yield* deliveries.changeHealth(tenantId, id, forgiven)
    const webhooks = yield* about(id)
    return yield* webhooks.act(id, "enable", (fields) => Result.succeed(enabled(fields)))
  })

  return Webhooks.of({
    remove: collection.remove,
    create,
    list,
    read: (id, query) => Effect.flatMap(about(id), (webhooks) => webhooks.read(id, query)),
    replace: (id, body) =>
      guarded(body).pipe(
        Effect.andThen(about(id)),
        Effect.flatMap((webhooks) => webhooks.replace(id, body))
      ),
    patch: (id, body) =>
      guarded(body).pipe(
        Effect.andThen(about(id)),
        Effect.flatMap((webhooks) => webhooks.patch(id, body))
      ),
    rotate,
    enable,
    disable: (id) =>
      Effect.flatMap(about(id), (webhooks) => webhooks.act(id, "disable", (fields) => Result.succeed(disabled(fields))))
  })
})

export const layer: Layer.Layer<
  Webhooks,
  never,
  Resources | DeliveryStore | AddressGuard | PrivilegeRules | Ids | Seal | SecureRandom.SecureRandom
> = Layer.effect(Webhooks, make)
