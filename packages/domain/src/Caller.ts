import { Context } from "effect"
import type { Privileges } from "./Privilege.ts"
import type { RateLimit } from "./RateLimitTier.ts"

/** What callers are told by: an access token, a personal one, one of the legacy surface, or that surface's password. */
export const bearerKinds = ["oauth", "personal", "legacy", "password"] as const

/** What a call was authenticated by. */
export interface Bearer {
  readonly kind: (typeof bearerKinds)[number]
  /** The id of the OAuth client or of the token; of a password, the account's. */
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
