import { assert, describe, it } from "@effect/vitest"
import { defaultRateLimits, type RateLimited } from "@wcs/domain/access/RateLimitTier"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import {
  AccessTokenLifetimeSeconds,
  type GrantRequest,
  type InvalidClient,
  make,
  TokenExchange,
  type UnsupportedGrantType
} from "@wcs/domain/token/TokenExchange"
import { Effect, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { askedBy, isNewer, operator, tenant, withLimits } from "./UseCases.ts"

const withFew = withLimits({ ...defaultRateLimits, tokenFailures: 3, addressFailures: 7, tokensIssued: 2 })

/** A client's request from an address of its own. */
const requestOf = (
  tenantId: string,
  clientId: string,
  secret: string,
  more: Partial<GrantRequest> = {}
): GrantRequest => ({
  tenantId,
  issuer: "https://acme.example",
  address: "192.0.2.1",
  grantType: "client_credentials",
  client: Option.some({ clientId, clientSecret: Redacted.make(secret) }),
  viaBasic: false,
  ...more
})

/** A tenant with one client. */
const acme = Effect.gen(function* () {
  const { id: tenantId } = yield* tenant("acme")
  const admin = yield* Administration
  const { client, secret } = yield* admin.createClient(tenantId, "payroll", operator)
  const good = (more: Partial<GrantRequest> = {}) => requestOf(tenantId, client.clientId, Redacted.value(secret), more)
  return { tenantId, client, secret: Redacted.value(secret), good }
})

const exchange = (request: GrantRequest) => TokenExchange.use((tokens) => tokens.exchange(request))
const refused = (request: GrantRequest) => Effect.flip(exchange(request))

describe("TokenExchange", () => {
  it.effect("§5.2, item 5: uses the configured lifetime", () =>
    Effect.gen(function* () {
      const { good, tenantId } = yield* acme
      const tokens = yield* Effect.provideService(make, AccessTokenLifetimeSeconds, 60)
      const issued = yield* tokens.exchange(good())
      assert.strictEqual(issued.expiresInSeconds, 60)
      yield* TestClock.adjust("59999 millis")
      assert.isTrue(yield* isNewer(tenantId, issued.accessToken))
      yield* TestClock.adjust("1 milli")
      assert.isFalse(yield* isNewer(tenantId, issued.accessToken))
    }).pipe(withFew)
  )

  it.effect("threat 9: printing does not show the issued token", () =>
    Effect.gen(function* () {
      const { good } = yield* acme
      const issued = yield* exchange(good())
      assert.notInclude(JSON.stringify(issued) + String(issued.accessToken), Redacted.value(issued.accessToken))
    }).pipe(withFew)
  )
})

describe("TokenExchange: checks the grant before the client", () => {
  const grants = [undefined, "", "password", "authorization_code", "refresh_token", "CLIENT_CREDENTIALS"]

  it.effect.each(grants.map((grantType) => [grantType]))(
    "OAU-09, OAU-10: %s is unsupported, for every client",
    ([grantType]) =>
      Effect.gen(function* () {
        const { client, good, tenantId } = yield* acme
        for (const request of [
          good({ grantType }),
          requestOf(tenantId, client.clientId, "wrong", { grantType }),
          good({ grantType, client: Option.none() })
        ]) {
          const asked = yield* askedBy(exchange(request))
          assert.deepStrictEqual(asked, [])
        }
        const error = yield* refused(good({ grantType, address: "192.0.2.2" }))
        assert.strictEqual(error._tag, "UnsupportedGrantType")
      }).pipe(withFew)
  )
})

describe("TokenExchange: refused clients", () => {
  /** Inserts a client into the store, with any changes. */
  const insert = Effect.fnUntraced(function* (like: OAuthClient, changes: Partial<OAuthClient>) {
    const store = yield* AccessStore
    const client = { ...like, clientId: "wcs_oauth_AAAAAAAAAAAAAAAA", ...changes }
    const auditedAction = {
      operation: "CREATE",
      action: "create",
      entityType: "apiClient",
      entityId: client.clientId
    } as const
    yield* store.insertClient(client, { ...operator, ...auditedAction, id: "aud_0", at: 0 }, () =>
      Result.succeed(undefined)
    )
    return client.clientId
  })

  const everyone = Effect.gen(function* () {
    const { client, good, secret, tenantId } = yield* acme
    const other = yield* tenant("other")
    const admin = yield* Administration
    const theirs = yield* admin.createClient(other.id, "theirs", operator)
    const revoked = yield* insert(client, { revokedAt: 0 })
    return {
      good: good(),
      rows: [
        ["OAU-11: unknown", requestOf(tenantId, "wcs_oauth_0000000000000000", secret)],
        ["OAU-12: with a wrong secret", requestOf(tenantId, client.clientId, "wrong")],
        ["OAU-12: with an empty secret", requestOf(tenantId, client.clientId, "")],
        ["OAU-12: with the hash of its secret", requestOf(tenantId, client.clientId, client.secretHash)],
        ["OAU-12: with another client's secret", requestOf(tenantId, client.clientId, Redacted.value(theirs.secret))],
        ["OAU-13: revoked", requestOf(tenantId, revoked, secret)],
        ["OAU-13: revoked, with a wrong secret", requestOf(tenantId, revoked, "wrong")],
        ["threat 1: of another tenant", requestOf(tenantId, theirs.client.clientId, Redacted.value(theirs.secret))]
      ] as const
    }
  })

  it.effect("threat 8: costs the same work and answers alike for every kind of failure", () =>
    Effect.gen(function* () {
      const { good, rows } = yield* everyone
      const work = ["findClient", "sha256", "equals"]
      // The control: good credentials cost no less.
      assert.deepStrictEqual((yield* askedBy(exchange(good))).slice(0, 3), work)
      for (const [index, [name, request]] of rows.entries()) {
        const from = { ...request, address: `192.0.2.${100 + index}` }
        assert.deepStrictEqual(yield* askedBy(exchange(from)), work, name)
        const error = yield* refused(from)
        assert.deepStrictEqual(
          Object.fromEntries(Object.entries(error)),
          {
            _tag: "InvalidClient",
            viaBasic: false,
            quota: { limit: 3, remaining: 1, resetSeconds: 60, exceeded: false }
          },
          name
        )
      }
    }).pipe(withFew)
  )

  const malformed = [
    "",
    "admin",
    "wcs_oauth_",
    "wcs_oauth_000000000000000",
    "wcs_oauth_0000000000000000 ",
    "' OR 1=1 --",
    "a\0b",
    "é"
  ]
  it.effect.each(malformed.map((clientId) => [clientId]))(
    "does not read the store for %j, which is not a client id",
    ([clientId = ""]) =>
      Effect.gen(function* () {
        const { secret, tenantId } = yield* acme
        const request = requestOf(tenantId, clientId, secret)
        assert.deepStrictEqual(yield* askedBy(exchange(request)), ["sha256", "equals"])
        assert.strictEqual((yield* refused(request))._tag, "InvalidClient")
      }).pipe(withFew)
  )

  it.effect("treats a missing client as an invalid one", () =>
    Effect.gen(function* () {
      const { good } = yield* acme
      const request = good({ client: Option.none() })
      assert.deepStrictEqual(yield* askedBy(exchange(request)), [])
      assert.strictEqual((yield* refused(request))._tag, "InvalidClient")
    }).pipe(withFew)
  )
})

describe("TokenExchange: limits", () => {
  const beyond = (limit: number, error: UnsupportedGrantType | InvalidClient | RateLimited) => {
    assert.strictEqual(error._tag, "RateLimited")
    assert.deepStrictEqual(error.quota, { limit, remaining: 0, resetSeconds: 60, exceeded: true })
  }

  it.effect.each([
    ["known", (id: string) => id],
    ["unknown", () => "wcs_oauth_0000000000000000"]
  ] as const)(
    "threat 8: after 3 wrong secrets of a client (%s) from one address, only that client is refused there",
    ([, idOf]) =>
      Effect.gen(function* () {
        const { client, good, tenantId } = yield* acme
        const other = yield* Administration.use((admin) => admin.createClient(tenantId, "other", operator))
        const wrong = requestOf(tenantId, idOf(client.clientId), "wrong")
        for (const remaining of [2, 1, 0]) {
          const error = yield* refused(wrong)
          assert.strictEqual(error._tag, "InvalidClient")
          assert.deepInclude(error.quota, { limit: 3, remaining })
        }
        assert.deepStrictEqual(yield* askedBy(Effect.flip(exchange(wrong))), [])
        beyond(3, yield* refused(wrong))
        yield* exchange(requestOf(tenantId, other.client.clientId, Redacted.value(other.secret)))
        yield* exchange(good({ address: "192.0.2.2" }))
        yield* TestClock.adjust("1 minute")
        yield* exchange(good())
      }).pipe(withFew)
  )

  it.effect(
    "RTL-04: after 7 failures from one address, refuses right secrets from it for a minute without reading the store",
    () =>
      Effect.gen(function* () {
        const { good, tenantId } = yield* acme
        const failures = [
          ...[1, 2, 3, 4].map((index) => requestOf(tenantId, `wcs_oauth_000000000000000${index}`, "wrong")),
          good({ grantType: "password" }),
          good({ client: Option.none() }),
          requestOf(tenantId, "no client id", "wrong")
        ]
        for (const request of failures) assert.notStrictEqual((yield* refused(request))._tag, "RateLimited")
        assert.deepStrictEqual(yield* askedBy(Effect.flip(exchange(good()))), [])
        beyond(7, yield* refused(good()))
        yield* exchange(good({ address: "192.0.2.2" }))
        yield* TestClock.adjust("1 minute")
        yield* exchange(good())
      }).pipe(withFew)
  )

  it.effect("counts requests without a client id, or with a malformed one, together", () =>
    Effect.gen(function* () {
      const { good, tenantId } = yield* acme
      yield* refused(good({ client: Option.none() }))
      yield* refused(requestOf(tenantId, "no client id", "wrong"))
      const error = yield* refused(requestOf(tenantId, "x".repeat(1000), "wrong"))
      assert.deepInclude(error.quota, { limit: 3, remaining: 0 })
      beyond(3, yield* refused(good({ client: Option.none() })))
      yield* exchange(good())
    }).pipe(withFew)
  )

  it.effect("counts successes against the client and not against the address", () =>
    Effect.gen(function* () {
      const { good, tenantId } = yield* acme
      const { client, secret } = yield* Administration.use((admin) => admin.createClient(tenantId, "other", operator))
      assert.deepStrictEqual((yield* exchange(good())).quota, {
        limit: 2,
        remaining: 1,
        resetSeconds: 60,
        exceeded: false
      })
      assert.strictEqual((yield* exchange(good())).quota.remaining, 0)
      const error = yield* refused(good())
      assert.include(error, { _tag: "RateLimited" })
      assert.deepStrictEqual(error.quota, { limit: 2, remaining: 0, resetSeconds: 60, exceeded: true })
      // The address keeps its full allowance, and so does another client.
      yield* exchange(requestOf(tenantId, client.clientId, Redacted.value(secret)))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Result.isSuccess(yield* Effect.result(exchange(good()))))
    }).pipe(withFew)
  )
})
