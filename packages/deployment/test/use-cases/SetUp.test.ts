import { assert, describe, it } from "@effect/vitest"
import * as SetUp from "@wcs/domain/login/SetUp"
import { Administration } from "@wcs/domain/token/Administration"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Exit, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { tenant as newTenant, operator, withUseCases } from "./UseCases.ts"

const password = Redacted.make("correct horse battery staple")

/** A set-up on an empty store, with its token. */
const offered = Effect.gen(function* () {
  const tenant = yield* newTenant("first")
  const setUp = yield* SetUp.make(tenant)
  return { setUp, tenant, token: Redacted.value(Option.getOrThrow(setUp.token)) }
})

const refusalOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const usersOf = (tenantId: string) => UserStore.use((store) => store.list(tenantId, 0, 10))

describe("SetUp (threat 33)", () => {
  it.effect.each(["claim", "claimLogin"] as const)(
    "lets one of many concurrent calls of %s create the admin, and no token opens the set-up again",
    (way) =>
      Effect.gen(function* () {
        const { setUp, tenant, token } = yield* offered
        yield* setUp.check(token)
        const claims = Array.from({ length: 20 }, (_, index) => {
          const email = `admin${index}@example.com`
          return Effect.exit(way === "claim" ? setUp.claim(token, email) : setUp.claimLogin(token, email, password))
        })
        assert.lengthOf((yield* Effect.all(claims, { concurrency: "unbounded" })).filter(Exit.isSuccess), 1)
        assert.deepStrictEqual(
          (yield* usersOf(tenant.id)).map(({ account }) => account.role),
          ["Super Admin"]
        )
        assert.strictEqual(yield* refusalOf(setUp.check(token)), "NoSetUp")
        assert.strictEqual(yield* refusalOf(setUp.claim(token, "eve@example.com")), "NoSetUp")
        assert.isTrue(Option.isNone((yield* SetUp.make(tenant)).token))
      }).pipe(withUseCases)
  )

  it.effect("refuses a bad email or password, and a wrong or late token, and creates nothing", () =>
    Effect.gen(function* () {
      const { setUp, tenant, token } = yield* offered
      const short = setUp.claimLogin(token, "ann@example.com", Redacted.make("short"))
      for (const bad of [setUp.claim(token, "nobody"), setUp.claimLogin(token, "nobody", password), short]) {
        assert.strictEqual(yield* refusalOf(Effect.asVoid(bad)), "InvalidArgument")
      }
      for (const wrong of ["", "s", `${token}s`, token.slice(1)]) {
        assert.strictEqual(yield* refusalOf(setUp.claim(wrong, "eve@example.com")), "NoSetUp")
      }
      yield* TestClock.adjust(30 * 60_000 - 1)
      yield* setUp.check(token)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* refusalOf(setUp.check(token)), "NoSetUp")
      assert.strictEqual(yield* refusalOf(setUp.claim(token, "ann@example.com")), "NoSetUp")
      assert.deepStrictEqual(yield* usersOf(tenant.id), [])
    }).pipe(withUseCases)
  )

  it.effect.each([
    ["client", "first"],
    ["client", "second"],
    ["token", "first"],
    ["token", "second"]
  ] as const)("ends for all tenants once a %s was issued in the %s, though it was revoked", ([what, where]) =>
    Effect.gen(function* () {
      const { setUp, tenant: first, token } = yield* offered
      const admin = yield* Administration
      const second = yield* newTenant("second")
      const { id } = where === "first" ? first : second
      if (what === "client") {
        const { client } = yield* admin.createClient(id, "first", operator)
        yield* admin.revokeClient(id, client.clientId, operator)
      } else {
        yield* admin.createUser(id, "ann@example.com", "Viewer", operator)
        yield* setUp.check(token)
        const issued = yield* admin.createToken(id, "ann@example.com", "first", null, operator)
        yield* admin.revokeToken(id, issued.token.id, operator)
      }
      assert.strictEqual(yield* refusalOf(setUp.check(token)), "NoSetUp")
      assert.isTrue(Option.isNone((yield* SetUp.make(first)).token))
    }).pipe(withUseCases)
  )
})
