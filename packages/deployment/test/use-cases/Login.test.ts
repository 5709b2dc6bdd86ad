import { assert, describe, it } from "@effect/vitest"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import { type Browser, Login, type SignedIn } from "@wcs/domain/login/Login"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { SecondFactors } from "@wcs/domain/second-factor/SecondFactors"
import { Totp } from "@wcs/domain/second-factor/Totp"
import { absoluteLimitMillis, idleLimitMillis } from "@wcs/domain/session/Session"
import { Administration } from "@wcs/domain/token/Administration"
import { Users } from "@wcs/domain/user/Users"
import { Clock, Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { tenant as newTenant, operator, withUseCases } from "./UseCases.ts"

const email = "ann@example.org"
const long = Redacted.make("correct horse battery staple")
const short = Redacted.make("correct ho")
const browser = (device: Redacted.Redacted = Redacted.make(""), address = "192.0.2.1"): Browser => ({
  address,
  userAgent: "Test/1.0",
  device
})

/** A tenant and a user with this password. */
const person = Effect.fnUntraced(function* (password: Redacted.Redacted) {
  const tenant = yield* newTenant("acme")
  yield* Administration.use((admin) => admin.createUser(tenant.id, email, "Admin", operator))
  yield* Users.use((users) => users.setPassword(tenant.id, email, password, operator))
  return tenant
})

const logIn = (tenant: Tenant, password: Redacted.Redacted, from = browser()) =>
  Login.use((login) => login.password(tenant, email, password, from))

const halfOf = Effect.fnUntraced(function* (tenant: Tenant, password: Redacted.Redacted, from = browser()) {
  const outcome = yield* logIn(tenant, password, from)
  if (outcome._tag !== "HalfSignedIn") return assert.fail("the login needs no second step")
  return outcome
})

/** The code as an app shows it, with a space. */
const codeNow = Effect.fnUntraced(function* (seed: Redacted.Redacted, stepsLater = 0) {
  const now = yield* Clock.currentTimeMillis
  return (yield* Totp).codeAt(seed, stepOf(now) + stepsLater).replace(/(?=...$)/, " ")
})

/** Enrols an authenticator app for the person and logs in with it. */
const enrolled = Effect.fnUntraced(function* (tenant: Tenant) {
  const login = yield* Login
  const half = yield* halfOf(tenant, short)
  const { seed } = yield* login.enrol(tenant, half.token)
  const signedIn = yield* login.confirm(tenant, { half: half.token, code: yield* codeNow(seed) }, browser())
  return { seed, signedIn }
})

const callerOf = (tenant: Tenant, { session }: SignedIn) =>
  Authentication.use((authentication) => authentication.authenticateSession(tenant, session.token))

const refusalOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "in" })

/** A wrong code. Right codes are random, so one of two fixed codes is wrong. */
const wrongCode = Effect.fnUntraced(function* (seed: Redacted.Redacted) {
  const right = yield* Effect.forEach([-1, 0, 1], (later) => codeNow(seed, later))
  return ["000 000", "111 111", "222 222", "333 333"].find((code) => !right.includes(code)) ?? ""
})

const nextStep = TestClock.adjust(Duration.seconds(30))

describe("a half login", () => {
  it.effect("does not accept a half login as a session, nor at another step or tenant", () =>
    Effect.gen(function* () {
      const login = yield* Login
      const tenant = yield* person(short)
      const { seed } = yield* enrolled(tenant)
      const half = yield* halfOf(tenant, short)
      const other = yield* newTenant("other")
      const authentication = yield* Authentication
      assert.strictEqual(yield* refusalOf(authentication.authenticateSession(tenant, half.token)), "Unauthenticated")
      assert.strictEqual(yield* refusalOf(login.enrol(tenant, half.token)), "NoHalfLogin")
      yield* nextStep
      const step = { half: half.token, code: yield* codeNow(seed) }
      assert.strictEqual(yield* refusalOf(login.code(other, step, browser())), "NoHalfLogin")
      const token = Redacted.value(half.token)
      const changed = token.at(-5) === "A" ? "B" : "A"
      const forged = { ...step, half: Redacted.make(token.slice(0, -5) + changed + token.slice(-4)) }
      assert.strictEqual(yield* refusalOf(login.code(tenant, forged, browser())), "NoHalfLogin")
      assert.strictEqual(yield* refusalOf(login.code(tenant, step, browser())), "in")
    }).pipe(withUseCases)
  )

  it.effect("ends the half login after five minutes and when the password changes", () =>
    Effect.gen(function* () {
      const login = yield* Login
      const tenant = yield* person(short)
      const { seed } = yield* enrolled(tenant)
      const half = yield* halfOf(tenant, short)
      yield* TestClock.adjust(Duration.minutes(5))
      const late = { half: half.token, code: yield* codeNow(seed) }
      assert.strictEqual(yield* refusalOf(login.code(tenant, late, browser())), "NoHalfLogin")
      const second = yield* halfOf(tenant, short)
      yield* Users.use((users) => users.setPassword(tenant.id, email, long, operator))
      const step = { half: second.token, code: yield* codeNow(seed) }
      assert.strictEqual(yield* refusalOf(login.code(tenant, step, browser())), "NoHalfLogin")
    }).pipe(withUseCases)
  )
})

