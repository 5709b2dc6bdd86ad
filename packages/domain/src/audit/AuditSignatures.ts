import { Context, type Effect } from "effect"
import type { PublicJwk } from "../access/AccessToken.ts"
import type { SealClaim } from "./AuditSeal.ts"

/** Signs the seals of the audit log with a key of the deployment. */
export class AuditSignatures extends Context.Service<
  AuditSignatures,
  {
    /** Returns the signature of a seal, by the current key. */
    readonly sign: (claim: SealClaim) => Effect.Effect<string>
    /** The public keys of all signatures, newest first. A retired key signs no more, but its signatures stay valid. */
    readonly keys: Effect.Effect<ReadonlyArray<PublicJwk>>
  }
>()("@wcs/domain/AuditSignatures") {}
