/**
 * Verifies signatures of Standard Webhooks: `webhook-signature` has `v1,` and the base64 of the HMAC-SHA256 of id,
 * timestamp and body, joined by dots. Pure functions over the received bytes.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Data, Redacted, Result, Schema } from "effect"
import type { SigningSecret } from "./SigningSecret.ts"
import { DeliveryId } from "./WebhookEvent.ts"

export interface SignedDelivery {
  /** As received, one entry per line, in any case. */
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** As received. */
  readonly body: Uint8Array
}

/** The values that the signature covers, and two that it does not. */
export interface VerifiedDelivery {
  readonly id: DeliveryId
  /** When this attempt was signed, in milliseconds since 1970. */
  readonly sentAt: number
  /** Not signed, so for logs only: attempt number and webhook id; null when missing. */
  readonly attempt: string | null
  readonly webhookId: string | null
}

export interface VerifyOptions {
  /** One of them must have signed. `SecretRing.accepted` returns the secrets of a time. */
  readonly secrets: ReadonlyArray<SigningSecret>
  /** In milliseconds since 1970. */
  readonly now: number
  /** The allowed difference between the timestamp and `now`: 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** 1 MiB by default. */
  readonly bodyBytesMax?: number | undefined
}

export const defaults = { toleranceSeconds: 300, bodyBytesMax: 1_048_576 } as const

/** A header is missing, repeated or malformed. The error does not contain its value. */
export class MalformedHeader extends Data.TaggedError("MalformedHeader")<{
  readonly header: string
  readonly problem: "is missing" | "occurs more than once" | "is malformed" | "is too long" | "contradicts"
}> {
  override get message(): string {
    return this.problem === "contradicts"
      ? `The header ${this.header} differs from webhook-id.`
      : `The header ${this.header} ${this.problem}.`
  }
}

/** Headers or body exceed the limit. */
export class DeliveryTooLarge extends Data.TaggedError("DeliveryTooLarge")<{
  readonly what: "headers" | "body"
  readonly bytesMax: number
}> {
  override get message(): string {
    return `The ${this.what} of a delivery may have at most ${this.bytesMax} bytes.`
  }
}

/** The timestamp is too old or in the future: a replay, or a wrong clock. */
export class StaleDelivery extends Data.TaggedError("StaleDelivery")<{ readonly toleranceSeconds: number }> {
  override get message(): string {
    return `The timestamp is more than ${this.toleranceSeconds} seconds from this receiver's clock.`
  }
}

/** No accepted secret signed this id, timestamp and body. */
export class WrongSignature extends Data.TaggedError("WrongSignature") {
  override get message(): string {
    return "The signature is not that of an accepted secret."
  }
}

export type Refused = MalformedHeader | DeliveryTooLarge | StaleDelivery | WrongSignature

const headerBytesMax = 16_384
// A webhook has at most five secrets, which take 240 characters.
const signatureLengthMax = 2048

/** One entry of `webhook-signature`. `timestamp` is in seconds since 1970. Exported for tests of receivers. */
export const sign = (secret: SigningSecret, id: string, timestamp: number, body: Uint8Array): string =>
  `v1,${createHmac("sha256", Redacted.value(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")}`

/** Compares in constant time. Only the length, which is public, ends the comparison early. */
const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Verifies the signature of a delivery. Trust nothing of a delivery before (EVT-12). */
export const verify = (delivery: SignedDelivery, options: VerifyOptions): Result.Result<VerifiedDelivery, Refused> =>
  Result.gen(function* () {
    const { bodyBytesMax = defaults.bodyBytesMax, toleranceSeconds = defaults.toleranceSeconds } = options
    const headers = yield* collect(delivery.headers)
    if (delivery.body.length > bodyBytesMax) {
      return yield* Result.fail(new DeliveryTooLarge({ what: "body", bytesMax: bodyBytesMax }))
    }
    const id = yield* idOf(headers)
    const timestamp = yield* matching(headers, "webhook-timestamp", /^(?:0|[1-9]\d{0,11})$/)
    const signatures = yield* signaturesOf(headers)
    const sentAt = Number(timestamp) * 1000
    if (!(Math.abs(options.now - sentAt) <= toleranceSeconds * 1000)) {
      return yield* Result.fail(new StaleDelivery({ toleranceSeconds }))
    }
    const isSignedBy = (secret: SigningSecret) => {
      const expected = sign(secret, id, Number(timestamp), delivery.body)
      return signatures.some((one) => isSame(one, expected))
    }
    if (!options.secrets.some(isSignedBy)) return yield* Result.fail(new WrongSignature())
    return { id, sentAt, attempt: hint(headers, "x-service-attempt"), webhookId: hint(headers, "x-service-webhook") }
  })

type Headers = ReadonlyMap<string, ReadonlyArray<string>>

/** The spaces of HTTP (RFC 9110, section 5.6.3). */
const around = /^[ \t]+|[ \t]+$/g

const collect = (lines: SignedDelivery["headers"]): Result.Result<Headers, DeliveryTooLarge> => {
  const headers = new Map<string, Array<string>>()
  let size = 0
  for (const [name, value] of lines) {
    size += name.length + value.length
    if (size > headerBytesMax) return Result.fail(new DeliveryTooLarge({ what: "headers", bytesMax: headerBytesMax }))
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value.replaceAll(around, "")])
  }
  return Result.succeed(headers)
}

const malformed = (header: string, problem: MalformedHeader["problem"]) =>
  Result.fail(new MalformedHeader({ header, problem }))

/** The value of a header that must occur once. With two values it would be unclear which one was signed. */
const the = (headers: Headers, header: string): Result.Result<string, MalformedHeader> => {
  const [value, ...more] = headers.get(header) ?? []
  if (value === undefined) return malformed(header, "is missing")
  return more.length > 0 ? malformed(header, "occurs more than once") : Result.succeed(value)
}

const matching = (headers: Headers, header: string, form: RegExp): Result.Result<string, MalformedHeader> =>
  Result.flatMap(the(headers, header), (value) =>
    form.test(value) ? Result.succeed(value) : malformed(header, "is malformed")
  )

/** The delivery's id. `x-service-delivery` is not signed, and must equal `webhook-id` when present. */
const idOf = (headers: Headers): Result.Result<DeliveryId, MalformedHeader> =>
  Result.gen(function* () {
    const id = yield* the(headers, "webhook-id")
    if (!Schema.is(DeliveryId)(id)) return yield* malformed("webhook-id", "is malformed")
    if (!headers.has("x-service-delivery")) return id
    const other = yield* the(headers, "x-service-delivery")
    return other === id ? id : yield* malformed("x-service-delivery", "contradicts")
  })

/** The entries of `webhook-signature`, each a version and a signature. Entries of unknown versions never match. */
const signaturesOf = (headers: Headers): Result.Result<ReadonlyArray<string>, MalformedHeader> =>
  Result.gen(function* () {
    const value = yield* the(headers, "webhook-signature")
    if (value.length > signatureLengthMax) return yield* malformed("webhook-signature", "is too long")
    const entries = value.split(" ")
    return entries.every((entry) => /^[^,]+,[^,]+$/.test(entry))
      ? entries
      : yield* malformed("webhook-signature", "is malformed")
  })

const hint = (headers: Headers, header: string): string | null => {
  const value = headers.get(header)?.[0] ?? ""
  return /^\w{1,64}$/.test(value) ? value : null
}
