import { assert, describe, it } from "@effect/vitest"
import * as SetUp from "@wcs/domain/login/SetUp"
import * as Rules from "@wcs/domain/service/Rules"
import * as Id from "@wcs/domain/shared/Id"
import * as Administration from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { UserStore } from "@wcs/domain/user/UserStore"
import * as Digest from "@wcs/keys/Digest"
import * as Passwords from "@wcs/keys/Passwords"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const administration = Administration.layer.pipe(
  Layer.provideMerge(StoreSqlite.layerMemory),
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

const onEmptyStore = <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof administration>>) =>
  Effect.provide(body, administration, { local: true })

const isOver = (error: { readonly _tag: string }) => assert.strictEqual(error._tag, "NoSetUp")

describe("SetUp (threat 33)", () => {
  it.effect(
    "lets one of many concurrent claims with a password create the admin, and no token opens the set-up again",
    () =>
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
      }).pipe(onEmptyStore)
  )

  it.effect("reports a bad email, and keeps the token valid", () =>
    Effect.gen(function* () {
      const { setUp, token } = yield* offered
      assert.strictEqual((yield* Effect.flip(setUp.claim(token, "nobody")))._tag, "InvalidArgument")
      yield* setUp.claim(token, "ann@example.com")
    }).pipe(onEmptyStore)
  )
})
