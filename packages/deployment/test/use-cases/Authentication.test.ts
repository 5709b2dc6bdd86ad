import { assert, describe, it } from "@effect/vitest"
import { AccessTokens, plainIssuer } from "@wcs/domain/access/AccessToken"
import type { Role } from "@wcs/domain/access/Privilege"
import { entryOf } from "@wcs/domain/audit/AuditEntry"
import * as Authentication from "@wcs/domain/authentication/Authentication"
import { Digest } from "@wcs/domain/shared/Digest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import * as PersonalToken from "@wcs/domain/token/PersonalToken"
import * as TokenExchange from "@wcs/domain/token/TokenExchange"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Exit, Option, Queue, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Asked,
  askedBy,
  callersTenant,
  isLegacy,
  isNewer,
  issueTo,
  login,
  operator,
  password,
  putUser,
  tenant,
  told,
  withUseCases
} from "./UseCases.ts"

const email = "ann@example.org"

const authenticate = (tenantId: string, token: Redacted.Redacted) =>
  Authentication.Authentication.use((them) => them.authenticate(callersTenant(tenantId), token))
const isRefused = (tenantId: string, token: Redacted.Redacted) =>
  Effect.map(Effect.flip(authenticate(tenantId, token)), ({ _tag }) => _tag === "Unauthenticated")

const personalToken = Effect.fnUntraced(function* (tenantId: string, role: Role) {
  const admin = yield* Administration
  const email = `${(yield* AccessStore).epoch()}@example.org`
  yield* admin.createUser(tenantId, email, role, operator)
  return yield* admin.createToken(tenantId, email, "ci", null, operator)
})

const accessToken = Effect.fnUntraced(function* (tenantId: string) {
  const admin = yield* Administration
  const { client, secret } = yield* admin.createClient(tenantId, "payroll", operator)
  const { exchange } = yield* TokenExchange.TokenExchange
  const request: TokenExchange.GrantRequest = {
    tenantId,
    issuer: plainIssuer,
    address: "192.0.2.1",
    grantType: "client_credentials",
    client: Option.some({ clientId: client.clientId, clientSecret: secret }),
    viaBasic: false
  }
  return { client, request, token: (yield* exchange(request)).accessToken }
})

/** A token that we signed for a client of a tenant. */
const signed = (tenantId: string, clientId: string, issuer: string) =>
  Effect.map(
    AccessTokens.use(({ sign }) =>
      sign({
        issuer,
        tenantId,
        clientId,
        subject: "urn:wcs:account:acc_0000000000000000",
        tokenId: "1",
        issuedAt: 0,
        expiresAt: 3600
      })
    ),
    Redacted.make
  )

describe("Authentication: rate limits of the caller", () => {
  it.effect("RTL-07: a personal token carries its owner's limit, an access token none", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const admin = yield* Administration
      const rateLimit = { calls: 20, windowSeconds: 2 }
      yield* admin.createUser(tenantId, "nightly@example.org", "Viewer", operator, rateLimit)
      const { secret } = yield* admin.createToken(tenantId, "nightly@example.org", "ci", null, operator)
      assert.deepStrictEqual((yield* authenticate(tenantId, secret)).rateLimit, rateLimit)
      assert.isNull((yield* authenticate(tenantId, (yield* accessToken(tenantId)).token)).rateLimit)
    }).pipe(withUseCases)
  )
})