describe("AUT-17: login with a code", () => {
  it.effect("from the day of the organization on, a login without an app only sets one up", () =>
    Effect.gen(function* () {
      const tenant = yield* person(long)
      const required = { ...tenant, timeZone: "Australia/Perth", secondFactorFrom: "1970-01-02" }
      assert.strictEqual((yield* logIn(required, long))._tag, "SignedIn")
      yield* TestClock.adjust(Duration.hours(16)) // midnight in Perth
      const half = yield* halfOf(required, long)
      assert.strictEqual(half.needs, "enrolment")
      const authentication = yield* Authentication
      assert.strictEqual(yield* refusalOf(authentication.authenticateSession(tenant, half.token)), "Unauthenticated")
      const login = yield* Login
      const { seed } = yield* login.enrol(required, half.token)
      const signedIn = yield* login.confirm(required, { half: half.token, code: yield* codeNow(seed) }, browser())
      assert.strictEqual(yield* refusalOf(callerOf(tenant, signedIn)), "in")
      assert.strictEqual((yield* halfOf(required, long)).needs, "code")
    }).pipe(withUseCases)
  )

  it.effect("accepts a code once, and exactly one of twenty concurrent uses (threat 31)", () =>
    Effect.gen(function* () {
      const login = yield* Login
      const tenant = yield* person(short)
      const { seed } = yield* enrolled(tenant)
      const half = yield* halfOf(tenant, short)
      assert.strictEqual(
        yield* refusalOf(login.code(tenant, { half: half.token, code: yield* codeNow(seed) }, browser())),
        "WrongCode",
        "the code that confirmed the enrolment is used up"
      )
      yield* nextStep
      const step = { half: half.token, code: yield* codeNow(seed) }
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => refusalOf(login.code(tenant, step, browser())),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter((outcome) => outcome === "in").length, 1)
    }).pipe(withUseCases)
  )

  it.effect("refuses codes after five wrong ones, except from a known device (threat 31)", () =>
    Effect.gen(function* () {
      const login = yield* Login
      const tenant = yield* person(short)
      const { seed, signedIn } = yield* enrolled(tenant)
      const known = browser(signedIn.device)
      const half = yield* halfOf(tenant, short)
      const wrong = yield* wrongCode(seed)
      for (let count = 0; count < 5; count++) {
        const from = browser(undefined, `198.51.100.${count}`)
        assert.strictEqual(yield* refusalOf(login.code(tenant, { half: half.token, code: wrong }, from)), "WrongCode")
      }
      yield* nextStep
      const right = { half: half.token, code: yield* codeNow(seed) }
      assert.strictEqual(yield* refusalOf(login.code(tenant, right, browser())), "RateLimited")
      assert.strictEqual(yield* refusalOf(login.code(tenant, right, known)), "in")
      yield* TestClock.adjust(Duration.hours(1))
      const later = yield* halfOf(tenant, short)
      const again = { half: later.token, code: yield* codeNow(seed) }
      assert.strictEqual(yield* refusalOf(login.code(tenant, again, browser())), "in")
    }).pipe(withUseCases)
  )

  it.effect("requires no code after an administrator's reset, which ends the sessions", () =>
    Effect.gen(function* () {
      const tenant = yield* person(short)
      const { signedIn } = yield* enrolled(tenant)
      const { session } = signedIn.session
      const factors = yield* SecondFactors
      const account = { ...(yield* accountOf(tenant)), id: session.accountId }
      assert.isTrue(yield* factors.reset(account, operator))
      assert.isFalse(yield* factors.reset(account, operator))
      assert.strictEqual(yield* refusalOf(callerOf(tenant, signedIn)), "Unauthenticated")
      assert.strictEqual((yield* halfOf(tenant, short)).needs, "enrolment")
    }).pipe(withUseCases)
  )
})

