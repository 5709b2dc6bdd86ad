import { Context, Data, Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url, Hex } from "effect/encoding"

/** The text is not a master key. The error never contains the text. */
export class MasterKeyMalformed extends Data.TaggedError("MasterKeyMalformed")<{
  /** `encoding`: neither hex nor base64. `length`: the wrong number of bytes. */
  readonly reason: "encoding" | "length"
}> {
  override get message(): string {
    return this.reason === "encoding"
      ? "the master key is neither hex nor base64"
      : `the master key must have ${masterKeyBytes} bytes: ${2 * masterKeyBytes} hex digits, or base64 of as many bytes`
  }
}

/** The length of an AES-256 key. */
export const masterKeyBytes = 32

/**
 * The key that encrypts every secret in the store that must be read back (DECISIONS.md#access). The key together with
 * the store reveals all secrets. Without the key they are lost.
 */
export class MasterKey extends Context.Service<MasterKey, Redacted.Redacted<Uint8Array>>()("@wcs/keys/MasterKey") {}

const redact = (bytes: Uint8Array) => Redacted.make(Uint8Array.from(bytes), { label: "master key" })

/** A master key from a copy of 32 bytes. Fails with `MasterKeyMalformed` for any other number. */
export const fromBytes = (bytes: Uint8Array): Result.Result<MasterKey["Service"], MasterKeyMalformed> =>
  bytes.length === masterKeyBytes
    ? Result.succeed(redact(bytes))
    : Result.fail(new MasterKeyMalformed({ reason: "length" }))

// 32 bytes are 64 hex digits or 43 base64 characters, so the forms cannot be confused.
const decode = (text: string) =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Hex.decode(text)
    : Base64Url.decode(
        text
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replace(/={1,2}$/, "")
      )

/** Parses a master key: 64 hex digits, base64 or base64url. Surrounding white space is ignored. */
export const fromText = (text: string): Result.Result<MasterKey["Service"], MasterKeyMalformed> =>
  decode(text.trim()).pipe(
    Result.mapError(() => new MasterKeyMalformed({ reason: "encoding" })),
    Result.flatMap(fromBytes)
  )

/** The text form that `fromText` reads. */
export const toText = (key: MasterKey["Service"]): Redacted.Redacted =>
  Redacted.make(Hex.encode(Redacted.value(key)), { label: "master key" })

/** Generates a new master key. */
export const generate: Effect.Effect<MasterKey["Service"], never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(masterKeyBytes)),
  redact
)

export const layer = (key: MasterKey["Service"]): Layer.Layer<MasterKey> => Layer.succeed(MasterKey, key)
