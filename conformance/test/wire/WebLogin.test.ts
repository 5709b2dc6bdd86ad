import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { webLoginWalks } from "@wcs/conformance/walks/access/WebLogin"
import type { Request } from "@wcs/conformance/wire/Exchange"
import * as Totp from "@wcs/conformance/wire/Totp"
import { Clock, Effect, Redacted } from "effect"
import { answer, inTime, keeping, profile as plain, runOver, type Serve, secrets as sole } from "../Invented.ts"

const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const key = Totp.keyOf(secret) ?? Buffer.alloc(0)

const totp = {
  steps: [
    { method: "POST", path: "/login", form: { password: "${PASSWORD}" }, take: { token: "token=(\\w+)" } },
    { method: "POST", path: "https://login.example/code", form: { token: "{{token}}", code: "{{code}}" } }
  ],
  secret: "${TOTP}"
} as const

const profile: Profile = { ...plain, webLogin: { proof: { path: "/home" }, totp } }

const cookieOf = ({ headers }: Request): string => headers.find(([name]) => name === "Cookie")?.[1] ?? ""

/** The deviations of an invented web login. */
interface Otherwise {
  readonly home?: number
  readonly login?: number
  readonly loginText?: string
  readonly code?: number
  /** Accepts codes from this time on. */
  readonly from?: number
}

/** The login is on one host and the application on another, which learns of the login by a redirect. */
const serving =
  ({ code: codeStatus, from = 0, home, login = 200, loginText = "token=abc" }: Otherwise): Serve =>
  (request) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { hostname, pathname, searchParams } = new URL(request.url)
      const place = `${request.method} ${hostname}${pathname}`
      if (place === "POST one.example/login") {
        const isRight = new URLSearchParams(request.body).get("password") === "a-password"
        return answer(isRight ? login : 403, loginText, {
          "set-cookie": "half=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT"
        })
      }
      if (place === "POST login.example/code") {
        if (codeStatus !== undefined) return answer(codeStatus)
        const form = new URLSearchParams(request.body)
        const isRight = form.get("code") === Totp.codeAt(key, now) && form.get("token") === "abc" && now >= from
        // cookies of the other host are not sent here
        return isRight && cookieOf(request) === ""
          ? answer(303, "", { location: "https://one.example/enter?ticket=1" })
          : answer(200, "No.")
      }
      if (place === "GET one.example/enter" && searchParams.get("ticket") === "1" && cookieOf(request) === "half=1") {
        const cookies = ["a=1; Path=/", "session=1; Expires=Fri, 02 Jan 2099 00:00:00 GMT", "half=; Max-Age=0"]
        return answer(303, "", { location: "/home", "set-cookie": cookies.join(", ") })
      }
      if (place === "GET one.example/home") {
        return answer(home ?? (cookieOf(request) === "a=1; session=1" ? 200 : 401))
      }
      return yield* keeping().serve(request)
    })

const judged = (otherwise: Otherwise = {}, told: Profile = profile, totpSecret = secret) =>
  Effect.map(
    inTime(
      runOver({
        serve: serving(otherwise),
        walks: webLoginWalks.filter(({ judges }) => judges.includes("AUT-17")),
        profile: told,
        secrets: new Map([
          ...sole,
          ["${PASSWORD}", Redacted.make("a-password")] as const,
          ["${TOTP}", Redacted.make(totpSecret)] as const
        ])
      })
    ),
    ({ findings }) => findings.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
  )

describe("AUT-17: web login with TOTP", () => {
  it.effect("follows redirects across hosts, with cookies and the token of a page", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged(), ["pass"])
    })
  )

  it.effect("sends the next code if the first one is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged({ from: 20_000 }), ["pass"])
      const run = { secondsToWait: 10 }
      assert.deepStrictEqual(yield* judged({ from: 200_000_000 }, { ...profile, run }), [
        "blocked: a code was refused, and run.secondsToWait is too short to wait for the next one"
      ])
    })
  )

  it.effect("fails if neither of two codes logs in", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged({ from: Number.POSITIVE_INFINITY }), ["fail"])
    })
  )

  it.effect.each([
    ["everybody reads the proof", { home: 200 }, "webLogin.proof returns 2xx without a login, so it proves nothing"],
    ["the password is refused", { login: 401 }, "prerequisite failed: POST /login answered 401"],
    [
      "a page lacks the value to take",
      { loginText: "nothing" },
      "prerequisite failed: no answer of the login matches take.token"
    ],
    ["there were too many attempts", { code: 429 }, "prerequisite failed: POST /code answered 429"]
  ] as const)("is blocked if %s", ([, otherwise, reason]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged(otherwise), [`blocked: ${reason}`])
    })
  )

  it.effect("is blocked when the secret is not base32", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged({}, profile, "189"), ["blocked: webLogin.totp.secret is not valid base32"])
    })
  )
})

describe("AUT-16: web login by SAML", () => {
  const saml = (key: string) => {
    const identityProvider = { entityId: "https://idp.example", url: "https://idp.example/sso", key: "${KEY}" }
    const told = { proof: { path: "/home" }, saml: { start: "/saml", identityProvider, user: { nameId: "ann" } } }
    const xml =
      '<AuthnRequest xmlns="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0"' +
      ' AssertionConsumerServiceURL="https://one.example/acs"><Issuer>https://one.example</Issuer></AuthnRequest>'
    const form =
      '<form action="https://idp.example/sso">' +
      `<input name="SAMLRequest" value="${Buffer.from(xml).toString("base64")}"></form>`
    const serve: Serve = (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === "/saml") return Effect.succeed(answer(200, form))
      return pathname === "/home" || pathname === "/acs" ? Effect.succeed(answer(403)) : keeping().serve(request)
    }
    const walks = webLoginWalks.filter(({ judges }) => judges.includes("AUT-16"))
    const secrets = new Map([...sole, ["${KEY}", Redacted.make(key)] as const])
    return Effect.map(
      inTime(runOver({ serve, walks, profile: { ...plain, webLogin: told }, secrets })),
      ({ exchanges, findings: [finding] }) => ({ finding, exchanges })
    )
  }

  it.effect("sends forged responses first, and fails if no response logs in", () =>
    Effect.gen(function* () {
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      const { exchanges, finding } = yield* saml(pem)
      assert.strictEqual(finding?.outcome, "fail")
      const posted = exchanges.filter(({ request }) => request.url === "https://one.example/acs")
      const responses = posted.map(({ request }) =>
        Buffer.from(new URLSearchParams(request.body).get("SAMLResponse") ?? "", "base64").toString()
      )
      assert.deepStrictEqual(
        responses.map((xml) => xml.includes("<ds:SignatureValue>")),
        [true, false, true, true, true]
      )
      for (const xml of responses) assert.include(xml, ">ann</saml:NameID>")
    })
  )

  it.effect("is blocked when the key is invalid", () =>
    Effect.gen(function* () {
      const { finding } = yield* saml("no key")
      assert.strictEqual(finding?.outcome, "blocked")
      assert.strictEqual(finding?.reason, "webLogin.saml.identityProvider.key is not an RSA private key in PEM")
    })
  )
})