const accountOf = Effect.fnUntraced(function* (tenant: Tenant) {
  const users = yield* Users
  return (yield* users.update(tenant.id, email, {}, operator)).account
})

describe("Login under attack", () => {
  it.effect("does not lock out the user's known device after wrong passwords from ten addresses", () =>
    Effect.gen(function* () {
      const tenant = yield* person(long)
      const first = yield* logIn(tenant, long)
      if (first._tag !== "SignedIn") return assert.fail("a second step is required")
      const wrong = Redacted.make("wrong horse battery staple")
      const guesses = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) =>
        refusalOf(logIn(tenant, wrong, browser(undefined, `198.51.100.${index}`)))
      )
      assert.deepStrictEqual(
        guesses.map((outcome, index) => [index, outcome]),
        guesses.map((_, index) => [index, index < 10 ? "Unauthenticated" : "RateLimited"])
      )
      assert.strictEqual(yield* refusalOf(logIn(tenant, long)), "RateLimited", "an unknown browser has to wait")
      assert.strictEqual(yield* refusalOf(logIn(tenant, long, browser(first.device))), "in")
    }).pipe(withUseCases)
  )

  it.effect("treats another user's device, or one from before a password change, as unknown", () =>
    Effect.gen(function* () {
      const tenant = yield* person(long)
      const first = yield* logIn(tenant, long)
      if (first._tag !== "SignedIn") return assert.fail("a second step is required")
      const another = Redacted.make("another horse battery staple")
      yield* Users.use((users) => users.setPassword(tenant.id, email, another, operator))
      const wrong = Redacted.make("wrong horse battery staple")
      yield* Effect.forEach(Array.from({ length: 10 }), (_, index) =>
        refusalOf(logIn(tenant, wrong, browser(undefined, `198.51.100.${index}`)))
      )
      assert.strictEqual(yield* refusalOf(logIn(tenant, another, browser(first.device))), "RateLimited")
    }).pipe(withUseCases)
  )
})

describe("Authentication by a session", () => {
  const session = Effect.gen(function* () {
    const tenant = yield* person(long)
    const outcome = yield* logIn(tenant, long)
    if (outcome._tag !== "SignedIn") return assert.fail("a second step is required")
    return { tenant, outcome }
  })

  it.effect("ends at the idle limit, and at the absolute limit despite use", () =>
    Effect.gen(function* () {
      const { outcome, tenant } = yield* session
      const caller = refusalOf(callerOf(tenant, outcome))
      let elapsed = 0
      while (elapsed + idleLimitMillis - 1 < absoluteLimitMillis) {
        yield* TestClock.adjust(Duration.millis(idleLimitMillis - 1))
        elapsed += idleLimitMillis - 1
        assert.strictEqual(yield* caller, "in")
      }
      yield* TestClock.adjust(Duration.millis(absoluteLimitMillis - elapsed))
      assert.strictEqual(yield* caller, "Unauthenticated")
      const second = yield* logIn(tenant, long)
      if (second._tag !== "SignedIn") return assert.fail("a second step is required")
      yield* TestClock.adjust(Duration.millis(idleLimitMillis))
      assert.strictEqual(yield* refusalOf(callerOf(tenant, second)), "Unauthenticated")
    }).pipe(withUseCases)
  )

  it.effect("is refused on another tenant, as a bearer token, and after the account is deactivated", () =>
    Effect.gen(function* () {
      const { outcome, tenant } = yield* session
      const authentication = yield* Authentication
      const other = yield* newTenant("other")
      assert.strictEqual(yield* refusalOf(callerOf(tenant, outcome)), "in")
      assert.strictEqual(yield* refusalOf(callerOf(other, outcome)), "Unauthenticated")
      const asBearer = authentication.authenticate(tenant, outcome.session.token)
      assert.strictEqual(yield* refusalOf(asBearer), "Unauthenticated")
      yield* Users.use((users) => users.setActive(tenant.id, email, false, operator))
      assert.strictEqual(yield* refusalOf(callerOf(tenant, outcome)), "Unauthenticated")
    }).pipe(withUseCases)
  )

  it.effect("a personal token is refused as a session", () =>
    Effect.gen(function* () {
      const { tenant } = yield* session
      const { secret } = yield* Administration.use((admin) =>
        admin.createToken(tenant.id, email, "laptop", null, operator)
      )
      const authentication = yield* Authentication
      yield* authentication.authenticate(tenant, secret)
      assert.strictEqual(yield* refusalOf(authentication.authenticateSession(tenant, secret)), "Unauthenticated")
    }).pipe(withUseCases)
  )
})
