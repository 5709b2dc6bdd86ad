import type { PublicJwk } from "@wcs/domain/access/AccessToken"
import type { SealClaim } from "@wcs/domain/audit/AuditSeal"
import { AuditSignatures, type ProofClaim } from "@wcs/domain/audit/AuditSignatures"
import { Effect, Layer, Option, Schema } from "effect"
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK } from "jose"
import { makeCompactTokens, makeVerify, type VerifyingKeys } from "./CompactTokens.ts"
import * as KeyRing from "./KeyRing.ts"
import * as SigningKeyPair from "./SigningKeyPair.ts"

const tokenType = "wcs-audit-seal+jwt"

const Payload = Schema.Struct({ tenant: Schema.String, number: Schema.Int, hash: Schema.String })

const proofType = "wcs-proof+jwt"

const ProofPayload = Schema.Struct({ tenant: Schema.String, hash: Schema.String })

export const make = Effect.gen(function* () {
  const ring = yield* KeyRing.make("audit")
  const { sign } = makeCompactTokens(ring, tokenType, Payload)
  const proofs = makeCompactTokens(ring, proofType, ProofPayload)
  return AuditSignatures.of({
    sign: Effect.fn("AuditSignatures.sign")(({ hash, number, tenant }) => sign({ tenant, number, hash })),
    signProof: Effect.fn("AuditSignatures.signProof")(({ hash, tenant }) => proofs.sign({ tenant, hash })),
    keys: Effect.map(ring.allVerifying, (keys) => keys.map(SigningKeyPair.publicJwk))
  })
})

export const layer = Layer.effect(AuditSignatures, make)

/** The kid that a signature names. None if it is no signature. Not verified. */
export const kidOf = (signature: string): Option.Option<string> =>
  Option.flatMap(Option.liftThrowable(() => decodeProtectedHeader(signature))(), ({ kid }) => Option.fromNullishOr(kid))

/** Returns the claim of the signature of a seal or of a proof; none if it is not valid. */
export interface Verifier {
  (signature: string): Effect.Effect<Option.Option<SealClaim>>
  readonly proof: (signature: string) => Effect.Effect<Option.Option<ProofClaim>>
}

/**
 * Returns a function that verifies signatures without a deployment: it returns the claim, or none. A key is identified
 * by its thumbprint (RFC 7638), and its own `kid` is ignored, so a trusted kid is a trusted key.
 */
export const verifierOf = Effect.fnUntraced(function* (keys: ReadonlyArray<PublicJwk>) {
  const publicKeys = new Map<string, Pick<SigningKeyPair.SigningKeyPair, "publicKey">>()
  for (const { x = "" } of keys) {
    const jwk = { kty: "OKP", crv: "Ed25519", x } as const
    const opened = yield* Effect.option(
      Effect.tryPromise(() =>
        Promise.all([calculateJwkThumbprint(jwk), importJWK(jwk, SigningKeyPair.algorithm)] as const)
      )
    )
    if (Option.isSome(opened)) publicKeys.set(opened.value[0], { publicKey: opened.value[1] })
  }
  const find: VerifyingKeys = (kid) => Effect.sync(() => Option.fromNullishOr(publicKeys.get(kid)))
  const seal = makeVerify(find, tokenType, Payload)
  const verifier: Verifier = Object.assign((signature: string) => seal(signature), {
    proof: makeVerify(find, proofType, ProofPayload)
  })
  return verifier
})
