import { Data, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

/** The key of a signing secret: the decoded bytes after `whsec_`. Neither logs nor JSON show it. */
export type SigningSecret = Redacted.Redacted<Uint8Array>

/** The text is not a signing secret. The error does not contain it. */
export class InvalidSecret extends Data.TaggedError("InvalidSecret") {
  override get message(): string {
    return "A signing secret is whsec_ and the base64 of 24 to 64 bytes. Copy it from the answer to creating or rotating the webhook."
  }
}

const form = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** Key sizes that Standard Webhooks allows, in bytes. Keys of this service have 32. */
const keySize = { least: 24, most: 64 } as const

/**
 * Parses a secret in the form that creating or rotating the webhook answered.
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
