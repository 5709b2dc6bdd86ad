import { assert, describe, it } from "@effect/vitest"
import type { LegacyCallerOf } from "@wcs/domain/legacy/LegacyAuthentication"
import { Administration } from "@wcs/domain/token/Administration"
import { TokenExchange } from "@wcs/domain/token/TokenExchange"
import type { GrantedLegacyToken } from "@wcs/domain/user/LegacyTokenGrant"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Users } from "@wcs/domain/user/Users"
import { Clock, Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { operator, tenant } from "./Deployment.ts"
import { isLegacy, isNewer, issueTo, login, putUser, told, withLegacy } from "./LegacyDeployment.ts"

const email = "ann@example.org"
const day = 24 * 3600 * 1000

const steps = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: "issue" } as const) },
  { weight: 1, arbitrary: fc.constant({ do: "issue to who logged in before" } as const) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("revoke" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constantFrom(...(["end all", "set password"] as const)).map((each) => ({ do: each })) },
  { weight: 2, arbitrary: fc.constantFrom(...(["deactivate", "activate"] as const)).map((each) => ({ do: each })) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), millis: fc.constantFrom(1, 999, day, 9 * day) })
  },
  /** Waits until the last millisecond of a token's validity, or until the first one after it. */
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("near the end" as const), which: fc.nat(20), after: fc.boolean() })
  }
)
type Step = typeof steps extends fc.Arbitrary<infer One> ? One : never

/** The model's state of a token. */
interface Held {
  readonly issued: GrantedLegacyToken
  readonly id: string
  /** Unix milliseconds: 30 days after the second in which it was issued. */
  readonly endsAt: number
  ended: boolean
}

/** The model: a user with passwords and tokens. */
const makeModel = () => ({ isActive: true, wasDeactivated: false, passwords: 1, tokens: Array.of<Held>() })

const pick = (tokens: ReadonlyArray<Held>, which: number): Held | undefined => tokens[which % tokens.length]

/** Runs the steps. After each, compares the accepted tokens with the model. */
const walk = Effect.fnUntraced(function* (taken: ReadonlyArray<Step>) {
  const [{ id: tenantId }, users, admin] = [yield* tenant("acme"), yield* Users, yield* Administration]
  const store = yield* UserStore
  const { account } = yield* putUser(tenantId, email)
  const { secret: personal } = yield* admin.createToken(tenantId, email, "ci", null, operator)
  const model = makeModel()
  const endAll = () => {
    for (const token of model.tokens) token.ended = true
  }
  let before: { readonly caller: LegacyCallerOf; readonly passwords: number } | undefined
  let password = "correct horse"

  const issue = Effect.fnUntraced(function* (caller: LegacyCallerOf) {
    const now = yield* Clock.currentTimeMillis
    const issued = yield* issueTo(caller)
    const [{ id } = { id: "" }] = (yield* store.listLegacyTokens(tenantId, account.id, "", 100)).filter(
      (token) => !model.tokens.some((known) => known.id === token.id)
    )
    model.tokens.push({ issued, id, endsAt: (Math.floor(now / 1000) + 30 * 24 * 3600) * 1000, ended: false })
  })

  const take = Effect.fnUntraced(function* (step: Step) {
    switch (step.do) {
      case "issue":
        if (!model.isActive) {
          assert.strictEqual(yield* told(tenantId, email, password), "Unauthenticated")
          return yield* TestClock.adjust(60_000) // more attempts in the window would lock the name
        }
        before = { caller: yield* login(tenantId, email, password), passwords: model.passwords }
        return yield* issue(before.caller)
      case "issue to who logged in before": {
        if (before === undefined) return
        const { caller, passwords } = before
        if (model.isActive && passwords === model.passwords) return yield* issue(caller)
        return assert.strictEqual((yield* Effect.flip(issueTo(caller)))._tag, "Unauthenticated")
      }
      case "revoke": {
        const token = pick(model.tokens, step.which)
        if (token === undefined) return
        token.ended = true
        // An expired token may have been deleted.
        return yield* Effect.ignore(users.revokeToken(tenantId, token.id, operator))
      }
      case "end all":
        endAll()
        return yield* users.endTokens(tenantId, email, operator)
      case "set password":
        endAll()
        model.passwords++
        password = `password ${model.passwords}`
        return yield* users.setPassword(tenantId, email, Redacted.make(password), operator)
      case "deactivate":
      case "activate":
        model.isActive = step.do === "activate"
        if (!model.isActive) {
          endAll()
          model.wasDeactivated = true
        }
        return yield* users.setActive(tenantId, email, model.isActive, operator)
      case "wait":
        return yield* TestClock.adjust(step.millis)
      case "near the end": {
        const end = (pick(model.tokens, step.which)?.endsAt ?? 0) - (step.after ? 0 : 1)
        if (end > (yield* Clock.currentTimeMillis)) yield* TestClock.setTime(end)
      }
    }
  })

  for (const step of taken) {
    yield* take(step)
    const now = yield* Clock.currentTimeMillis
    for (const { ended, endsAt, issued } of model.tokens) {
      const expected = model.isActive && !ended && now < endsAt
      assert.strictEqual(yield* isLegacy(tenantId, issued.token), expected, JSON.stringify(step))
      assert.isFalse(yield* isNewer(tenantId, issued.token), "a legacy token on the newer surface")
    }
    assert.strictEqual(yield* isNewer(tenantId, personal), !model.wasDeactivated, "a personal token")
    assert.isFalse(yield* isLegacy(tenantId, personal), "a personal token on the legacy surface")
  }
})

describe("legacy tokens", () => {
  it.effect(
    "LEG-16, LEG-17, LEG-19, LEG-31: tokens are accepted exactly when a plain model accepts them, and never elsewhere",
    () =>
      Effect.flatMap(Effect.context<never>(), (context) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 25 }), (taken) =>
              Effect.runPromiseWith(context)(Effect.scoped(withLegacy(walk(taken))))
            )
          )
        )
      ),
    60_000
  )

  it.effect("threat 6: the legacy surface refuses an access token", () =>
    Effect.gen(function* () {
      const { id: tenantId } = yield* tenant("acme")
      const { client, secret } = yield* Administration.use((admin) => admin.createClient(tenantId, "ci", operator))
      const { accessToken } = yield* TokenExchange.use(({ exchange }) =>
        exchange({
          tenantId,
          issuer: "wcs",
          address: "192.0.2.1",
          grantType: "client_credentials",
          client: Option.some({ clientId: client.clientId, clientSecret: secret }),
          viaBasic: false
        })
      )
      assert.isTrue(yield* isNewer(tenantId, accessToken))
      assert.isFalse(yield* isLegacy(tenantId, accessToken))
    }).pipe(withLegacy)
  )
})
