import { hkdfSync } from "node:crypto"
import { Context, Data, Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url, Hex } from "effect/encoding"

/** The text is not a master key. The error never contains the text. */
export class MasterKeyMalformed extends Data.TaggedError("MasterKeyMalformed")<{
  /** `encoding`: neither hex nor base64. `length`: the wrong number of bytes. `lines`: more than two keys. */
  readonly reason: keyof typeof messages
}> {
  override get message(): string {
    return messages[this.reason]
  }
}

/** The length of an AES-256 key. */
export const masterKeyBytes = 32

const messages = {
  encoding: "the master key is neither hex nor base64",
  length: `the master key must have ${masterKeyBytes} bytes: ${2 * masterKeyBytes} hex digits, or base64 of as many bytes`,
  lines: "there must be one master key, or two on a line each while the key is rotated"
} as const

/** The key that encrypts, then, while the master key is rotated, another one that only decrypts. */
type Keys = readonly [current: Uint8Array] | readonly [current: Uint8Array, previous: Uint8Array]

/**
 * The key that encrypts every secret in the store that must be read back (DECISIONS.md#access). The key together with
 * the store reveals all secrets. Without the key they are lost.
 */
export class MasterKey extends Context.Service<MasterKey, Redacted.Redacted<Keys>>()("@wcs/keys/MasterKey") {}

const redact = (keys: Keys) => Redacted.make(keys, { label: "master key" })

const checkLength = (bytes: Uint8Array): Result.Result<Uint8Array, MasterKeyMalformed> =>
  bytes.length === masterKeyBytes
    ? Result.succeed(Uint8Array.from(bytes))
    : Result.fail(new MasterKeyMalformed({ reason: "length" }))

/** A master key from a copy of 32 bytes. Fails with `MasterKeyMalformed` for any other number. */
export const fromBytes = (bytes: Uint8Array): Result.Result<MasterKey["Service"], MasterKeyMalformed> =>
  Result.map(checkLength(bytes), (key) => redact([key]))

// 32 bytes are 64 hex digits or 43 base64 characters, so the forms cannot be confused.
const decodeLine = (text: string) =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Hex.decode(text)
    : Base64Url.decode(
        text
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replace(/={1,2}$/, "")
      )

const fromLine = (line: string): Result.Result<Uint8Array, MasterKeyMalformed> =>
  decodeLine(line).pipe(
    Result.mapError(() => new MasterKeyMalformed({ reason: "encoding" })),
    Result.flatMap(checkLength)
  )

/**
 * Parses a master key: 64 hex digits, base64 or base64url. A second line may hold another key that only decrypts.
 * Surrounding white space is ignored.
 */
export const fromText = (text: string): Result.Result<MasterKey["Service"], MasterKeyMalformed> => {
  const [first = "", second, ...others] = text.trim().split(/\s*\n\s*/)
  if (others.length > 0) return Result.fail(new MasterKeyMalformed({ reason: "lines" }))
  return Result.gen(function* () {
    const current = yield* fromLine(first)
    return second === undefined ? redact([current]) : redact([current, yield* fromLine(second)])
  })
}

/** Whether there is a second key, so that a rotation is not complete. */
export const isRotating = (key: MasterKey["Service"]): boolean => Redacted.value(key).length > 1

/** The text form that `fromText` reads. */
export const toText = (key: MasterKey["Service"]): Redacted.Redacted =>
  Redacted.make(
    Redacted.value(key)
      .map((bytes) => Hex.encode(bytes))
      .join("\n"),
    { label: "master key" }
  )

const publicIdBytes = 12

/**
 * Public ids of a subject under each key (RFC 5869). Processes with the same key derive the same id. Nobody can derive
 * the key from it, nor the keys of other purposes.
 */
export const publicIdsOf = (key: MasterKey["Service"], subject: string): ReadonlyArray<string> =>
  Redacted.value(key).map((bytes) =>
    Hex.encode(new Uint8Array(hkdfSync("sha256", bytes, new Uint8Array(), `public id of ${subject}`, publicIdBytes)))
  )

/** Generates a new master key. */
export const generate: Effect.Effect<MasterKey["Service"], never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(masterKeyBytes)),
  (bytes) => redact([bytes])
)

export const layer = (key: MasterKey["Service"]): Layer.Layer<MasterKey> => Layer.succeed(MasterKey, key)
