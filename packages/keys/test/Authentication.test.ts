import { assert, describe, it } from "@effect/vitest"
import { AccessTokens, plainIssuer } from "@wcs/domain/access/AccessToken"
import { accountUrn } from "@wcs/domain/access/Account"
import { privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import * as Authentication from "@wcs/domain/authentication/Authentication"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Digest } from "@wcs/domain/shared/Digest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import * as PersonalToken from "@wcs/domain/token/PersonalToken"
import { TokenExchange } from "@wcs/domain/token/TokenExchange"
import { Effect, Exit, Option, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Asked, askedBy, callersTenant, deactivated, operator, tenant, withDeployment } from "./Deployment.ts"

const authenticate = (tenantId: string, token: Redacted.Redacted) =>
  Authentication.Authentication.use((them) => them.authenticate(callersTenant(tenantId), token))
const isRefused = (tenantId: string, token: Redacted.Redacted) =>
  Effect.map(Effect.flip(authenticate(tenantId, token)), ({ _tag }) => _tag === "Unauthenticated")

const personalToken = Effect.fnUntraced(function* (
  tenantId: string,
  role: Role,
  lifetimeSeconds: number | null = null
) {
  const admin = yield* Administration
  const email = `${(yield* AccessStore).epoch()}@example.org`
  const account = yield* admin.createUser(tenantId, email, role, operator)
  const another = () => admin.createToken(tenantId, email, "ci", lifetimeSeconds, operator)
  return { account, another, ...(yield* another()) }
})

const accessToken = Effect.fnUntraced(function* (tenantId: string) {
  const admin = yield* Administration
  const { client, secret } = yield* admin.createClient(tenantId, "payroll", operator)
  const { exchange } = yield* TokenExchange
  const issued = yield* exchange({
    tenantId,
    issuer: plainIssuer,
    address: "192.0.2.1",
    grantType: "client_credentials",
    client: Option.some({ clientId: client.clientId, clientSecret: secret }),
    viaBasic: false
  })
  return { client, token: issued.accessToken }
})

describe("Authentication: the caller of a token", () => {
  it.effect("AUT-08, AUT-09: a personal token gives its user, with exactly that user's privileges", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      for (const role of ["Viewer", "Super Admin", ["worker:READ"], []] as const) {
        const { account, secret, token } = yield* personalToken(tenantId, role)
        assert.deepStrictEqual(yield* authenticate(tenantId, secret), {
          tenantId,
          timeZone: defaultTimeZone,
          account: accountUrn(account.id),
          privileges: privilegesOf(role),
          bearer: { kind: "personal", id: token.id },
          rateLimitKey: accountUrn(account.id),
          rateLimit: null
        })
      }
    }).pipe(withDeployment)
  )

  it.effect("OAU-18, PRV-15: an access token of any client gives the service account", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const service = yield* AccessStore.use((store) => store.serviceAccount(tenantId))
      const account = accountUrn(Option.getOrThrow(service).id)
      for (const { client, token } of [yield* accessToken(tenantId), yield* accessToken(tenantId)]) {
        assert.deepStrictEqual(yield* authenticate(tenantId, token), {
          tenantId,
          timeZone: defaultTimeZone,
          account,
          privileges: privilegesOf("Super Admin"),
          bearer: { kind: "oauth", id: client.clientId },
          rateLimitKey: client.clientId,
          rateLimit: null
        })
      }
    }).pipe(withDeployment)
  )
})

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
    }).pipe(withDeployment)
  )
})

