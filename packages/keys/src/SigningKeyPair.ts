import type { PublicJwk } from "@wcs/domain/access/AccessToken"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Seal, type SealBroken } from "@wcs/domain/shared/Seal"
import * as SigningKey from "@wcs/domain/token/SigningKey"
import { Effect, Redacted, Schema } from "effect"
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose"

/** The only algorithm of our tokens (RFC 8037, section 3.1). A token's header never selects one. */
export const algorithm = "EdDSA"

/** The sealed form of a private Ed25519 key (RFC 8037, section 2). */
const PrivateJwk = Schema.fromJsonString(
  Schema.Struct({
    kty: Schema.Literal("OKP"),
    crv: Schema.Literal("Ed25519"),
    x: Schema.String,
    d: Schema.String
  })
)

/** An imported key, ready to sign and verify. */
export interface SigningKeyPair extends Pick<SigningKey.SigningKey, "use" | "kid" | "createdAt"> {
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  /** The public point in base64url, the only part that is published. */
  readonly x: string
}

/** The public half of a key, as it is published. */
export const publicJwk = ({ kid, x }: Pick<SigningKeyPair, "kid" | "x">): PublicJwk => ({
  kty: "OKP",
  crv: "Ed25519",
  alg: algorithm,
  use: "sig",
  kid,
  x
})

/** Generates a sealed key. Its kid is its thumbprint (RFC 7638). */
export const generate = Effect.fnUntraced(function* (use: SigningKey.SigningKeyUse, createdAt: Instant) {
  const seal = yield* Seal
  const pair = yield* Effect.promise(() => generateKeyPair(algorithm, { extractable: true }))
  const jwk = yield* Effect.promise(() => exportJWK(pair.privateKey))
  const kid = yield* Effect.promise(() => calculateJwkThumbprint(jwk))
  const sealedPrivateKey = yield* seal.seal(SigningKey.purposeOf({ use, kid }), Redacted.make(JSON.stringify(jwk)))
  return { use, kid, sealedPrivateKey, createdAt } satisfies SigningKey.SigningKey
})

/** Opens and imports a stored key. Its private half cannot be exported again. */
export const open: (key: SigningKey.SigningKey) => Effect.Effect<SigningKeyPair, SealBroken, Seal> = Effect.fnUntraced(
  function* ({ createdAt, kid, sealedPrivateKey, use }: SigningKey.SigningKey) {
    const seal = yield* Seal
    const text = yield* seal.open(SigningKey.purposeOf({ use, kid }), sealedPrivateKey)
    const { crv, d, kty, x } = yield* Effect.orDie(Schema.decodeEffect(PrivateJwk)(Redacted.value(text)))
    const privateKey = yield* Effect.promise(() => importJWK({ kty, crv, x, d }, algorithm, { extractable: false }))
    const publicKey = yield* Effect.promise(() => importJWK({ kty, crv, x }, algorithm))
    return { use, kid, createdAt, privateKey, publicKey, x }
  }
)