describe("Authentication: tokens that we did not issue so", () => {
  it.effect("looks up an unknown personal token once per call and refuses it", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const unknown = Redacted.make(PersonalToken.format("0".repeat(36)))
      assert.isTrue(yield* isRefused(tenantId, unknown))
      assert.deepStrictEqual(yield* askedBy(authenticate(tenantId, unknown)), ["sha256", "findPersonalToken"])
    }).pipe(withUseCases)
  )

  it.effect("refuses our own token on both tenants if it names another tenant than its client's", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("acme")
      const other = yield* tenant("other")
      const { client } = yield* accessToken(acme.id)
      const token = yield* signed(other.id, client.clientId, plainIssuer)
      assert.isTrue(yield* isRefused(other.id, token))
      assert.isTrue(yield* isRefused(acme.id, token))
    }).pipe(withUseCases)
  )

  it.effect("threats 1, 5: requires the issuer to be a host of the tenant, or that of an earlier release", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("acme")
      yield* tenant("other")
      const { client } = yield* accessToken(acme.id)
      for (const [issuer, isAccepted] of [
        ["https://acme.example", true],
        ["https://ACME.example:8443", true],
        ["wcs", true],
        ["https://other.example", false],
        ["https://evil.example", false],
        ["https://acme.example@evil.example", false],
        ["http://acme.example", false]
      ] as const) {
        const exit = yield* Effect.exit(authenticate(acme.id, yield* signed(acme.id, client.clientId, issuer)))
        assert.strictEqual(Exit.isSuccess(exit), isAccepted, issuer)
      }
    }).pipe(withUseCases)
  )
})

describe("Authentication: one tenant's token on another's host", () => {
  it.effect("threat 1, TRN-06, TRN-10: is refused before and after it was cached, and still works on its own", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("acme")
      const other = yield* tenant("other")
      const tokens = [(yield* accessToken(acme.id)).token, (yield* personalToken(acme.id, "Super Admin")).secret]
      for (const token of tokens) {
        assert.isTrue(yield* isRefused(other.id, token))
        yield* authenticate(acme.id, token)
        assert.isTrue(yield* isRefused(other.id, token))
        yield* authenticate(acme.id, token)
      }
      // The control for the legacy surface is a user with the same email and password.
      for (const { id } of [acme, other]) yield* putUser(id, email)
      const { token } = yield* issueTo(yield* login(acme.id, email))
      assert.deepStrictEqual([yield* isLegacy(acme.id, token), yield* isLegacy(other.id, token)], [true, false])
      assert.strictEqual(yield* told((yield* tenant("third")).id, email, password), "Unauthenticated")
    }).pipe(withUseCases)
  )
})

describe("DECISIONS.md#access: an account that is deactivated, though nothing was revoked", () => {
  it.effect("ends the personal and legacy tokens of a user, even if the clock is set back", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const { account } = yield* putUser(tenantId, email)
      const { secret } = yield* Administration.use((admin) => admin.createToken(tenantId, email, "ci", null, operator))
      const { token } = yield* issueTo(yield* login(tenantId, email))
      const standing = Effect.all([isNewer(tenantId, secret), isLegacy(tenantId, token)])
      assert.deepStrictEqual(yield* standing, [true, true])
      const action = { operation: "UPDATE", action: "deactivate", entityType: "account", entityId: account.id } as const
      const audit = entryOf("aud_0000000000000000", operator, action, 0)
      yield* UserStore.use((store) =>
        store.change(tenantId, account.id, (user) =>
          Result.succeed({ next: { ...user, account: { ...user.account, deactivatedAt: 5_000 } }, audit })
        )
      )
      for (const now of [4_999, 5_000]) {
        yield* TestClock.setTime(now)
        assert.deepStrictEqual(yield* standing, [false, false])
      }
    }).pipe(withUseCases)
  )

  it.effect("ends the access tokens of the service account, which gets no new ones", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const { request, token } = yield* accessToken(tenantId)
      const store = yield* AccessStore
      const deactivated = AccessStore.of({
        ...store,
        findClient: (...key) =>
          Effect.map(
            store.findClient(...key),
            Option.map((found) => ({ ...found, account: { ...found.account, deactivatedAt: 5_000 } }))
          )
      })
      const { authenticate } = yield* Effect.provideService(Authentication.make, AccessStore, deactivated)
      const refused = yield* Effect.flip(authenticate(callersTenant(tenantId), token))
      assert.strictEqual(refused._tag, "Unauthenticated")
      const { exchange } = yield* Effect.provideService(TokenExchange.make, AccessStore, deactivated)
      assert.strictEqual((yield* Effect.flip(exchange(request)))._tag, "InvalidClient")
    }).pipe(withUseCases)
  )
})

