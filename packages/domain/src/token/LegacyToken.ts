import { Context, type Effect, type Option } from "effect"
import type { Validity } from "../access/TokenLifetime.ts"
import { type Instant, toUnixSeconds } from "../shared/Instant.ts"

/** A stored bearer token of the legacy surface (§2.1), without the token itself. */
export interface LegacyToken {
  /** The `jti` of the JWT, a ULID. */
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  readonly issuedAt: Instant
  /** Unix seconds. */
  readonly expiresAt: number
  readonly revokedAt: Instant | null
}

/** The claims of a legacy token. */
export interface LegacyTokenClaims {
  readonly tenantId: string
  readonly accountId: string
  readonly tokenId: string
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds. */
  readonly expiresAt: number
}

/** Returns the token's validity, without that of its user. */
export const validityOf = ({ expiresAt, issuedAt, revokedAt }: LegacyToken): Validity => ({
  issuedAt: toUnixSeconds(issuedAt),
  expiresAt,
  revokedAt
})

/** Signs and verifies legacy tokens, with keys and an audience of their own (DECISIONS.md#access). */
export class LegacyTokens extends Context.Service<
  LegacyTokens,
  {
    /** Returns a signed JWT with `iat` and `exp` (§2.1). Never fails. */
    readonly sign: (claims: LegacyTokenClaims) => Effect.Effect<string>
    /**
     * Returns the claims if the signature, type, key, issuer and audience are valid, else none. Does not check expiry
     * or revocation.
     */
    readonly verify: (token: string) => Effect.Effect<Option.Option<LegacyTokenClaims>>
  }
>()("@wcs/domain/LegacyTokens") {}
