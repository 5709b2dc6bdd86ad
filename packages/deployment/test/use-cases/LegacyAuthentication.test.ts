import { assert, describe, it } from "@effect/vitest"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { LegacyAuthentication, LegacyCaller, make } from "@wcs/domain/legacy/LegacyAuthentication"
import * as PasswordCheck from "@wcs/domain/login/PasswordCheck"
import { Administration } from "@wcs/domain/token/Administration"
import { Passwords } from "@wcs/domain/user/Passwords"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Users } from "@wcs/domain/user/Users"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import {
  Asked,
  auditOf,
  callersTenant,
  issueTo,
  login,
  operator,
  password,
  putUser,
  tenant,
  told,
  withUseCases
} from "./UseCases.ts"

const comparisons = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { compared } = yield* Asked
  const before = compared.length
  return { answer: yield* effect, hashes: compared.slice(before) }
})

describe("LegacyAuthentication.basic", () => {
  it.effect(
    "threat 8: unknown, passwordless, wrong and deactivated logins cost one comparison each and answer alike",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* tenant("acme")
        const users = yield* Users
        const ann = yield* putUser(tenantId, "ann@example.org")
        const leaver = yield* putUser(tenantId, "leaver@example.org")
        yield* users.setActive(tenantId, "leaver@example.org", false, operator)
        yield* Administration.use((admin) => admin.createUser(tenantId, "new@example.org", "Viewer", operator))
        const rows = [
          ["nobody@example.org", password, null],
          ["no address", password, null],
          ["nul\0@example.org", password, null],
          ["new@example.org", password, null],
          ["new@example.org", "", null],
          ["ann@example.org", "wrong", ann.passwordHash],
          ["ann@example.org", "", ann.passwordHash],
          ["ann@example.org", password.padEnd(1025), ann.passwordHash],
          ["leaver@example.org", password, leaver.passwordHash]
        ] as const
        const answers: Array<unknown> = []
        for (const [username, given, hash] of rows) {
          const { answer, hashes } = yield* comparisons(Effect.flip(login(tenantId, username, given)))
          assert.deepStrictEqual(hashes, [hash], username)
          answers.push({ ...answer })
        }
        assert.deepStrictEqual(
          answers,
          rows.map(() => ({ _tag: "Unauthenticated" }))
        )
        assert.strictEqual(yield* told(tenantId, "ann@example.org"), "in")
      }).pipe(withUseCases)
  )
})

