import { assert, describe, it } from "@effect/vitest"
import { limitsOf } from "@wcs/conformance/profile/Limits"
import type { Profile } from "@wcs/conformance/profile/Profile"
import * as Bearers from "@wcs/conformance/wire/Bearers"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import * as Sending from "@wcs/conformance/wire/Sending"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { answer, inTime, profile as invented } from "../Invented.ts"

const client = (id: string) => ({ clientId: id, clientSecret: "${CLIENT}" })

const profile: Profile = {
  ...invented,
  secondTenant: { tenantBaseUrl: "https://two.example", admin: { oauth: client("there") } },
  principals: {
    admin: { oauth: client("${ID}") },
    secondClient: client("second"),
    personalToken: "${OWN}",
    expiredToken: "${CUT}",
    limited: [{ token: "${OWN}", privileges: {} }]
  }
}
const secrets = new Map([
  ["${CLIENT}", Redacted.make("a secret & more")],
  ["${ID}", Redacted.make("here")],
  ["${OWN}", Redacted.make("the-own-token")],
  ["${CUT}", Redacted.make("a token\nwith a line end")]
])

/** Bearers over a token endpoint that gives `t1`, `t2` and so on, or what else is asked of it. */
const over = Effect.fnUntraced(function* (more: (token: string) => Answer, requests = 100) {
  const asked: Array<{ readonly url: string; readonly body: string }> = []
  const learnt: Array<string> = []
  const wire = Wire.of({
    send: ({ body, url }) =>
      Effect.sync(() => {
        asked.push({ url, body })
        return more(`t${asked.length}`)
      })
  })
  const limits = limitsOf({ ...profile, run: { requests } })
  const send = yield* Effect.provideService(
    Sending.make(limits, () => Effect.void),
    Wire,
    wire
  )
  const bearer = yield* Bearers.make(profile, secrets, send, (principal, token) =>
    Effect.sync(() => void learnt.push(`${principal} ${token}`))
  )
  return { asked, bearer, learnt }
})

const living = (seconds?: number) => (token: string) =>
  answer(200, { access_token: token, ...(seconds === undefined ? {} : { expires_in: seconds }) })

describe("the token of an OAuth client", () => {
  it.effect("is asked for once, form-encoded, where its tenant is, and told of", () =>
    Effect.gen(function* () {
      const { asked, bearer, learnt } = yield* over(living(3600))
      const tokens = yield* Effect.all(
        [bearer("admin"), bearer("admin"), bearer("secondTenant.admin"), bearer("secondClient")],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(tokens, ["t1", "t1", "t2", "t3"])
      assert.deepStrictEqual(
        asked.map(({ url }) => new URL(url).host),
        ["one.example", "two.example", "one.example"]
      )
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(asked[0]?.body)), {
        grant_type: "client_credentials",
        client_id: "here",
        client_secret: "a secret & more"
      })
      assert.deepStrictEqual(learnt, ["admin t1", "secondTenant.admin t2", "secondClient t3"])
    })
  )
  it.effect("is asked for anew when a tenth of its life is left", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living(1000))
      assert.strictEqual(yield* bearer("admin"), "t1")
      yield* TestClock.adjust("899 seconds")
      assert.strictEqual(yield* bearer("admin"), "t1")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* bearer("admin"), "t2")
    })
  )
  it.effect("is taken to live for a minute where nothing is said", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living())
      yield* bearer("admin")
      yield* TestClock.adjust("54 seconds")
      assert.strictEqual(yield* bearer("admin"), "t2")
    })
  )
  it.effect("that was refused blocks whoever needs it, and is asked for again by the next", () =>
    Effect.gen(function* () {
      let isUp = false
      const { bearer } = yield* over((token) => (isUp ? living(60)(token) : answer(503, "<html>")))
      const { exchanges, reason } = yield* inTime(Effect.flip(bearer("admin")))
      assert.strictEqual(reason, "no token for admin: the token endpoint answered 503 without an access_token")
      assert.deepStrictEqual(exchanges, [3]) // a lost answer has it asked for again
      isUp = true
      assert.strictEqual(yield* bearer("admin"), "t4")
    })
  )
  it.effect("is to be had where the run's requests are used up: cleaning up may need one", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living(60), 1)
      yield* bearer("secondClient")
      assert.strictEqual(yield* bearer("admin"), "t2")
    })
  )
})

describe("a token that the profile holds", () => {
  it.effect("is itself, and nothing is asked for", () =>
    Effect.gen(function* () {
      const { asked, bearer } = yield* over(living(60))
      assert.strictEqual(yield* bearer("personalToken"), "the-own-token")
      assert.strictEqual(yield* bearer("limited.0"), "the-own-token")
      assert.deepStrictEqual(asked, [])
    })
  )
  it.effect("is undefined where the profile has none", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living(60))
      for (const name of ["limited.0.reissued", "limited.1", "rotated.old", "rateLimited"] as const) {
        assert.isUndefined(yield* bearer(name))
      }
    })
  )
  it.effect("blocks whoever needs it where no header carries it, and the reason does not show it", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living(60))
      const { reason } = yield* Effect.flip(bearer("expiredToken"))
      assert.strictEqual(reason, "the token of expiredToken has characters that no header carries")
    })
  )
})
