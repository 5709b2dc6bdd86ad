import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { type Instant, toUnixSeconds } from "@wcs/domain/shared/Instant"
import { Seal, type SealBroken } from "@wcs/domain/shared/Seal"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import { type KeptSecret, living, purposeOf } from "@wcs/domain/webhook/WebhookSecret"
import { Clock, Context, Effect, Layer, Redacted } from "effect"

/** The signed values of a delivery. */
type Signed = Pick<Delivery, "id" | "webhookId" | "kind" | "attemptCount">

/** Signs attempts with the secrets of their webhooks, by Standard Webhooks (DECISIONS.md#webhooks). */
export class Signature extends Context.Service<
  Signature,
  {
    /**
     * The headers of the next attempt, with one signature per valid secret, in the order of `secrets`. Fails when a
     * secret does not decrypt.
     */
    readonly headers: (
      delivery: Signed,
      body: Uint8Array,
      secrets: ReadonlyArray<KeptSecret>
    ) => Effect.Effect<Readonly<Record<string, string>>, SealBroken>
  }
>()("@wcs/delivery/Signature") {}

/** Age and size limits of the cache of decrypted secrets. Each attempt needs one, and few webhooks are busy at once. */
const rememberedMillis = 60_000
const rememberedMax = 1000

/** `v1` and the HMAC-SHA256 of id, timestamp and body (Standard Webhooks 1.0.0, "Signature scheme"). */
const signed = (key: KeyObject, id: string, timestamp: number, body: Uint8Array): string =>
  `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`

/** The key of a secret: the decoded bytes after `whsec_`. */
const keyOf = (secret: Redacted.Redacted): KeyObject =>
  createSecretKey(Redacted.value(secret).slice("whsec_".length), "base64")

export const make = Effect.map(Seal, (seal) => {
  const opened = new Map<string, { readonly key: KeyObject; readonly until: Instant }>()

  const remember = (name: string, key: KeyObject, until: Instant): KeyObject => {
    opened.delete(name)
    opened.set(name, { key, until })
    const [oldest] = opened.keys()
    if (opened.size > rememberedMax && oldest !== undefined) opened.delete(oldest)
    return key
  }

  /** The key of a secret, cached per webhook. A secret copied to another webhook never decrypts there. */
  const keyFor = (webhookId: string, { sealed }: KeptSecret, now: Instant): Effect.Effect<KeyObject, SealBroken> => {
    const name = `${webhookId} ${sealed}`
    const known = opened.get(name)
    if (known !== undefined && known.until > now) return Effect.succeed(known.key)
    return Effect.map(seal.open(purposeOf(webhookId), sealed), (secret) =>
      remember(name, keyOf(secret), now + rememberedMillis)
    )
  }

  const headers: Signature["Service"]["headers"] = Effect.fnUntraced(function* (delivery, body, secrets) {
    const { attemptCount, id, kind, webhookId } = delivery
    const now = yield* Clock.currentTimeMillis
    const timestamp = toUnixSeconds(now)
    const signatures: Array<string> = []
    for (const secret of living(secrets, now)) {
      signatures.push(signed(yield* keyFor(webhookId, secret, now), id, timestamp, body))
    }
    return {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatures.join(" "),
      "x-service-delivery": id,
      "x-service-event": kind,
      "x-service-webhook": webhookId,
      "x-service-attempt": String(attemptCount + 1)
    }
  })

  return Signature.of({ headers })
})

export const layer = Layer.effect(Signature, make)
