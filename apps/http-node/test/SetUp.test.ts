import { assert, describe, it } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import * as Administration from "@wcs/domain/access/Administration"
import { operator } from "@wcs/domain/access/Operator"
import * as SetUp from "@wcs/domain/login/SetUp"
import * as Id from "@wcs/domain/shared/Id"
import * as Rules from "@wcs/domain/shared/Rules"
import { UserStore } from "@wcs/domain/user/UserStore"
import * as Digest from "@wcs/keys/Digest"
import * as Passwords from "@wcs/keys/Passwords"
import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"

const administration = Administration.layer.pipe(
  Layer.provideMerge(StoreMemory.layer),
  Layer.provideMerge(Id.layer),
  Layer.provideMerge(Passwords.layer),
  Layer.provideMerge(Layer.mergeAll(Digest.layer, Rules.layer, SecureRandom.layerWebCrypto))
)

const newTenant = Effect.gen(function* () {
  const { createTenant } = yield* Administration.Administration
  return yield* createTenant("default", ["localhost"], yield* operator)
})

/** A set-up on an empty store, with its token. */
const offered = Effect.gen(function* () {
  const tenant = yield* newTenant
  const setUp = yield* SetUp.make(tenant)
  return { setUp, tenant, token: Redacted.value(Option.getOrThrow(setUp.token)) }
})

const onEmptyStore =
  <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof administration>>) =>
  () =>
    Effect.provide(body, administration, { local: true })

/** A store that yields to other fibers after each check for existing tokens. */
const contended = Effect.map(AccessStore, (store) =>
  AccessStore.of({
    ...store,
    listPersonalTokens: (tenantId) => Effect.tap(store.listPersonalTokens(tenantId), () => Effect.yieldNow)
  })
)

const isOver = (error: { readonly _tag: string }) => assert.strictEqual(error._tag, "NoSetUp")

describe("SetUp (threat 33)", () => {
  it.effect(
    "creates one Super Admin by its token, and returns the personal token once",
    onEmptyStore(
      Effect.gen(function* () {
        const { setUp, token } = yield* offered
        yield* setUp.check(token)
        const secret = Redacted.value(yield* setUp.claim(token, "Ann@Example.com"))
        const owned = yield* AccessStore.use((store) => store.findPersonalToken(Digest.make.sha256(secret)))
        assert.deepStrictEqual(
          Option.map(owned, ({ account }) => [account.email, account.role]),
          Option.some(["ann@example.com", "Super Admin"])
        )
        isOver(yield* Effect.flip(setUp.check(token)))
        isOver(yield* Effect.flip(setUp.claim(token, "eve@example.com")))
      })
    )
  )

  it.effect(
    "refuses every other token, however similar",
    onEmptyStore(
      Effect.gen(function* () {
        const { setUp, token, tenant } = yield* offered
        const last = token.endsWith("0") ? "1" : "0"
        for (const wrong of ["", "0", token.slice(1), `${token}0`, token.slice(0, -1) + last, token.toUpperCase()]) {
          isOver(yield* Effect.flip(setUp.check(wrong)))
          isOver(yield* Effect.flip(setUp.claim(wrong, "eve@example.com")))
        }
        assert.deepStrictEqual(yield* AccessStore.use((store) => store.listPersonalTokens(tenant.id)), [])
        yield* setUp.check(token)
      })
    )
  )

  it.effect(
    "lets one of many concurrent claims create the admin",
    onEmptyStore(
      Effect.gen(function* () {
        const { setUp, tenant, token } = yield* Effect.provideServiceEffect(offered, AccessStore, contended)
        const claims = yield* Effect.all(
          Array.from({ length: 20 }, (_, index) => Effect.exit(setUp.claim(token, `admin${index}@example.com`))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(claims.filter(Exit.isSuccess), 1)
        assert.lengthOf(yield* AccessStore.use((store) => store.listPersonalTokens(tenant.id)), 1)
      })
    )
  )

  it.effect(
    "lets one of many concurrent claims with a password create the admin, and no token opens the set-up again",
    onEmptyStore(
      Effect.gen(function* () {
        const { setUp, tenant, token } = yield* offered
        const password = Redacted.make("correct horse battery staple")
        const short = yield* Effect.flip(setUp.claimLogin(token, "ann@example.com", Redacted.make("short")))
        assert.strictEqual(short._tag, "InvalidArgument")
        const claims = yield* Effect.all(
          Array.from({ length: 5 }, (_, index) =>
            Effect.exit(setUp.claimLogin(token, `admin${index}@example.com`, password))
          ),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(claims.filter(Exit.isSuccess), 1)
        const [user, another] = yield* UserStore.use((store) => store.list(tenant.id, 0, 10))
        assert.strictEqual(user?.account.role, "Super Admin")
        assert.isUndefined(another)
        isOver(yield* Effect.flip(setUp.check(token)))
        isOver(yield* Effect.flip(setUp.claim(token, "eve@example.com")))
        assert.isTrue(Option.isNone((yield* SetUp.make(tenant)).token))
      })
    )
  )

  it.effect(
    "expires after 30 minutes",
    onEmptyStore(
      Effect.gen(function* () {
        const { setUp, token } = yield* offered
        yield* TestClock.adjust(SetUp.lifetimeMillis - 1)
        yield* setUp.check(token)
        yield* TestClock.adjust(1)
        isOver(yield* Effect.flip(setUp.check(token)))
        isOver(yield* Effect.flip(setUp.claim(token, "ann@example.com")))
      })
    )
  )

  it.effect(
    "reports a bad email, and keeps the token valid",
    onEmptyStore(
      Effect.gen(function* () {
        const { setUp, token } = yield* offered
        assert.strictEqual((yield* Effect.flip(setUp.claim(token, "nobody")))._tag, "InvalidArgument")
        yield* setUp.claim(token, "ann@example.com")
      })
    )
  )

  it.effect(
    "ends when a client or token is created in another way, in any tenant, revoked or not",
    onEmptyStore(
      Effect.gen(function* () {
        const { createClient, createTenant, revokeClient } = yield* Administration.Administration
        const { setUp, tenant, token } = yield* offered
        const actor = yield* operator
        const other = yield* createTenant("other", ["other.example"], actor)
        yield* setUp.check(token)
        const { client } = yield* createClient(other.id, "first", actor)
        isOver(yield* Effect.flip(setUp.check(token)))
        yield* revokeClient(other.id, client.clientId, actor)
        isOver(yield* Effect.flip(setUp.claim(token, "ann@example.com")))
        // The next start offers none.
        assert.isTrue(Option.isNone((yield* SetUp.make(tenant)).token))
      })
    )
  )
})
