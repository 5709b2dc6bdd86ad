import { Context } from "effect"
import type { Privileges } from "./Privilege.ts"
import type { RateLimit } from "./RateLimitTier.ts"

/** What a call was authenticated by. */
export interface Bearer {
  readonly kind: "oauth" | "personal"
  /** The OAuth client's id, or the personal token's. */
  readonly id: string
}

/** The authenticated caller of the request at hand. Both kinds of token make the same thing of it (AUT-10). */
export class Caller extends Context.Service<
  Caller,
  {
    readonly tenantId: string
    /** The account's URN. */
    readonly account: string
    readonly privileges: Privileges
    readonly bearer: Bearer
    /** Whose calls are counted together: an OAuth client, or a user whatever personal token is used. */
    readonly rateLimitKey: string
    /** The account's own limit; null: the deployment's alone. */
    readonly rateLimit: RateLimit | null
  }
>()("@wcs/domain/Caller") {}
