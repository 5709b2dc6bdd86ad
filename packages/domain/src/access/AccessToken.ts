import { Context, type Effect, type Option } from "effect"

/** The claims of an access token (RFC 9068) that this service issued to one OAuth client of one tenant. */
export interface AccessTokenClaims {
  /** The origin that issued the token: that of its discovery document (RFC 8414). */
  readonly issuer: string
  /** The tenant in which the token is valid, at each of its hosts. */
  readonly tenantId: string
  readonly clientId: string
  /** The service account's URN. */
  readonly subject: string
  /** Unique per token. */
  readonly tokenId: string
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds. */
  readonly expiresAt: number
}

/** The issuer of legacy tokens, and of the access tokens of release 0.1. */
export const plainIssuer = "wcs"

/** Returns the host and port of an issuer that is an origin (RFC 8414, section 2), else undefined. */
export const authorityOf = (issuer: string): string | undefined => /^https:\/\/([^/?#@]+)$/.exec(issuer)?.[1]

/** A public key as JWKS publishes it (RFC 7517). */
export type PublicJwk = Readonly<Record<string, string>>

/** Signs and verifies access tokens with this service's keys. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** Returns a signed JWT: `typ: at+jwt`, EdDSA, `kid` of the current key. Never fails. */
    readonly sign: (claims: AccessTokenClaims) => Effect.Effect<string>
    /**
     * Returns the claims if the signature, type, algorithm, key, issuer and audience are valid, else none. Does not
     * check tenant, expiry or revocation: the caller checks these on every call.
     */
    readonly verify: (token: string) => Effect.Effect<Option.Option<AccessTokenClaims>>
    /** The public keys that can still verify a token. */
    readonly jwks: Effect.Effect<ReadonlyArray<PublicJwk>>
  }
>()("@wcs/domain/AccessTokens") {}
