import { assert, describe, it } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { isInTime, isUnclaimed, lifetimeMillis, make } from "@wcs/domain/login/SetUp"
import { Digest } from "@wcs/domain/shared/Digest"
import { Ids } from "@wcs/domain/shared/Id"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import { Passwords } from "@wcs/domain/user/Passwords"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const tenants: ReadonlyArray<Tenant> = [
  { id: "tnt_1", name: "first", timeZone: "UTC", hosts: ["first.example"] },
  { id: "tnt_2", name: "second", timeZone: "UTC", hosts: ["second.example"] }
]

const client = (tenantId: string, revokedAt: number | null): OAuthClient => ({
  clientId: "wcs_oauth_1",
  tenantId,
  name: "first",
  secretHash: "hash",
  secretLastFour: "abcd",
  createdAt: 0,
  createdBy: null,
  expiresAt: null,
  revokedAt
})

const personalToken = (tenantId: string, revokedAt: number | null): PersonalToken => ({
  id: "pat_1",
  tenantId,
  accountId: "acc_1",
  name: "first",
  tokenHash: "hash",
  lastFour: "abcd",
  createdAt: 0,
  createdBy: null,
  expiresAt: null,
  revokedAt,
  lastUsedAt: null
})

/** Two tenants with their credentials and users. Reading them yields to other fibers. */
const world = () => {
  const given: { clients: Array<OAuthClient>; tokens: Array<PersonalToken>; users: Array<Account> } = {
    clients: [],
    tokens: [],
    users: []
  }
  const store = Layer.mock(AccessStore, {
    listTenants: Effect.succeed(tenants),
    listSigningKeys: Effect.succeed([]),
    epoch: () => 1,
    listClients: (id) => Effect.sync(() => given.clients.filter(({ tenantId }) => tenantId === id)),
    listPersonalTokens: (id) =>
      Effect.as(
        Effect.yieldNow,
        given.tokens.filter(({ tenantId }) => tenantId === id)
      )
  })
  const administration = Layer.mock(Administration, {
    createUser: (tenantId, email, role) =>
      Effect.sync(() => {
        const user: Account = {
          id: "acc_1",
          tenantId,
          kind: "user",
          email,
          role,
          rateLimit: null,
          deactivatedAt: null,
          createdAt: 0
        }
        given.users.push(user)
        return user
      }),
    createToken: (tenantId) =>
      Effect.sync(() => {
        const token = personalToken(tenantId, null)
        given.tokens.push(token)
        return { token, secret: Redacted.make("a personal token") }
      })
  })
  const ids = Layer.mock(Ids, {
    secret: (length) => Effect.succeed("s".repeat(length)),
    source: () => () => "an id",
    ulid: Effect.succeed("a ulid"),
    ulidAt: () => "a ulid"
  })
  const digest = Layer.succeed(Digest, { sha256: (text) => `hash of ${text}`, equals: (one, two) => one === two })
  const users = Layer.mock(UserStore, { list: () => Effect.succeed([]) })
  const passwords = Layer.mock(Passwords, {})
  const [tenant] = tenants
  const offered = tenant === undefined ? Effect.die("no tenant") : make(tenant)
  return {
    given,
    offered: Effect.provide(offered, Layer.mergeAll(store, administration, ids, digest, users, passwords))
  }
}

const tokenOf = ({ token }: { readonly token: Option.Option<Redacted.Redacted> }) =>
  Redacted.value(Option.getOrThrow(token))

const refusalOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("SetUp (threat 33)", () => {
  it("lasts 30 minutes to the millisecond", () => {
    assert.strictEqual(lifetimeMillis, 1_800_000)
    for (const offeredAt of [0, 1_700_000_000_000]) {
      assert.isTrue(isInTime(offeredAt, offeredAt))
      assert.isTrue(isInTime(offeredAt, offeredAt + 1_799_999))
      assert.isFalse(isInTime(offeredAt, offeredAt + 1_800_000))
    }
  })

  it("is open only if no credential was ever issued in the deployment, revoked or not", () => {
    assert.isTrue(isUnclaimed([], [], [{ passwordHash: null }]))
    assert.isFalse(isUnclaimed([], [], [{ passwordHash: null }, { passwordHash: "hash" }]))
    for (const revokedAt of [null, 1]) {
      assert.isFalse(isUnclaimed([client("tnt_1", revokedAt)], [], []))
      assert.isFalse(isUnclaimed([], [personalToken("tnt_1", revokedAt)], []))
    }
  })

  it.effect("creates one Super Admin for its token, and ends", () =>
    Effect.gen(function* () {
      const { given, offered } = world()
      const setUp = yield* offered
      const token = tokenOf(setUp)
      assert.lengthOf(token, 43)
      yield* setUp.check(token)
      assert.strictEqual(Redacted.value(yield* setUp.claim(token, "ann@example.com")), "a personal token")
      assert.deepStrictEqual(
        given.users.map(({ email, role, tenantId }) => [email, role, tenantId]),
        [["ann@example.com", "Super Admin", "tnt_1"]]
      )
      assert.strictEqual(yield* refusalOf(setUp.check(token)), "NoSetUp")
      assert.strictEqual(yield* refusalOf(setUp.claim(token, "eve@example.com")), "NoSetUp")
    })
  )

  it.effect("accepts one of several concurrent claims", () =>
    Effect.gen(function* () {
      const { given, offered } = world()
      const setUp = yield* offered
      const claims = Array.from({ length: 20 }, (_, index) =>
        Effect.exit(setUp.claim(tokenOf(setUp), `${index}@example.com`))
      )
      const ended = yield* Effect.all(claims, { concurrency: "unbounded" })
      assert.lengthOf(ended.filter(Exit.isSuccess), 1)
      assert.lengthOf(given.users, 1)
    })
  )

  it.effect("refuses a wrong or late token, and creates nothing", () =>
    Effect.gen(function* () {
      const { given, offered } = world()
      const setUp = yield* offered
      const token = tokenOf(setUp)
      for (const wrong of ["", "s", `${token}s`, token.slice(1)]) {
        assert.strictEqual(yield* refusalOf(setUp.claim(wrong, "eve@example.com")), "NoSetUp")
      }
      yield* TestClock.adjust(lifetimeMillis - 1)
      yield* setUp.check(token)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* refusalOf(setUp.check(token)), "NoSetUp")
      assert.strictEqual(yield* refusalOf(setUp.claim(token, "ann@example.com")), "NoSetUp")
      assert.lengthOf(given.users, 0)
    })
  )

  it.effect("ends for all tenants once a credential was issued in any tenant", () =>
    Effect.gen(function* () {
      for (const { id } of tenants) {
        for (const give of ["client", "token"] as const) {
          const { given, offered } = world()
          const setUp = yield* offered
          yield* setUp.check(tokenOf(setUp))
          if (give === "client") given.clients.push(client(id, 1))
          else given.tokens.push(personalToken(id, 1))
          assert.strictEqual(yield* refusalOf(setUp.check(tokenOf(setUp))), "NoSetUp")
          assert.isTrue(Option.isNone((yield* offered).token))
        }
      }
    })
  )
})
