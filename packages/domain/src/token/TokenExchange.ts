import { Clock, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { type AccessTokenClaims, AccessTokens } from "../access/AccessToken.ts"
import { accountUrn } from "../access/Account.ts"
import { type Quota, RateLimited, RateLimiter } from "../access/RateLimitTier.ts"
import * as SecretFailures from "../access/SecretFailures.ts"
import { defaultLifetimeSeconds, TokenLifetime } from "../access/TokenLifetime.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { AccessStore, type ActingClient } from "./AccessStore.ts"
import { isClientId } from "./OAuthClient.ts"

/** `grant_type` is missing or is not `client_credentials` (§7.2). */
export class UnsupportedGrantType extends Data.TaggedError("UnsupportedGrantType")<{ readonly quota: Quota }> {}

/** The client is unknown, revoked or expired, or its secret is wrong. The error does not say which (§7.2). */
export class InvalidClient extends Data.TaggedError("InvalidClient")<{
  readonly quota: Quota
  /** Whether the request used Basic. The response then has a Basic challenge (RFC 6749, section 5.2). */
  readonly viaBasic: boolean
}> {}

/** The client's id and secret as sent. The body takes precedence over Basic (§4.2). */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** A request to the token endpoint. */
export interface GrantRequest {
  readonly tenantId: string
  /** The origin of the token endpoint as the client called it. */
  readonly issuer: string
  /** The peer's address, to count failures. */
  readonly address: string
  readonly grantType: string | undefined
  /** None if the id or the secret is missing. */
  readonly client: Option.Option<ClientCredentials>
  /** Whether the request has a Basic header, even if the body took precedence. A failure then has a Basic challenge. */
  readonly viaBasic: boolean
}

/** An issued access token (§2.2). */
export interface IssuedToken {
  readonly accessToken: Redacted.Redacted
  readonly expiresInSeconds: number
  readonly quota: Quota
}

/** Lifetime of access tokens in this deployment. */
export const AccessTokenLifetimeSeconds = Context.Reference<number>("@wcs/domain/AccessTokenLifetimeSeconds", {
  defaultValue: () => defaultLifetimeSeconds.oauth
})

/** The `client_credentials` grant (RFC 6749, section 4.4). */
export class TokenExchange extends Context.Service<
  TokenExchange,
  {
    /**
     * Issues a token. Checks the grant type before the client. `SecretFailures` counts failures; tokens count per
     * client.
     */
    readonly exchange: (
      request: GrantRequest
    ) => Effect.Effect<IssuedToken, UnsupportedGrantType | InvalidClient | RateLimited>
  }
>()("@wcs/domain/TokenExchange") {}

/**
 * Returns the name by which failures count. Malformed client ids give null: a caller could invent any number of them.
 */
const nameOf = (tenantId: string, client: GrantRequest["client"]): string | null =>
  Option.isSome(client) && isClientId(client.value.clientId) ? `${tenantId} ${client.value.clientId}` : null

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const digest = yield* Digest
  const ids = yield* Ids
  const limiter = yield* RateLimiter
  const accessTokens = yield* AccessTokens
  const lifetime = yield* TokenLifetime
  const lifetimeSeconds = yield* AccessTokenLifetimeSeconds
  // Unknown clients are compared with this hash, so that they take as long as a wrong secret.
  const decoyHash = digest.sha256(yield* ids.secret(40))

  /**
   * Returns the client if its secret is right and it is live. Every path takes one look-up, one digest and one
   * comparison. Only malformed ids skip the look-up; this reveals nothing.
   */
  const authenticate = Effect.fnUntraced(function* (tenantId: string, sent: ClientCredentials) {
    const found = isClientId(sent.clientId)
      ? yield* store.findClient(tenantId, sent.clientId)
      : Option.none<ActingClient>()
    const now = yield* Clock.currentTimeMillis
    const hash = digest.sha256(Redacted.value(sent.clientSecret))
    const expected = Option.match(found, { onNone: () => decoyHash, onSome: ({ client }) => client.secretHash })
    const matches = digest.equals(hash, expected)
    return Option.filter(
      found,
      ({ account, client }) =>
        matches &&
        client.tenantId === tenantId &&
        !lifetime.isRevoked(client) &&
        !lifetime.isExpired(client, now) &&
        !lifetime.isRevoked({ revokedAt: account.deactivatedAt })
    )
  })

  /** Issues a token that lives as long as configured, but not longer than its client. */
  const issue = Effect.fnUntraced(function* ({ account, client }: ActingClient, issuer: string, quota: Quota) {
    const issued = lifetime.issue(yield* Clock.currentTimeMillis, lifetimeSeconds)
    const { issuedAt } = issued
    const expiresAt = Math.min(issued.expiresAt ?? issuedAt, client.expiresAt ?? Number.POSITIVE_INFINITY)
    const claims: AccessTokenClaims = {
      issuer,
      tenantId: client.tenantId,
      clientId: client.clientId,
      subject: accountUrn(account.id),
      tokenId: yield* ids.ulid,
      issuedAt,
      expiresAt
    }
    const accessToken = Redacted.make(yield* accessTokens.sign(claims))
    return { accessToken, expiresInSeconds: expiresAt - issuedAt, quota } satisfies IssuedToken
  })

  const exchange: TokenExchange["Service"]["exchange"] = Effect.fn("TokenExchange.exchange")(function* (request) {
    const { address, client, grantType, issuer, tenantId, viaBasic } = request
    const windows = SecretFailures.windowsOf({ address, name: nameOf(tenantId, client) })
    const standing = yield* SecretFailures.standing(limiter, windows)
    if (standing.exceeded) return yield* new RateLimited({ quota: standing })
    const failed = SecretFailures.count(limiter, windows)
    if (grantType !== "client_credentials") return yield* new UnsupportedGrantType({ quota: yield* failed })
    if (Option.isNone(client)) return yield* new InvalidClient({ quota: yield* failed, viaBasic })
    const acting = yield* authenticate(tenantId, client.value)
    if (Option.isNone(acting)) return yield* new InvalidClient({ quota: yield* failed, viaBasic })
    const { clientId } = acting.value.client
    const quota = yield* limiter.take("tokensIssued", clientId)
    if (quota.exceeded) return yield* new RateLimited({ quota })
    return yield* issue(acting.value, issuer, quota)
  })

  return TokenExchange.of({ exchange })
})

export const layer = Layer.effect(TokenExchange, make)
