import { Context } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { Privileges } from "./Privilege.ts"
import type { RateLimit } from "./RateLimitTier.ts"

/**
 * The kinds of bearer: three of token, the legacy surface's password, the session of a person in a browser, and the
 * token of an external identity provider.
 */
export const bearerKinds = ["oauth", "personal", "legacy", "password", "session", "external"] as const

/** What a call was authenticated by. */
export interface Bearer {
  readonly kind: (typeof bearerKinds)[number]
  /** The id of the OAuth client, token, session or identity provider; of a password, the account's. */
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
    /** When the person of a session last proved who they are. Other bearers have none, and step-up asks them nothing. */
    readonly authenticatedAt?: Instant
  }
>()("@wcs/domain/Caller") {}
