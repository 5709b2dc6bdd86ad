import { assert, describe, it } from "@effect/vitest"
import * as Bearers from "@wcs/conformance/engine/Bearers"
import * as Sending from "@wcs/conformance/engine/Sending"
import { limitsOf } from "@wcs/conformance/profile/Limits"
import type { PrincipalName } from "@wcs/conformance/profile/Principals"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
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

/** Bearers over a token endpoint that issues `t1`, `t2` and so on, unless the test overrides its answer. */
const over = Effect.fnUntraced(function* (more: (token: string, request: Request) => Answer, requests = 100) {
  const asked: Array<{ readonly url: string; readonly body: string }> = []
  const wire = Wire.of({
    send: (request) =>
      Effect.sync(() => {
        asked.push({ url: request.url, body: request.body })
        return more(`t${asked.length}`, request)
      })
  })
  const handles = Handles.make(profile, secrets)
  const limits = limitsOf({ ...profile, run: { requests } })
  const send = yield* Effect.provideService(
    Sending.make(limits, handles, () => Effect.void),
    Wire,
    wire
  )
  const bearer = yield* Bearers.make(profile, handles, send)
  /** The value of a principal's token. */
  const shown = (principal: PrincipalName) => Effect.map(bearer(principal), (token) => token && handles.open(token))
  return { asked, bearer, shown }
})

const living = (seconds?: number) => (token: string) =>
  answer(200, { access_token: token, ...(seconds === undefined ? {} : { expires_in: seconds }) })

describe("the token of an OAuth client", () => {
  it.effect("is requested once, form-encoded, on its tenant's host, and has the name of its principal", () =>
    Effect.gen(function* () {
      const { asked, bearer, shown } = yield* over(living(3600))
      const tokens = yield* Effect.all(
        [bearer("admin"), bearer("admin"), bearer("secondTenant.admin"), bearer("secondClient")],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(tokens, [
        ...(["‹token of admin›", "‹token of admin›"] as const),
        ...(["‹token of secondTenant.admin›", "‹token of secondClient›"] as const)
      ])
      const values = yield* Effect.forEach(["admin", "secondTenant.admin", "secondClient"] as const, shown)
      assert.deepStrictEqual(values, ["t1", "t2", "t3"])
      assert.deepStrictEqual(
        asked.map(({ url }) => new URL(url).host),
        ["one.example", "two.example", "one.example"]
      )
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(asked[0]?.body)), {
        grant_type: "client_credentials",
        client_id: "here",
        client_secret: "a secret & more"
      })
    })
  )
  it.effect("is renewed when a tenth of its lifetime remains", () =>
    Effect.gen(function* () {
      const { shown } = yield* over(living(1000))
      assert.strictEqual(yield* shown("admin"), "t1")
      yield* TestClock.adjust("899 seconds")
      assert.strictEqual(yield* shown("admin"), "t1")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* shown("admin"), "t2")
    })
  )
  it.effect("is assumed to live for a minute without expires_in", () =>
    Effect.gen(function* () {
      const { bearer, shown } = yield* over(living())
      yield* bearer("admin")
      yield* TestClock.adjust("54 seconds")
      assert.strictEqual(yield* shown("admin"), "t2")
    })
  )
  it.effect("blocks its user when it is refused, and is requested again by the next", () =>
    Effect.gen(function* () {
      let isUp = false
      const { bearer, shown } = yield* over((token) => (isUp ? living(60)(token) : answer(503, "<html>")))
      const { exchanges, reason } = yield* inTime(Effect.flip(bearer("admin")))
      assert.strictEqual(
        reason,
        "no token for admin: a server in front has a limit, or no deployment behind it; it answered 503 at the token endpoint"
      )
      assert.deepStrictEqual(exchanges, [6]) // a lost answer causes another request
      isUp = true
      assert.strictEqual(yield* shown("admin"), "t7")
    })
  )
  it.effect("is requested by Basic when the deployment reads no client from the body", () =>
    Effect.gen(function* () {
      const { asked, shown } = yield* over((token, request) =>
        request.headers.some(([name]) => name === "Authorization") ? living(60)(token) : answer(400, {})
      )
      assert.strictEqual(yield* shown("admin"), "t2")
      assert.strictEqual(asked[1]?.body, "grant_type=client_credentials")
    })
  )
  it.effect("is replaced by the personal token for the admin when the endpoint grants nothing", () =>
    Effect.gen(function* () {
      const { asked, bearer, shown } = yield* over(() => answer(400, { error: "server_error" }))
      assert.strictEqual(yield* shown("admin"), "the-own-token")
      const { length } = asked
      assert.strictEqual(yield* shown("admin"), "the-own-token")
      assert.lengthOf(asked, length)
      assert.match((yield* Effect.flip(bearer("secondClient"))).reason, /^no token for secondClient: /)
    })
  )
  it.effect("is available after the run's requests are used up, because clean-up may need one", () =>
    Effect.gen(function* () {
      const { bearer, shown } = yield* over(living(60), 1)
      yield* bearer("secondClient")
      assert.strictEqual(yield* shown("admin"), "t2")
    })
  )
})

describe("a token in the profile", () => {
  it.effect("is used without a token request", () =>
    Effect.gen(function* () {
      const { asked, shown } = yield* over(living(60))
      assert.strictEqual(yield* shown("personalToken"), "the-own-token")
      assert.strictEqual(yield* shown("limited.0"), "the-own-token")
      assert.deepStrictEqual(asked, [])
    })
  )
  it.effect("is undefined when the profile has none", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living(60))
      for (const name of ["limited.0.reissued", "limited.1", "rotated.old", "rateLimited"] as const) {
        assert.isUndefined(yield* bearer(name))
      }
    })
  )
  it.effect("blocks its user when a header cannot carry it, with a reason that does not show it", () =>
    Effect.gen(function* () {
      const { bearer } = yield* over(living(60))
      const { reason } = yield* Effect.flip(bearer("expiredToken"))
      assert.strictEqual(reason, "the token of expiredToken has characters that a header cannot carry")
    })
  )
})
