import { Context, type Effect, type Option } from "effect"

/** What an access token says (RFC 9068): issued by us, for one tenant, to one OAuth client. */
export interface AccessTokenClaims {
  /** The tenant that it is good for. */
  readonly tenantId: string
  readonly clientId: string
  /** The service account's URN. */
  readonly subject: string
  /** Unique for each token. */
  readonly tokenId: string
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds. */
  readonly expiresAt: number
}

/** A public key as JWKS publishes it (RFC 7517). */
export type PublicJwk = Readonly<Record<string, string>>

/** Signs and reads access tokens with keys of our own. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** A JWT, `typ: at+jwt`, EdDSA, with the current key's `kid`. Never fails. */
    readonly sign: (claims: AccessTokenClaims) => Effect.Effect<string>
    /**
     * The claims of a token whose signature, type, algorithm, key, issuer and audience are ours; none for all else, no
     * matter why. Expiry and revocation are not judged here: the caller asks them at every call.
     */
    readonly verify: (token: string) => Effect.Effect<Option.Option<AccessTokenClaims>>
    /** The public halves of every key by which a token can still be verified. */
    readonly jwks: Effect.Effect<ReadonlyArray<PublicJwk>>
  }
>()("@wcs/domain/AccessTokens") {}
