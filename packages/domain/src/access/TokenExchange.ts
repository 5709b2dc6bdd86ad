import { Clock, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { AccessStore, type ActingClient } from "./AccessStore.ts"
import { type AccessTokenClaims, AccessTokens } from "./AccessToken.ts"
import { accountUrn } from "./Account.ts"
import { isClientId } from "./OAuthClient.ts"
import { type Quota, RateLimited, RateLimiter } from "./RateLimitTier.ts"
import * as SecretFailures from "./SecretFailures.ts"
import { defaultLifetimeSeconds, TokenLifetime } from "./TokenLifetime.ts"

/** `grant_type` is missing or is not `client_credentials` (§7.2). */
export class UnsupportedGrantType extends Data.TaggedError("UnsupportedGrantType")<{ readonly quota: Quota }> {}

/** The client is unknown, revoked or expired, or its secret is wrong: never said which (§7.2). */
export class InvalidClient extends Data.TaggedError("InvalidClient")<{
  readonly quota: Quota
  /** Whether Basic was attempted, which the challenge then answers (RFC 6749, section 5.2). */
  readonly viaBasic: boolean
}> {}

/** The client's id and secret as they were sent, the body winning over Basic (§4.2). */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** What a request to the token endpoint says. */
export interface GrantRequest {
  readonly tenantId: string
  /** The peer's address. Failures count against it. */
  readonly address: string
  readonly grantType: string | undefined
  /** None where no client, or only half of one, was named. */
  readonly client: Option.Option<ClientCredentials>
  /** Whether a Basic header was sent, whatever counted in the end: a failure then answers with its challenge. */
  readonly viaBasic: boolean
}

/** An access token, issued (§2.2). */
export interface IssuedToken {
  readonly accessToken: Redacted.Redacted
  readonly expiresInSeconds: number
  readonly quota: Quota
}

/** How long access tokens live in this deployment. */
export const AccessTokenLifetimeSeconds = Context.Reference<number>("@wcs/domain/AccessTokenLifetimeSeconds", {
  defaultValue: () => defaultLifetimeSeconds.oauth
})

/** The `client_credentials` grant (RFC 6749, section 4.4). */
export class TokenExchange extends Context.Service<
  TokenExchange,
  {
    /**
     * Issues a token. The grant is judged before the client. Failures count by `SecretFailures`, tokens against the
     * client.
     */
    readonly exchange: (
      request: GrantRequest
    ) => Effect.Effect<IssuedToken, UnsupportedGrantType | InvalidClient | RateLimited>
  }
>()("@wcs/domain/TokenExchange") {}

/** By which name failures count. Text that is no client id names nobody: callers could invent any number of them. */
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
  // Compared with where there is no client, so that an unknown one costs what a wrong secret costs.
  const decoyHash = digest.sha256(yield* ids.secret(40))

  /**
   * The client that is told, if all is right with it. Every way costs one look-up, one digest and one comparison; only
   * text that has not the form of a client id, which tells nobody anything, is looked up nowhere.
   */
  const authenticate = Effect.fnUntraced(function* (tenantId: string, sent: ClientCredentials) {
    const found = isClientId(sent.clientId) ? yield* store.findClient(sent.clientId) : Option.none<ActingClient>()
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

  /** A token lives as long as this deployment says, and no longer than its client. */
  const issue = Effect.fnUntraced(function* ({ account, client }: ActingClient, quota: Quota) {
    const issued = lifetime.issue(yield* Clock.currentTimeMillis, lifetimeSeconds)
    const { issuedAt } = issued
    const expiresAt = Math.min(issued.expiresAt ?? issuedAt, client.expiresAt ?? Number.POSITIVE_INFINITY)
    const claims: AccessTokenClaims = {
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
    const { address, client, grantType, tenantId, viaBasic } = request
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
    return yield* issue(acting.value, quota)
  })

  return TokenExchange.of({ exchange })
})

export const layer: Layer.Layer<
  TokenExchange,
  never,
  AccessStore | Digest | Ids | RateLimiter | AccessTokens | TokenLifetime
> = Layer.effect(TokenExchange, make)
