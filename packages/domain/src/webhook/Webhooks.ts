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
import { forgiven, untried } from "./WebhookHealth.ts"
import * as WebhookSecret from "./WebhookSecret.ts"
import { isWebhookUrl, requireScheme } from "./WebhookUrl.ts"

/** How many webhooks a tenant may have where a deployment decides nothing. */
export const defaultWebhooksMax = 100

/** What a deployment decides for its webhooks. */
export const WebhookSettings = Context.Reference<{
  /** Whether a receiver may be reached without TLS: for development. */
  readonly allowsHttp: boolean
  /** How long the old secret stays valid after a rotation. */
  readonly changeoverSeconds: number
  /** How many webhooks a tenant may have: each event is written and sent once for each of them. */
  readonly webhooksMax: number
}>("@wcs/domain/WebhookSettings", {
  defaultValue: () => ({
    allowsHttp: false,
    changeoverSeconds: WebhookSecret.changeoverSeconds.least,
    webhooksMax: defaultWebhooksMax
  })
})

/** A webhook with its new signing secret, which nothing shows a second time (§6). */
export interface ShownOnce extends Shown<WebhookView> {
  readonly signingSecret: Redacted.Redacted
}

type Acted<A, E = never> = Effect.Effect<A, InvalidArgument | ResourceNotFound | E, Caller | RequestId>

/**
 * Webhooks: as every group, and their secrets and states. A create, and a change that adds kinds of event, fails with
 * Forbidden unless the caller may read what each added kind is about.
 */
export interface WebhookCollection extends Collection<WebhookView, CollectionFull, Forbidden> {
  readonly create: (
    body: JsonValue
  ) => Effect.Effect<ShownOnce, InvalidArgument | Forbidden | CollectionFull, Caller | RequestId>
  /** Issues a new secret each time; the old one stays valid for the changeover. */
  readonly rotate: (id: string) => Acted<ShownOnce, WebhookSecret.SecretsFull>
  /** Where it is so already, nothing changes; so with `disable`. */
  readonly enable: (id: string) => Acted<Shown<WebhookView>>
  readonly disable: (id: string) => Acted<Shown<WebhookView>>
}

export class Webhooks extends Context.Service<Webhooks, WebhookCollection>()("@wcs/domain/Webhooks") {}

const addedKinds = (before: ReadonlyArray<EventKind>, after: ReadonlyArray<EventKind>) =>
  after.filter((kind) => !before.includes(kind))

const isEventKind = Schema.is(EventKind)

/** The kinds that a body names, before anything else of the body is judged. */
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

  /** Whether a caller may subscribe to these kinds. */
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

  /** The collection as it reads one webhook, with its health, and as its caller may change it. */
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

  /** A body's URL is judged before anything is looked up or written; what is no URL is refused with the body. */
  const guarded = (body: JsonValue): Effect.Effect<void, InvalidArgument> => {
    const url = isObject(body) ? body["url"] : undefined
    return typeof url === "string" && isWebhookUrl(url) ? guard.check(url) : Effect.void
  }

  const issue = Effect.fnUntraced(function* (id: string) {
    const signingSecret = yield* WebhookSecret.mint
    const kept = yield* WebhookSecret.keep(id, signingSecret, yield* Clock.currentTimeMillis)
    return { signingSecret, kept }
  }, Effect.provideContext(vault))

  // The secret is sealed for the one webhook that it is of, so the id is there first.
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
    return { ...page, documents: page.documents.map((shown) => withHealth(shown, health.get(shown.id) ?? untried)) }
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

  // Forgiven first: a webhook that is enabled with its old failures would be given up at the next one. One that is
  // enabled already is forgiven nothing.
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
