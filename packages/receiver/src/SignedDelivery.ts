/**
 * Whether a delivery was signed by whom it says, by Standard Webhooks: `webhook-signature` has `v1,` and the base64 of the
 * HMAC-SHA256 of id, timestamp and body, parted by dots. Pure over the bytes that came: nothing is serialised again.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Data, Redacted, Result, Schema } from "effect"
import type { SigningSecret } from "./SigningSecret.ts"
import { DeliveryId } from "./WebhookEvent.ts"

export interface SignedDelivery {
  /** As they came, each line by itself, in any case. */
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** As it came. */
  readonly body: Uint8Array
}

/** What the signature vouches for, and two things that it does not. */
export interface VerifiedDelivery {
  readonly id: DeliveryId
  /** When this attempt was signed, in milliseconds since 1970. */
  readonly sentAt: number
  /** Not signed, so for logs alone: which attempt it is, and of which webhook; null where that was not said. */
  readonly attempt: string | null
  readonly webhookId: string | null
}

export interface VerifyOptions {
  /** One of them must have signed. Which they are at a moment: `SecretRing.accepted`. */
  readonly secrets: ReadonlyArray<SigningSecret>
  /** In milliseconds since 1970. */
  readonly now: number
  /** How far the timestamp may lie before or after `now`: 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** 1 MiB by default. */
  readonly bodyBytesMax?: number | undefined
}

export const defaults = { toleranceSeconds: 300, bodyBytesMax: 1_048_576 } as const

/** A header is missing, is there twice, or has not the form that it must have. Its value is not repeated here. */
export class MalformedHeader extends Data.TaggedError("MalformedHeader")<{
  readonly header: string
  readonly problem: "is missing" | "is there more than once" | "has another form" | "is too long" | "contradicts"
}> {
  override get message(): string {
    return this.problem === "contradicts"
      ? `The header ${this.header} names another delivery than webhook-id.`
      : `The header ${this.header} ${this.problem}.`
  }
}

/** Headers or body are larger than any delivery's. */
export class DeliveryTooLarge extends Data.TaggedError("DeliveryTooLarge")<{
  readonly what: "headers" | "body"
  readonly bytesMax: number
}> {
  override get message(): string {
    return `The ${this.what} of a delivery may have ${this.bytesMax} bytes.`
  }
}

/** Signed too long ago, or in the future: stored and sent again by somebody, or one of the clocks is wrong. */
export class StaleDelivery extends Data.TaggedError("StaleDelivery")<{ readonly toleranceSeconds: number }> {
  override get message(): string {
    return `The timestamp is more than ${this.toleranceSeconds} seconds from this receiver's clock.`
  }
}

/** None of the accepted secrets has signed this id, timestamp and body. */
export class WrongSignature extends Data.TaggedError("WrongSignature") {
  override get message(): string {
    return "The signature is not that of an accepted secret."
  }
}

export type Refused = MalformedHeader | DeliveryTooLarge | StaleDelivery | WrongSignature

const headerBytesMax = 16_384
// Five secrets, which is as many as a webhook has, take 240 characters.
const signatureLengthMax = 2048

/** One entry of `webhook-signature`: by a secret, at a moment in seconds since 1970. Receivers' own tests need it, too. */
export const sign = (secret: SigningSecret, id: string, timestamp: number, body: Uint8Array): string =>
  `v1,${createHmac("sha256", Redacted.value(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")}`

/** In constant time: only the length tells two apart early, and every signature's length is known. */
const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Tells by whom a delivery is: nothing of it may be trusted before (EVT-12). */
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

const collect = (lines: SignedDelivery["headers"]): Result.Result<Headers, DeliveryTooLarge> => {
  const headers = new Map<string, Array<string>>()
  let size = 0
  for (const [name, value] of lines) {
    size += name.length + value.length
    if (size > headerBytesMax) return Result.fail(new DeliveryTooLarge({ what: "headers", bytesMax: headerBytesMax }))
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value.trim()])
  }
  return Result.succeed(headers)
}

const malformed = (header: string, problem: MalformedHeader["problem"]) =>
  Result.fail(new MalformedHeader({ header, problem }))

/** The value of a header that must be there once: of two, nobody knows which one was signed. */
const the = (headers: Headers, header: string): Result.Result<string, MalformedHeader> => {
  const [value, ...more] = headers.get(header) ?? []
  if (value === undefined) return malformed(header, "is missing")
  return more.length > 0 ? malformed(header, "is there more than once") : Result.succeed(value)
}

const matching = (headers: Headers, header: string, form: RegExp): Result.Result<string, MalformedHeader> =>
  Result.flatMap(the(headers, header), (value) =>
    form.test(value) ? Result.succeed(value) : malformed(header, "has another form")
  )

/** Of the two headers with the delivery's id only one is signed: the other may not say otherwise. */
const idOf = (headers: Headers): Result.Result<DeliveryId, MalformedHeader> =>
  Result.gen(function* () {
    const id = yield* the(headers, "webhook-id")
    if (!Schema.is(DeliveryId)(id)) return yield* malformed("webhook-id", "has another form")
    if (!headers.has("x-service-delivery")) return id
    const other = yield* the(headers, "x-service-delivery")
    return other === id ? id : yield* malformed("x-service-delivery", "contradicts")
  })

/** Version and signature each, the versions that nobody knows among them: no secret's signature is the same as those. */
const signaturesOf = (headers: Headers): Result.Result<ReadonlyArray<string>, MalformedHeader> =>
  Result.gen(function* () {
    const value = yield* the(headers, "webhook-signature")
    if (value.length > signatureLengthMax) return yield* malformed("webhook-signature", "is too long")
    const entries = value.split(" ")
    return entries.every((entry) => /^[^,]+,[^,]+$/.test(entry))
      ? entries
      : yield* malformed("webhook-signature", "has another form")
  })

const hint = (headers: Headers, header: string): string | null => {
  const value = headers.get(header)?.[0] ?? ""
  return /^\w{1,64}$/.test(value) ? value : null
}