describe("LegacyAuthentication.basic: limits on failures", () => {
  /** Fails this many logins, one after the other. */
  const fail = Effect.fnUntraced(function* <R>(
    times: number,
    guess: (index: number) => Effect.Effect<string, never, R>
  ) {
    for (let index = 0; index < times; index++) assert.strictEqual(yield* guess(index), "Unauthenticated")
  })
  const limits = [
    {
      name: "300 from one address, for any user names",
      limit: 300,
      guess: (tenantId: string) => (index: number) => told(tenantId, `user${index}@example.org`, "wrong"),
      another: (tenantId: string) => told(tenantId, "ann@example.org", password, "192.0.2.2")
    },
    {
      name: "10 for one user name, in any letter case and from any address",
      limit: 10,
      guess: (tenantId: string) => (index: number) =>
        told(tenantId, index % 2 === 0 ? "ann@example.org" : " ANN@Example.org", "wrong", `192.0.2.1${index}`),
      another: (tenantId: string) => told(tenantId, "bob@example.org")
    }
  ]

  it.effect.each(limits)(
    "LEG-18, threat 8: after $name, the right password is refused too until the minute ends",
    ({ another, guess, limit }) =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* tenant("acme")
        yield* putUser(tenantId, "ann@example.org")
        yield* putUser(tenantId, "bob@example.org")
        const right = told(tenantId, "ann@example.org", password, "192.0.2.1")
        yield* TestClock.setTime(1_000_000)
        yield* fail(limit - 1, guess(tenantId))
        assert.strictEqual(yield* right, "in", "one failure is left")
        yield* TestClock.setTime(1_030_000)
        yield* fail(1, guess(tenantId))
        assert.strictEqual(yield* right, "RateLimited")
        assert.strictEqual(yield* another(tenantId), "in")
        yield* TestClock.setTime(1_059_999)
        const { answer, hashes } = yield* comparisons(Effect.flip(login(tenantId, "ann@example.org")))
        assert.deepStrictEqual(hashes, [], "nothing is compared")
        assert.deepStrictEqual(answer._tag === "RateLimited" ? answer.quota : answer, {
          limit,
          remaining: 0,
          resetSeconds: 1,
          exceeded: true
        })
        yield* TestClock.setTime(1_060_000)
        assert.strictEqual(yield* right, "in")
        yield* fail(limit, guess(tenantId))
        assert.strictEqual(yield* right, "RateLimited", "a window begins with its first failure")
      }).pipe(withUseCases)
  )

  it.effect("does not count one tenant's user name against another's", () =>
    Effect.gen(function* () {
      const [acme, other] = [yield* tenant("acme"), yield* tenant("other")]
      yield* putUser(other.id, "ann@example.org")
      yield* fail(10, (index) => told(acme.id, "ann@example.org", "wrong", `192.0.2.1${index}`))
      assert.strictEqual(yield* told(acme.id, "ann@example.org"), "RateLimited")
      assert.strictEqual(yield* told(other.id, "ann@example.org"), "in")
    }).pipe(withUseCases)
  )

  for (const place of [0, 5, 10, 50, 99]) {
    it.effect(`100 concurrent guesses, the right one ${place}: no more are reported wrong than in sequence`, () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* tenant("acme")
        yield* putUser(tenantId, "ann@example.org")
        const { answer, hashes } = yield* comparisons(
          Effect.forEach(
            Array.from({ length: 100 }, (_, index) => index),
            (index) =>
              told(tenantId, "ann@example.org", index === place ? password : `guess ${index}`, `192.0.2.${index}`),
            { concurrency: "unbounded" }
          )
        )
        assert.isAbove(hashes.length, 10, "they were in flight together")
        const count = (tag: string) => answer.filter((each) => each === tag).length
        assert.strictEqual(count("Unauthenticated"), 10)
        assert.strictEqual(answer[place], place <= 10 && answer[place] === "in" ? "in" : "RateLimited")
        assert.strictEqual(yield* told(tenantId, "ann@example.org", password, "198.51.100.1"), "RateLimited")
      }).pipe(withUseCases)
    )
  }

  it.effect("counts an interrupted login as a failure, because its work was done", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      yield* putUser(tenantId, "ann@example.org")
      const passwords = yield* Passwords
      const endless = Passwords.of({ ...passwords, verify: () => Effect.never })
      const { basic } = yield* Effect.provideService(make, Passwords, endless)
      for (let index = 0; index < 300; index++) {
        const login = { username: `user${index}@example.org`, password: Redacted.make("x"), address: "192.0.2.1" }
        yield* Fiber.interrupt(
          yield* Effect.forkChild(basic(callersTenant(tenantId), login), { startImmediately: true })
        )
      }
      assert.strictEqual(yield* told(tenantId, "ann@example.org", password, "192.0.2.1"), "RateLimited")
      assert.strictEqual(yield* told(tenantId, "ann@example.org", password, "192.0.2.2"), "in")
    }).pipe(withUseCases)
  )

  it.effect("limits right passwords too: above 600 a minute for one user, no password is compared", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      yield* putUser(tenantId, "ann@example.org")
      yield* putUser(tenantId, "bob@example.org")
      for (let index = 0; index < 600; index++) {
        assert.strictEqual(yield* told(tenantId, "ann@example.org", password, `192.0.2.${index % 250}`), "in")
      }
      const { answer, hashes } = yield* comparisons(told(tenantId, " ANN@example.org"))
      assert.strictEqual(answer, "RateLimited")
      assert.deepStrictEqual(hashes, [])
      assert.strictEqual(yield* told(tenantId, "bob@example.org"), "in")
      yield* TestClock.adjust(60_000)
      assert.strictEqual(yield* told(tenantId, "ann@example.org"), "in")
    }).pipe(withUseCases)
  )

  it.effect(
    "a failure that finds the limit used up by concurrent ones does not disclose whether the password was right",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* tenant("acme")
        const limiter = yield* RateLimiter
        // Simulates a limiter behind a network: its answer is outdated on arrival.
        const late = RateLimiter.of({
          ...limiter,
          peek: (tier, key) => Effect.map(limiter.peek(tier, key), (quota) => ({ ...quota, exceeded: false }))
        })
        const { check } = yield* Effect.provideService(PasswordCheck.make, RateLimiter, late)
        const guess = {
          username: "ann@example.org",
          password: Redacted.make("wrong"),
          address: "192.0.2.1",
          knownDevice: null
        }
        const refused = Effect.match(check(tenantId, guess), { onFailure: ({ _tag }) => _tag, onSuccess: () => "in" })
        yield* fail(10, () => refused)
        assert.strictEqual(yield* refused, "RateLimited")
      }).pipe(withUseCases)
  )
})

