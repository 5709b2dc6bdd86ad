import { Context, Data, Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url, Hex } from "effect/encoding"

/** What was given as a master key is none. The text itself is never repeated. */
export class MasterKeyMalformed extends Data.TaggedError("MasterKeyMalformed")<{
  /** Not hex and not base64, or not as many bytes as a key has. */
  readonly reason: "encoding" | "length"
}> {
  override get message(): string {
    return this.reason === "encoding"
      ? "the master key is neither hex nor base64"
      : `the master key must have ${masterKeyBytes} bytes: ${2 * masterKeyBytes} hex digits, or base64 of as many bytes`
  }
}

/** A key of AES-256. */
export const masterKeyBytes = 32

/**
 * The key under which every secret that must be read back is kept (DECISIONS.md#access). Whoever has it and the store
 * has all secrets; whoever loses it has none of them.
 */
export class MasterKey extends Context.Service<MasterKey, Redacted.Redacted<Uint8Array>>()("@wcs/keys/MasterKey") {}

const redact = (bytes: Uint8Array) => Redacted.make(Uint8Array.from(bytes), { label: "master key" })

/** A key of 32 bytes, copied: what becomes of the array afterwards does not matter. */
export const fromBytes = (bytes: Uint8Array): Result.Result<MasterKey["Service"], MasterKeyMalformed> =>
  bytes.length === masterKeyBytes
    ? Result.succeed(redact(bytes))
    : Result.fail(new MasterKeyMalformed({ reason: "length" }))

// 32 bytes are 64 hex digits or 43 letters of base64, so that the two forms cannot be mistaken for each other.
const decode = (text: string) =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Hex.decode(text)
    : Base64Url.decode(
        text
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replace(/={1,2}$/, "")
      )

/** A key as a file or a variable holds it: 64 hex digits, base64 or base64url; white space around it does not count. */
export const fromText = (text: string): Result.Result<MasterKey["Service"], MasterKeyMalformed> =>
  decode(text.trim()).pipe(
    Result.mapError(() => new MasterKeyMalformed({ reason: "encoding" })),
    Result.flatMap(fromBytes)
  )

/** The text to keep, which `fromText` reads back. */
export const toText = (key: MasterKey["Service"]): Redacted.Redacted =>
  Redacted.make(Hex.encode(Redacted.value(key)), { label: "master key" })

/** A fresh key, for a deployment that has none yet. */
export const generate: Effect.Effect<MasterKey["Service"], never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(masterKeyBytes)),
  redact
)

export const layer = (key: MasterKey["Service"]): Layer.Layer<MasterKey> => Layer.succeed(MasterKey, key)
