import { Context, type Effect, type Option } from "effect"
import type { Validity } from "../access/TokenLifetime.ts"
import { type Instant, toUnixSeconds } from "../shared/Instant.ts"

/** A bearer token of the legacy surface (§2.1), as it is kept: of the token itself nothing is. */
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

/** What a legacy token says. */
export interface LegacyTokenClaims {
  readonly tenantId: string
  readonly accountId: string
  readonly tokenId: string
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds. */
  readonly expiresAt: number
}

/** What its validity rests on, its user apart. */
export const validityOf = ({ expiresAt, issuedAt, revokedAt }: LegacyToken): Validity => ({
  issuedAt: toUnixSeconds(issuedAt),
  expiresAt,
  revokedAt
})

/** Signs and reads tokens of the legacy surface, with keys and an audience of their own (DECISIONS.md#access). */
export class LegacyTokens extends Context.Service<
  LegacyTokens,
  {
    /** A JWT of three parts with `iat` and `exp` (§2.1). Never fails. */
    readonly sign: (claims: LegacyTokenClaims) => Effect.Effect<string>
    /**
     * The claims of a token whose signature, type, key, issuer and audience are ours; none for all else. Expiry and
     * revocation are not judged here.
     */
    readonly verify: (token: string) => Effect.Effect<Option.Option<LegacyTokenClaims>>
  }
>()("@wcs/domain/LegacyTokens") {}