describe("LegacyAuthentication.issue", () => {
  const issue = (number: string) => LegacyAuthentication.use((them) => them.issue(number))

  it.effect(
    "issues only for the caller's own number: another user's, an unknown one and other spellings are refused alike",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* tenant("acme")
        const [ann, bob] = [yield* putUser(tenantId, "ann@example.org"), yield* putUser(tenantId, "bob@example.org")]
        const caller = yield* login(tenantId, "ann@example.org")
        const before = yield* auditOf(tenantId)
        const own = String(ann.number)
        for (const number of [String(bob.number), "0", "999999", `0${own}`, ` ${own}`, `${own}.0`, "me", ""]) {
          const refused = yield* Effect.flip(Effect.provideService(issue(number), LegacyCaller, caller))
          assert.strictEqual(refused._tag, "NoSuchUser", number)
        }
        assert.deepStrictEqual(yield* auditOf(tenantId), before)
        yield* issueTo(caller)
      }).pipe(withUseCases)
  )

  it.effect("issues 60 tokens a minute to a user, independent of other users", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      yield* putUser(tenantId, "ann@example.org")
      yield* putUser(tenantId, "bob@example.org")
      const caller = yield* login(tenantId, "ann@example.org")
      for (let count = 0; count < 60; count++) yield* issueTo(caller)
      assert.strictEqual((yield* Effect.flip(issueTo(caller)))._tag, "RateLimited")
      yield* issueTo(yield* login(tenantId, "bob@example.org"))
      yield* TestClock.adjust(60_000)
      yield* issueTo(caller)
    }).pipe(withUseCases)
  )
})

describe("LegacyAuthentication.issue, while the user is deactivated", () => {
  it.effect("issues no token that would become valid again when the user is reactivated", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const users = yield* Users
      const store = yield* UserStore
      yield* putUser(tenantId, "ann@example.org")
      const caller = yield* login(tenantId, "ann@example.org")
      // Deactivates the user a millisecond after the token's time of issue, before the token is stored.
      const late = UserStore.of({
        ...store,
        insertLegacyToken: (...given) =>
          TestClock.adjust(1).pipe(
            Effect.andThen(Effect.orDie(users.setActive(tenantId, "ann@example.org", false, operator))),
            Effect.andThen(store.insertLegacyToken(...given))
          )
      })
      const { issue } = yield* Effect.provideService(make, UserStore, late)
      const issued = Effect.provideService(issue(String(caller.user.number)), LegacyCaller, caller)
      assert.strictEqual((yield* Effect.flip(issued))._tag, "Unauthenticated")
    }).pipe(withUseCases)
  )
})
