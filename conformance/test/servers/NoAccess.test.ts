import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { tenantWalks } from "@wcs/conformance/walks/access/Tenants"
import { legacyRefusalWalks } from "@wcs/conformance/walks/legacy/LegacyRefusals"
import { secondTenantWalks } from "@wcs/conformance/walks/places/SecondTenant"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect, Redacted } from "effect"
import { answer, inTime, keeping, profile as plain, runOver, type Serve, secrets as sole } from "../Invented.ts"

const user = { username: "ann@example.org", password: "a-password" }
const now = new Date("2030-01-01T00:00:00Z")

/** A JWT that expires in this many seconds. */
const tokenUntil = (seconds: number): string => {
  const parts = [{ alg: "none" }, { exp: now.getTime() / 1000 + seconds }]
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")), "signature"].join(".")
}

const profile: Profile = {
  ...plain,
  legacy: {
    baseUrl: "https://one.example",
    user: { username: user.username, password: "${PASSWORD}" },
    revokedToken: "${REVOKED}"
  }
}

const authorizationOf = ({ headers }: Request): string =>
  headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? ""

const right = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`

const legacyAnswer = (status: number, body: Parameters<typeof answer>[1] = {}) =>
  answer(status, body, { date: now.toUTCString() })

const unauthorized = legacyAnswer(401, { status: 401, message: "No.", field: "authentication" })

/** A legacy surface that accepts one login and its token. `other` answers every other named caller. */
const serving =
  (other: Serve): Serve =>
  (request) => {
    if (!new URL(request.url).pathname.startsWith("/api/")) return keeping().serve(request)
    const authorization = authorizationOf(request)
    if (authorization === "") return Effect.succeed(unauthorized)
    if (![right, "Bearer a.good.token"].includes(authorization)) return other(request)
    return Effect.succeed(legacyAnswer(200, { id: 7, email: user.username, token: "a.good.token" }))
  }

/** The findings of these walks for the rules. `revoked` is the profile's revoked token. */
const found = Effect.fnUntraced(function* (name: string, other: Serve, revoked = tokenUntil(60)) {
  const told = { "${PASSWORD}": user.password, "${REVOKED}": revoked }
  const { findings } = yield* runOver({
    serve: serving(other),
    walks: legacyRefusalWalks.filter((walk) => walk.name === name),
    profile,
    secrets: new Map([...sole, ...Object.entries(told).map(([key, one]) => [key, Redacted.make(one)] as const)])
  })
  return findings
})

const always =
  (status: number): Serve =>
  () =>
    Effect.succeed(legacyAnswer(status))
const never =
  (silence: NoAnswer["silence"]): Serve =>
  () =>
    Effect.fail(new NoAnswer({ silence, detail: "" }))

const cases: ReadonlyArray<readonly [how: string, Serve, outcome: string]> = [
  ...[400, 401, 403, 404, 410, 423, 500].map((status) => [`${status}`, always(status), "pass"] as const),
  // a connection that fails says nothing about the caller
  ["a refused connection", never("refused"), "inconclusive"],
  ["a reset connection", never("reset"), "pass"],
  ["no answer in time", never("timeout"), "blocked"],
  ["200", always(200), "fail"],
  ["204", always(204), "fail"]
]

describe("missing access", () => {
  for (const [how, serve, outcome] of cases) {
    it.effect(`LEG-30, LEG-31: is ${outcome} when a wrong password or a revoked token gets ${how}`, () =>
      Effect.gen(function* () {
        const findings = [
          ...(yield* inTime(found("legacy/wrong-login", serve))).filter(({ rule }) => rule === "LEG-30"),
          ...(yield* inTime(found("legacy/revoked-token", serve))).filter(({ rule }) => rule === "LEG-31")
        ]
        assert.deepStrictEqual([...new Set(findings.map(({ rule }) => rule))], ["LEG-30", "LEG-31"])
        for (const finding of findings) assert.strictEqual(finding.outcome, outcome, JSON.stringify(finding))
      })
    )
  }

  it.effect("LEG-30: fails when a wrong password opens a single call", () =>
    Effect.gen(function* () {
      for (const path of ["/api/users/me", "/api/users/7/token"]) {
        for (const password of ["", "a-passworx"]) {
          const opening = `Basic ${Buffer.from(`${user.username}:${password}`).toString("base64")}`
          const findings = yield* found("legacy/wrong-login", (request) =>
            Effect.succeed(
              new URL(request.url).pathname === path && authorizationOf(request) === opening
                ? legacyAnswer(200)
                : unauthorized
            )
          )
          const outcomes = findings.filter(({ rule }) => rule === "LEG-30").map(({ outcome }) => outcome)
          assert.sameMembers(outcomes, ["pass", "fail"], `${path} ${password}`)
        }
      }
    })
  )

  it.effect("LEG-19, LEG-31: blocks when a revoked token has expired, because it proves nothing", () =>
    Effect.gen(function* () {
      for (const status of [200, 401]) {
        const findings = yield* found("legacy/revoked-token", always(status), tokenUntil(-1))
        assert.deepStrictEqual(
          findings.map(({ outcome, reason, rule }) => [rule, outcome, reason]),
          ["LEG-19", "LEG-31"].map((rule) => [rule, "blocked", "legacy.revokedToken has expired"])
        )
      }
    })
  )

  it.effect("TRN-05, TRN-06, TRN-10: blocks when both tenants have one host", () =>
    Effect.gen(function* () {
      const { findings } = yield* runOver({
        serve: keeping().serve,
        walks: [...tenantWalks, ...secondTenantWalks],
        profile: { ...plain, secondTenant: { tenantBaseUrl: "https://one.example/", admin: { token: "${ADMIN}" } } }
      })
      assert.sameMembers([...new Set(findings.map(({ rule }) => rule))], ["TRN-05", "TRN-06", "TRN-10"])
      for (const { outcome, reason } of findings) {
        assert.deepStrictEqual([outcome, reason], ["blocked", "secondTenant.tenantBaseUrl is the tenant's own host"])
      }
    })
  )
})
