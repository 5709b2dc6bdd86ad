import { Context, type Effect, Schema } from "effect"
import type { PublicJwk } from "../access/AccessToken.ts"
import type { SealClaim } from "./AuditSeal.ts"

/** The part of a proof that its signature covers: the organization, and the hash of its digests. */
export interface ProofClaim {
  readonly tenant: string
  readonly hash: string
}

/** A public key as a JWK (RFC 7517). */
export const PublicKey = Schema.Record(Schema.String, Schema.String)

/** Signs the seals of the audit log, and proofs from it, with a key of the deployment. */
export class AuditSignatures extends Context.Service<
  AuditSignatures,
  {
    /** Returns the signature of a seal, by the current key. */
    readonly sign: (claim: SealClaim) => Effect.Effect<string>
    /** Returns the signature of a proof, by the current key. */
    readonly signProof: (claim: ProofClaim) => Effect.Effect<string>
    /** The public keys of all signatures, newest first. A retired key signs no more, but its signatures stay valid. */
    readonly keys: Effect.Effect<ReadonlyArray<PublicJwk>>
  }
>()("@wcs/domain/AuditSignatures") {}