describe("Authentication: the cache", () => {
  it.effect("verifies a cached token again only after a change", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const oauth = (yield* accessToken(tenantId)).token
      const personal = (yield* personalToken(tenantId, "Viewer")).secret
      yield* authenticate(tenantId, oauth)
      yield* authenticate(tenantId, personal)
      assert.deepStrictEqual(yield* askedBy(authenticate(tenantId, oauth)), ["sha256"])
      assert.deepStrictEqual(yield* askedBy(authenticate(tenantId, personal)), ["sha256"])
      yield* tenant("other")
      assert.deepStrictEqual(yield* askedBy(authenticate(tenantId, personal)), ["sha256", "findPersonalToken"])
      assert.include(yield* askedBy(authenticate(tenantId, oauth)), "findClient")
    }).pipe(withUseCases)
  )

  it.effect("gives the caller the time zone of the tenant, also after a change that the cache has not seen", () =>
    Effect.gen(function* () {
      const made = yield* tenant("acme")
      const them = yield* Authentication.Authentication
      for (const token of [(yield* accessToken(made.id)).token, (yield* personalToken(made.id, "Viewer")).secret]) {
        for (const timeZone of ["Australia/Perth", "Pacific/Kiritimati", "Australia/Perth"]) {
          assert.strictEqual((yield* them.authenticate({ ...made, timeZone }, token)).timeZone, timeZone)
        }
      }
    }).pipe(withUseCases)
  )

  it.effect("threat 10: holds the token's digest and not the token, as does the store", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const { secret, token } = yield* personalToken(tenantId, "Viewer")
      const digest = yield* Digest
      assert.strictEqual(token.tokenHash, digest.sha256(Redacted.value(secret)))
      assert.notInclude(JSON.stringify(token), Redacted.value(secret))
    }).pipe(withUseCases)
  )
})

describe("Authentication: the last use of a personal token", () => {
  it.effect("is written at most once a minute for all processes, also while other fields change", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const { touches } = yield* Asked
      const { secret, token } = yield* personalToken(tenantId, "Viewer")
      yield* TestClock.setTime(1_000_000)
      yield* authenticate(tenantId, secret)
      assert.strictEqual(yield* Queue.take(touches), 1_000_000)
      const another = yield* Authentication.make
      for (const second of [1, 30, 59]) {
        yield* TestClock.setTime(1_000_000 + second * 1000)
        yield* authenticate(tenantId, secret)
        yield* another.authenticate(callersTenant(tenantId), secret)
        yield* tenant(`t${second}`)
        yield* authenticate(tenantId, secret)
      }
      yield* TestClock.setTime(1_060_000)
      yield* authenticate(tenantId, secret)
      // If any earlier call had been written, it would be first in the queue.
      assert.strictEqual(yield* Queue.take(touches), 1_060_000)
      const [stored] = yield* AccessStore.use((store) => store.listPersonalTokens(tenantId))
      assert.include(stored, { id: token.id, lastUsedAt: 1_060_000 })
    }).pipe(withUseCases)
  )

  it.effect("is not written for refused tokens, nor for access tokens", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("acme")
      const other = yield* tenant("other")
      const { touches } = yield* Asked
      const { secret } = yield* personalToken(acme.id, "Viewer")
      yield* TestClock.setTime(1_000_000)
      yield* isRefused(other.id, secret)
      yield* authenticate(acme.id, (yield* accessToken(acme.id)).token)
      yield* TestClock.setTime(1_000_001)
      yield* authenticate(acme.id, secret)
      assert.strictEqual(yield* Queue.take(touches), 1_000_001)
    }).pipe(withUseCases)
  )
})
