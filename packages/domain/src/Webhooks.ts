import { Clock, Context, Effect, Layer, type Redacted, Result } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Caller } from "./Caller.ts"
import type { Collection, Shown } from "./Collection.ts"
import { Ids } from "./Id.ts"
import type { InvalidArgument } from "./InvalidArgument.ts"
import type { JsonValue } from "./Json.ts"
import type { RequestId } from "./RequestId.ts"
import type { ResourceNotFound } from "./Resource.ts"
import { type Peculiarity, plain, Resources } from "./Resources.ts"
import type { Seal } from "./Seal.ts"
import { disabled, documentAt, enabled, Webhook, type WebhookFields, type WebhookView } from "./Webhook.ts"
import * as WebhookSecret from "./WebhookSecret.ts"
import { requireScheme } from "./WebhookUrl.ts"

/** What a deployment decides for its webhooks. */
export const WebhookSettings = Context.Reference<{
  /** Whether a receiver may be reached without TLS: for development. */
  readonly allowsHttp: boolean
  /** How long the old secret stays valid after a rotation. */
  readonly changeoverSeconds: number
}>("@wcs/domain/WebhookSettings", {
  defaultValue: () => ({ allowsHttp: false, changeoverSeconds: WebhookSecret.changeoverSeconds.least })
})

/** A webhook with its new signing secret, which nothing shows a second time (section 6). */
export interface ShownOnce extends Shown<WebhookView> {
  readonly signingSecret: Redacted.Redacted
}

type Acted<A> = Effect.Effect<A, InvalidArgument | ResourceNotFound, Caller | RequestId>

/** Webhooks: as every group, and their secrets and states. */
export interface WebhookCollection extends Collection<WebhookView> {
  readonly create: (body: JsonValue) => Effect.Effect<ShownOnce, InvalidArgument, Caller | RequestId>
  /** Issues a new secret each time; the old one stays valid for the changeover. */
  readonly rotate: (id: string) => Acted<ShownOnce>
  /** Where it is so already, nothing changes; so with `disable`. */
  readonly enable: (id: string) => Acted<Shown<WebhookView>>
  readonly disable: (id: string) => Acted<Shown<WebhookView>>
}

export class Webhooks extends Context.Service<Webhooks, WebhookCollection>()("@wcs/domain/Webhooks") {}

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const ids = yield* Ids
  const { allowsHttp, changeoverSeconds } = yield* WebhookSettings
  const vault = yield* Effect.context<Seal | SecureRandom.SecureRandom>()

  const settle = (fields: WebhookFields) =>
    Result.map(requireScheme(fields.url, allowsHttp), () => ({ fields, warnings: [] }))

  const own: Peculiarity<WebhookFields, never, never, WebhookView> = {
    ...plain(Webhook),
    show: documentAt,
    settleCreated: settle,
    settleUpdated: (_before, after) => settle(after),
    subscribesTo: ({ events }) => events
  }
  const collection = resources.collection(Webhook, own)

  const issue = Effect.fnUntraced(function* (id: string) {
    const signingSecret = yield* WebhookSecret.mint
    const kept = yield* WebhookSecret.keep(id, signingSecret, yield* Clock.currentTimeMillis)
    return { signingSecret, kept }
  }, Effect.provideContext(vault))

  // The secret is sealed for the one webhook that it is of, so the id is there first.
  const create: WebhookCollection["create"] = Effect.fnUntraced(function* (body) {
    const id = yield* ids.mint("webhook")
    const { kept, signingSecret } = yield* issue(id)
    const withSecret = resources.collection(Webhook, {
      ...own,
      mint: Effect.succeed(id),
      settleCreated: (fields) => settle({ ...fields, secrets: [kept] })
    })
    return { ...(yield* withSecret.create(body)), signingSecret }
  })

  const rotate: WebhookCollection["rotate"] = Effect.fnUntraced(function* (id) {
    const { kept, signingSecret } = yield* issue(id)
    const shown = yield* collection.act(id, "rotate", (fields, now) =>
      Result.succeed({ ...fields, secrets: WebhookSecret.rotated(fields.secrets, kept, now, changeoverSeconds) })
    )
    return { ...shown, signingSecret }
  })

  return Webhooks.of({
    ...collection,
    create,
    rotate,
    enable: (id) => collection.act(id, "enable", (fields) => Result.succeed(enabled(fields))),
    disable: (id) => collection.act(id, "disable", (fields) => Result.succeed(disabled(fields)))
  })
})

export const layer: Layer.Layer<Webhooks, never, Resources | Ids | Seal | SecureRandom.SecureRandom> = Layer.effect(
  Webhooks,
  make
)
