import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"
import { Seal, SealBroken } from "@wcs/domain/shared/Seal"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { MasterKey } from "./MasterKey.ts"

const algorithm = "aes-256-gcm"
const version = "v1."
// GCM needs no further hashing for this nonce size, and this tag size gives its full strength (SP 800-38D, sections
// 5.2.1 and 8.2).
const nonceBytes = 12
const tagBytes = 16

/** Authenticates the version too, so that a later one cannot pass as this one. */
const associated = (purpose: string): Buffer => Buffer.from(version + purpose)

/**
 * A key for each purpose (RFC 5869). Callers cause many seals of some purposes, such as cursors, and random nonces last
 * for 2^32 seals of a key (SP 800-38D, section 8.3).
 */
const keyOf = (master: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), associated(purpose), 32))

const encrypt = (master: Uint8Array, nonce: Uint8Array, purpose: string, secret: string): string => {
  const key = keyOf(master, purpose)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associated(purpose))
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
  return version + Base64Url.encode(Buffer.concat([nonce, text, cipher.getAuthTag()]))
}

/** The bytes of a sealed text, if spelled exactly as `seal` spells them. */
const read = (sealed: string): Buffer | undefined => {
  const text = sealed.slice(version.length)
  const decoded = Result.getOrUndefined(Base64Url.decode(text))
  const isOurs =
    sealed.startsWith(version) &&
    decoded !== undefined &&
    decoded.length >= nonceBytes + tagBytes &&
    Base64Url.encode(decoded) === text
  return isOurs ? Buffer.from(decoded) : undefined
}

const decrypt = (master: Uint8Array, purpose: string, bytes: Buffer): string => {
  const decipher = createDecipheriv(algorithm, keyOf(master, purpose), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes
  })
    .setAAD(associated(purpose))
    .setAuthTag(bytes.subarray(-tagBytes))
  return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8")
}

/**
 * AES-256-GCM (NIST SP 800-38D) under keys that are derived from the master key: `v1.` and base64url of nonce, ciphertext
 * and tag. The tag tells which key a text was sealed under.
 */
export const make = Effect.gen(function* () {
  const [current, previous] = Redacted.value(yield* MasterKey)
  const random = yield* SecureRandom.SecureRandom

  const seal: Seal["Service"]["seal"] = Effect.fnUntraced(function* (purpose, secret) {
    return encrypt(current, yield* random.randomBytes(nonceBytes), purpose, Redacted.value(secret))
  })

  const openWith = (key: Uint8Array | undefined, purpose: string, sealed: string) => {
    const bytes = read(sealed)
    const broken = () => new SealBroken({ purpose })
    return key === undefined || bytes === undefined
      ? Effect.fail(broken())
      : Effect.try({ try: () => Redacted.make(decrypt(key, purpose, bytes)), catch: broken })
  }

  const open: Seal["Service"]["open"] = (purpose, sealed) =>
    Effect.catchTag(openWith(current, purpose, sealed), "SealBroken", () => openWith(previous, purpose, sealed))

  const reseal: Seal["Service"]["reseal"] = (purpose, sealed) =>
    openWith(current, purpose, sealed).pipe(
      Effect.as(Option.none<string>()),
      Effect.catchTag("SealBroken", () =>
        Effect.map(
          Effect.flatMap(openWith(previous, purpose, sealed), (secret) => seal(purpose, secret)),
          Option.some
        )
      )
    )

  return Seal.of({ seal, open, reseal })
})

export const layer = Layer.effect(Seal, make)
