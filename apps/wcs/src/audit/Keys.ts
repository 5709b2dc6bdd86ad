import type { AdminClient } from "@wcs/admin/AdminClient"
import type { PublicJwk } from "@wcs/domain/access/AccessToken"
import type { SealClaim } from "@wcs/domain/audit/AuditSeal"
import type { ProofClaim } from "@wcs/domain/audit/AuditSignatures"
import { kidOf, type Verifier, verifierOf } from "@wcs/keys/AuditSignatures"
import { Effect, Option } from "effect"
import type { Refusal } from "../Operating.ts"

/** Returns the claim of a signature. None if the signature is not valid or its key is not trusted. */
export type Verify<E = never> = (signature: string) => Effect.Effect<Option.Option<SealClaim>, E>

/** The public keys of a deployment. They are read again if a signature names a new one, as after a rotation. */
export const makeDeploymentKeys = Effect.fnUntraced(function* (client: AdminClient) {
  const known = new Map<string, PublicJwk>()
  let verifier = yield* verifierOf([])

  const learn = Effect.fnUntraced(function* (kid: string) {
    if (known.has(kid)) return
    for (const key of (yield* client.auditKeys()).keys) known.set(key["kid"] ?? "", key)
    verifier = yield* verifierOf([...known.values()])
  })

  const verify: Verify<Refusal> = Effect.fnUntraced(function* (signature) {
    const kid = kidOf(signature)
    if (Option.isSome(kid)) yield* learn(kid.value)
    return yield* verifier(signature)
  })

  return {
    verify,
    /** The public key of a verified signature. */
    keyOf: (signature: string): PublicJwk | undefined =>
      Option.getOrUndefined(Option.flatMap(kidOf(signature), (kid) => Option.fromNullishOr(known.get(kid))))
  }
})

/** Keys that a file contains. Only those with a trusted kid count, since anybody can write a file. */
export const makeTrustedKeys = (trusted: ReadonlySet<string>) => {
  const known: Array<PublicJwk> = []
  let verifier: Verifier | undefined
  const isTrusted = (signature: string): boolean => Option.exists(kidOf(signature), (kid) => trusted.has(kid))
  return {
    add: Effect.fnUntraced(function* (key: PublicJwk) {
      known.push(key)
      verifier = yield* verifierOf(known)
    }),
    verify: ((signature) =>
      verifier !== undefined && isTrusted(signature) ? verifier(signature) : Effect.succeedNone) satisfies Verify,
    /** The claim of the signature of a proof. */
    verifyProof: (signature: string): Effect.Effect<Option.Option<ProofClaim>> =>
      verifier !== undefined && isTrusted(signature) ? verifier.proof(signature) : Effect.succeedNone
  }
}