describe("Authentication: malformed tokens", () => {
  const wrong = PersonalToken.format("0".repeat(36))
  const texts = [
    ["AUT-01: nothing", ""],
    ["AUT-04: words", "not a token"],
    ["AUT-04: a JWT cut short", "eyJhbGciOiJFZERTQSJ9.e30"],
    ["AUT-04: alg none", "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.e30."],
    ["threat 13: a personal token with a wrong checksum", `${wrong.slice(0, -1)}${wrong.endsWith("0") ? "1" : "0"}`],
    ["threat 13: a personal token cut short", wrong.slice(0, -1)],
    ["threat 13: a personal token's prefix", PersonalToken.prefix],
    ["an endless text", "A".repeat(100_000)],
    ["an endless personal token", PersonalToken.prefix + "A".repeat(100_000)]
  ] as const

  it.effect.each(texts)("%s is refused without reading the store", ([, text]) =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const token = Redacted.make(text)
      assert.isTrue(yield* isRefused(tenantId, token))
      const asked = yield* askedBy(authenticate(tenantId, token))
      assert.isEmpty(asked.filter((call) => call !== "sha256"))
    }).pipe(withDeployment)
  )

  it.effect("looks up an unknown personal token once per call and refuses it", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      assert.isTrue(yield* isRefused(tenantId, Redacted.make(wrong)))
      assert.deepStrictEqual(yield* askedBy(authenticate(tenantId, Redacted.make(wrong))), [
        "sha256",
        "findPersonalToken"
      ])
    }).pipe(withDeployment)
  )

  it.effect("refuses our own token on both tenants if it names another tenant than its client's", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("acme")
      const other = yield* tenant("other")
      const { client } = yield* accessToken(acme.id)
      const token = yield* AccessTokens.use(({ sign }) =>
        sign({
          issuer: plainIssuer,
          tenantId: other.id,
          clientId: client.clientId,
          subject: "urn:wcs:account:acc_0000000000000000",
          tokenId: "1",
          issuedAt: 0,
          expiresAt: 3600
        })
      )
      assert.isTrue(yield* isRefused(other.id, Redacted.make(token)))
      assert.isTrue(yield* isRefused(acme.id, Redacted.make(token)))
    }).pipe(withDeployment)
  )

  it.effect("threats 1, 5: requires the issuer to be a host of the tenant, or that of an earlier release", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("acme")
      yield* tenant("other")
      const { client } = yield* accessToken(acme.id)
      const issuedBy = (issuer: string) =>
        AccessTokens.use(({ sign }) =>
          sign({
            issuer,
            tenantId: acme.id,
            clientId: client.clientId,
            subject: "urn:wcs:account:acc_0000000000000000",
            tokenId: "1",
            issuedAt: 0,
            expiresAt: 3600
          })
        )
      for (const [issuer, isAccepted] of [
        ["https://acme.example", true],
        ["https://ACME.example:8443", true],
        ["wcs", true],
        ["https://other.example", false],
        ["https://evil.example", false],
        ["https://acme.example@evil.example", false],
        ["http://acme.example", false]
      ] as const) {
        const token = Redacted.make(yield* issuedBy(issuer))
        const exit = yield* Effect.exit(authenticate(acme.id, token))
        assert.strictEqual(Exit.isSuccess(exit), isAccepted, issuer)
      }
    }).pipe(withDeployment)
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
    }).pipe(withDeployment)
  )
})

describe("Authentication: the end of a token", () => {
  it.effect("AUT-05: checks the expiry of a cached token at every call", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const oauth = (yield* accessToken(tenantId)).token
      const personal = (yield* personalToken(tenantId, "Viewer", 60)).secret
      yield* authenticate(tenantId, oauth)
      yield* authenticate(tenantId, personal)
      yield* TestClock.setTime(59_999)
      yield* authenticate(tenantId, personal)
      yield* TestClock.setTime(60_000)
      assert.isTrue(yield* isRefused(tenantId, personal))
      yield* TestClock.setTime(3_599_999)
      yield* authenticate(tenantId, oauth)
      yield* TestClock.setTime(3_600_000)
      assert.isTrue(yield* isRefused(tenantId, oauth))
    }).pipe(withDeployment)
  )

  it.effect("AUT-05: refuses a token that has expired before its first use", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const oauth = (yield* accessToken(tenantId)).token
      const personal = (yield* personalToken(tenantId, "Viewer", 60)).secret
      yield* TestClock.adjust("1 hour")
      assert.isTrue(yield* isRefused(tenantId, oauth))
      assert.isTrue(yield* isRefused(tenantId, personal))
    }).pipe(withDeployment)
  )

  it.effect("threat 7: refuses a revoked client's cached token immediately, and no other", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const revoked = yield* accessToken(tenantId)
      const other = yield* accessToken(tenantId)
      yield* authenticate(tenantId, revoked.token)
      yield* authenticate(tenantId, other.token)
      yield* Administration.use((admin) => admin.revokeClient(tenantId, revoked.client.clientId, operator))
      assert.isTrue(yield* isRefused(tenantId, revoked.token))
      yield* authenticate(tenantId, other.token)
    }).pipe(withDeployment)
  )

  it.effect(
    "DECISIONS.md#access: deactivating the owner ends a personal token, deactivating the service account an access token",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* tenant("acme")
        const { secret } = yield* personalToken(tenantId, "Viewer")
        const { token } = yield* accessToken(tenantId)
        const after = yield* Effect.provideServiceEffect(Authentication.make, AccessStore, deactivated)
        for (const each of [secret, token]) {
          yield* authenticate(tenantId, each)
          assert.strictEqual(
            (yield* Effect.flip(after.authenticate(callersTenant(tenantId), each)))._tag,
            "Unauthenticated"
          )
        }
      }).pipe(withDeployment)
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
    }).pipe(withDeployment)
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
    }).pipe(withDeployment)
  )

  it.effect("threat 10: holds the token's digest and not the token, as does the store", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const { secret, token } = yield* personalToken(tenantId, "Viewer")
      const digest = yield* Digest
      assert.strictEqual(token.tokenHash, digest.sha256(Redacted.value(secret)))
      assert.notInclude(JSON.stringify(token), Redacted.value(secret))
    }).pipe(withDeployment)
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
    }).pipe(withDeployment)
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
    }).pipe(withDeployment)
  )
})
