import { assert, describe, it } from "@effect/vitest"
import { type AccessTokenClaims, AccessTokens } from "@wcs/domain/access/AccessToken"
import type { Account } from "@wcs/domain/access/Account"
import * as Privilege from "@wcs/domain/access/Privilege"
import { defaultRateLimits, RateLimiter } from "@wcs/domain/access/RateLimitTier"
import * as TokenLifetime from "@wcs/domain/access/TokenLifetime"
import * as LegacyAuthentication from "@wcs/domain/legacy/LegacyAuthentication"
import { PasswordCheck } from "@wcs/domain/login/PasswordCheck"
import { Digest } from "@wcs/domain/shared/Digest"
import { Ids, idOfNothing } from "@wcs/domain/shared/Id"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { type LegacyTokenClaims, LegacyTokens } from "@wcs/domain/token/LegacyToken"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import * as TokenExchange from "@wcs/domain/token/TokenExchange"
import type { User } from "@wcs/domain/user/User"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Layer, Option, Redacted } from "effect"
import { caller, calling } from "../shared/Calling.ts"

const account: Account = {
  id: idOfNothing("account"),
  tenantId: caller.tenantId,
  kind: "user",
  email: "ann@example.org",
  role: "Viewer",
  rateLimit: null,
  workerId: null,
  deactivatedAt: null,
  createdAt: 0
}

const quota = { limit: 9, remaining: 8, resetSeconds: 60, exceeded: false }
const common = Layer.mergeAll(
  TokenLifetime.layer,
  Privilege.layer,
  Layer.mock(RateLimiter, {
    limits: defaultRateLimits,
    peek: () => Effect.succeed(quota),
    take: () => Effect.succeed(quota)
  }),
  Layer.mock(Ids, {
    ulid: Effect.succeed("01KCZ00000000000000000000Z"),
    ulidAt: () => "01KCZ00000000000000000000Z",
    mint: (kind) => Effect.succeed(idOfNothing(kind)),
    source: (kind) => () => idOfNothing(kind),
    secret: () => Effect.succeed("decoy")
  })
)

describe("an issued token", () => {
  it.effect.each([
    { expiresAt: null, lifetime: 3600 },
    { expiresAt: 7200, lifetime: 3600 },
    { expiresAt: 60, lifetime: 60 }
  ])("OAU-06: an access token of a client that expires at $expiresAt lives $lifetime s", ({ expiresAt, lifetime }) => {
    const signed: Array<AccessTokenClaims> = []
    const client: OAuthClient = {
      clientId: "wcs_oauth_0000000000000000",
      tenantId: caller.tenantId,
      name: "payroll",
      secretHash: "secret",
      secretLastFour: "cret",
      createdAt: 0,
      createdBy: null,
      expiresAt,
      revokedAt: null
    }
    const layer = TokenExchange.layer.pipe(
      Layer.provide([
        common,
        Layer.mock(AccessStore, { epoch: () => 0, findClient: () => Effect.succeedSome({ client, account }) }),
        Layer.succeed(Digest, Digest.of({ sha256: (text) => text, equals: (one, two) => one === two })),
        Layer.mock(AccessTokens, { sign: (claims) => Effect.sync(() => `token ${signed.push(claims)}`) })
      ])
    )
    return Effect.gen(function* () {
      const { expiresInSeconds } = yield* (yield* TokenExchange.TokenExchange).exchange({
        tenantId: caller.tenantId,
        issuer: "https://example.org",
        address: "192.0.2.1",
        grantType: "client_credentials",
        client: Option.some({ clientId: client.clientId, clientSecret: Redacted.make("secret") }),
        viaBasic: false
      })
      assert.strictEqual(expiresInSeconds, lifetime)
      assert.deepStrictEqual(
        signed.map(({ expiresAt, issuedAt }) => expiresAt - issuedAt),
        [lifetime]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("LEG-08: a legacy token lives 30 days, in the store and in its claims", () => {
    const ends: Array<number> = []
    const user: User = {
      ...{ number: 7, account, firstName: "Ann", surname: "Example", passwordHash: "hash", verifiedAt: 0 },
      ...{ invite: null, invitedBy: null, joinedAt: 0 }
    }
    const layer = LegacyAuthentication.layer.pipe(
      Layer.provide([
        common,
        Layer.mock(PasswordCheck, {}),
        Layer.mock(UserStore, {
          insertLegacyToken: ({ expiresAt }, _audit, mayHave) =>
            Effect.sync(() => ends.push(expiresAt) > 0 && mayHave(user))
        }),
        Layer.mock(LegacyTokens, {
          sign: ({ expiresAt }: LegacyTokenClaims) => Effect.sync(() => `token ${ends.push(expiresAt)}`)
        })
      ]),
      Layer.merge(Layer.succeed(LegacyAuthentication.LegacyCaller, { user, caller })),
      Layer.merge(calling)
    )
    return Effect.gen(function* () {
      const { expiresAt, issuedAt } = yield* (yield* LegacyAuthentication.LegacyAuthentication).issue("7")
      assert.strictEqual(expiresAt - issuedAt, 30 * 24 * 3600)
      assert.deepStrictEqual(ends, [expiresAt, expiresAt])
    }).pipe(Effect.provide(layer))
  })
})
