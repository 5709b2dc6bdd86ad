import { Data, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

/** The key of one signing secret: the bytes that `whsec_…` writes in base64. Neither logs nor JSON show them. */
export type SigningSecret = Redacted.Redacted<Uint8Array>

/** The text is no signing secret. It is not repeated here. */
export class InvalidSecret extends Data.TaggedError("InvalidSecret") {
  override get message(): string {
    return "A signing secret is whsec_ and the base64 of 24 to 64 bytes, as the webhook's create or rotate answered it."
  }
}

const form = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** How long Standard Webhooks lets a key be, in bytes; this service's are 32. */
const keySize = { least: 24, most: 64 } as const

/**
 * Reads a secret in the form in which it was shown, once, when the webhook was created or rotated.
 *
 * @public
 */
export const parse = (text: string): Result.Result<SigningSecret, InvalidSecret> =>
  Result.fromNullishOr(form.exec(text)?.[1], () => new InvalidSecret()).pipe(
    Result.flatMap((base64) => Result.mapError(Base64.decode(base64), () => new InvalidSecret())),
    Result.filterOrFail(
      (key) => key.length >= keySize.least && key.length <= keySize.most,
      () => new InvalidSecret()
    ),
    Result.map((key) => Redacted.make(key, { label: "signing secret" }))
  )
