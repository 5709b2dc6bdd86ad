import { assert, describe, it } from "@effect/vitest"
import { logInUser } from "@wcs/conformance/calls/LegacyCalls"
import { choose } from "@wcs/conformance/engine/Selection"
import { judge } from "@wcs/conformance/judgement/Judge"
import { walk } from "@wcs/conformance/judgement/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, type Json } from "@wcs/conformance/text/Json"
import { bearerWalks } from "@wcs/conformance/walks/access/Bearer"
import { legacyRefusalWalks } from "@wcs/conformance/walks/legacy/LegacyRefusals"
import { Clock, Effect, Redacted } from "effect"
import { answer, inTime, profile as plain, runOver, type Serve, secrets as sole } from "../Invented.ts"

const walks = [...bearerWalks, ...legacyRefusalWalks].filter(({ name }) =>
  ["bearer/expired", "legacy/expired-token"].includes(name)
)

/** No expired token, but tokens with a lifetime of a few seconds. */
const profile: Profile = {
  ...plain,
  principals: { ...plain.principals, secondClient: { clientId: "x_oauth_1", clientSecret: "${SECRET}" } },
  oauthLifetimeSeconds: 5,
  legacy: {
    baseUrl: "https://one.example",
    user: { username: "ann@example.org", password: "${PASSWORD}" },
    tokenLifetimeSeconds: 5
  }
}

const secrets = new Map([
  ...sole,
  ["${SECRET}", Redacted.make("a-secret")] as const,
  ["${PASSWORD}", Redacted.make("a-password")] as const
])

/** Issues tokens that expire after 5 seconds, or never. */
const issuing =
  (isExpiring: boolean): Serve =>
  (request) =>
    Effect.gen(function* () {
      const now = (yield* Clock.currentTimeMillis) / 1000
      const authorization = request.headers.find(([name]) => name === "Authorization")?.[1] ?? ""
      const { pathname } = new URL(request.url)
      if (pathname.endsWith("/oauth/token")) return answer(200, { access_token: `until.${now + 5}`, expires_in: 5 })
      if (pathname.endsWith("/token")) return answer(200, { token: `until.${now + 5}`, iat: now, exp: now + 5 })
      const [, end] = /until\.(\d+)$/.exec(authorization) ?? []
      if (isExpiring && end !== undefined && Number(end) <= now) {
        const refusal: Json = { status: 401, message: "No.", field: "authentication" }
        return answer(401, refusal)
      }
      return answer(200, { id: 7, data: [], email: "ann@example.org" })
    })

describe("short-lived tokens, without an expired one in the profile", () => {
  for (const [how, isExpiring, outcome] of [
    ["end", true, "pass"],
    ["go on", false, "fail"]
  ] as const) {
    it.effect(`AUT-05, LEG-17: are waited for, and ${outcome} if they ${how}`, () =>
      Effect.gen(function* () {
        const { found } = yield* inTime(runOver({ serve: issuing(isExpiring), walks, profile, secrets }))
        assert.sameMembers(found, [`AUT-05 ${outcome}`, `LEG-17 ${outcome}`])
      })
    )
  }

  it.effect("block when the wait is longer than the profile allows", () =>
    Effect.gen(function* () {
      const run = { secondsToWait: 5.5 }
      const { findings } = yield* inTime(
        runOver({ serve: issuing(true), walks, profile: { ...profile, run }, secrets })
      )
      for (const { outcome, reason } of findings) {
        assert.deepStrictEqual([outcome, reason], ["blocked", "the token lives longer than the profile says"])
      }
      assert.lengthOf(findings, 2)
    })
  )

  it("are not used when the profile gives no lifetime or too long a one", () => {
    const { oauthLifetimeSeconds: _, ...unsaid } = profile
    const tooLong: Profile = { ...profile, oauthLifetimeSeconds: 60 }
    const noClient: Profile = { ...profile, principals: plain.principals }
    const [expired] = walks
    for (const given of [unsaid, tooLong, noClient]) {
      assert.deepStrictEqual(expired && at(JSON.parse(JSON.stringify(choose(expired, given, "exhaust"))), "lacks"), [
        "expired token"
      ])
    }
  })

  it.effect("LEG-15: are shared by walks only if they outlast the run", () =>
    Effect.gen(function* () {
      const logging = ["WRK-03", "WRK-04"].map((rule, place) =>
        walk({ name: `workers/${place}`, judges: [rule as "WRK-03"], impact: "read", logsIn: true, needs: [] })(
          Effect.andThen(logInUser(), judge(rule as "WRK-03", [], []))
        )
      )
      const issuedIn = Effect.fnUntraced(function* (secondsInAll: number) {
        const run = { secondsInAll, secondsToWait: 60 }
        const long: Serve = (request) =>
          new URL(request.url).pathname.endsWith("/token")
            ? Effect.succeed(answer(200, { token: "a.b.c", iat: 0, exp: 7200 }))
            : issuing(true)(request)
        const given = { serve: long, walks: logging, profile: { ...profile, run }, secrets }
        const { exchanges } = yield* inTime(runOver(given))
        return exchanges.filter(({ request }) => request.url.endsWith("/users/7/token")).length
      })
      assert.strictEqual(yield* issuedIn(300), 1)
      assert.strictEqual(yield* issuedIn(7200), 3)
    })
  )
})
