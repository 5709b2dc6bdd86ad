import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessToken, at, operator, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertLegacyError, basic, login, person, send } from "./LegacySurface.ts"

const payloadOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())

/** Every call that accepts Bearer only. */
const byBearer = [
  ["GET", "/organizations/me", undefined],
  ["GET", "/constituents", undefined],
  ["GET", "/constituents/wkr_0000000000000000", undefined],
  ["POST", "/scan", { type: "wwcc-nsw", identifier: "WWC1234567E", first_name: "Ann", surname: "Example" }]
] as const

const sent = (body: unknown) => (body === undefined ? {} : { body })

layer(layerService(), { excludeTestServices: true })("the legacy surface: authentication", (it) => {
  it.effect("LEG-01, LEG-02, LEG-27: users/me with Basic shows the user, and the organization's id and name only", () =>
    Effect.gen(function* () {
      const { tenant } = yield* Service
      const who = yield* person()
      const me = yield* send("GET", "/users/me", basic({ ...who, email: who.email.toUpperCase() }))
      assert.strictEqual(me.status, 200, me.text)
      assert.deepStrictEqual(me.json, {
        id: at(me, "id"),
        email: who.email,
        first_name: "Ann",
        surname: "Example",
        organization: { id: at(me, "organization.id"), name: tenant.name }
      })
      assert.isTrue(Number.isSafeInteger(at(me, "id")))
      assert.isTrue(Number.isSafeInteger(at(me, "organization.id")))
    })
  )

  it.effect("LEG-03, LEG-04, LEG-11: with Bearer it shows is_verified and the whole organization", () =>
    Effect.gen(function* () {
      const { tenant, users } = yield* Service
      yield* Effect.orDie(users.setAbn(tenant.id, "51 824 753 556", operator))
      const { bearer, number } = yield* login(yield* person())
      const me = yield* send("GET", "/users/me", bearer)
      const organization = { id: at(me, "organization.id"), name: tenant.name, abn: "51824753556", is_active: true }
      assert.strictEqual(at(me, "id"), number)
      assert.strictEqual(at(me, "is_verified"), true)
      assert.deepStrictEqual(at(me, "organization"), organization)
      assert.deepStrictEqual((yield* send("GET", "/organizations/me", bearer)).json, organization)
    })
  )

  it.effect("LEG-05..08, LEG-29: exchanges Basic for a JWT of 30 days, and the body repeats its times", () =>
    Effect.gen(function* () {
      const { issued, token } = yield* login(yield* person())
      assert.strictEqual(issued.status, 200)
      assert.deepStrictEqual(Object.keys(Object(issued.json)), ["token", "iat", "exp"])
      const { exp, iat } = payloadOf(token)
      assert.deepStrictEqual([at(issued, "iat"), at(issued, "exp")], [iat, exp])
      assert.strictEqual(Number(exp) - Number(iat), 30 * 24 * 3600)
      const date = Date.parse(issued.headers["date"] ?? "") / 1000
      assert.isAtMost(Math.abs(date - Number(iat)), 300)
      assert.strictEqual(issued.headers["cache-control"], "no-store")
    })
  )

  it.effect("LEG-09, LEG-10: GET on the token path is 404, and so is any id but the caller's own", () =>
    Effect.gen(function* () {
      const [who, other] = [yield* person(), yield* person()]
      const [{ number }, { number: another }] = [yield* login(who), yield* login(other)]
      assertLegacyError(yield* send("GET", `/users/${number}/token`, basic(who)), 404)
      for (const id of [another, 0, -1, 999_999_999, `0${number}`, `${number}.0`, "me", "%20", "9".repeat(400)]) {
        assertLegacyError(yield* send("POST", `/users/${id}/token`, basic(who)), 404)
      }
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        assertLegacyError(yield* send(method, `/users/${number}/token`, basic(who)), 404)
      }
    })
  )

  it.effect("LEG-14, LEG-15: Basic works for users/me and the token only, Bearer for everything but the token", () =>
    Effect.gen(function* () {
      const who = yield* person()
      const { bearer, number } = yield* login(who)
      for (const [method, path, body] of byBearer) {
        const refused = yield* send(method, path, basic(who), sent(body))
        assertLegacyError(refused, 401, "authentication")
        assert.strictEqual(refused.headers["www-authenticate"], 'Bearer realm="wcs"')
        assert.notStrictEqual((yield* send(method, path, bearer, sent(body))).status, 401)
      }
      const exchanged = yield* send("POST", `/users/${number}/token`, bearer)
      assertLegacyError(exchanged, 401, "authentication")
      assert.strictEqual(exchanged.headers["www-authenticate"], 'Basic realm="wcs", charset="UTF-8"')
    })
  )

  it.effect("LEG-16, LEG-18, LEG-26: every authentication failure gets the same 401", () =>
    Effect.gen(function* () {
      const who = yield* person()
      const { bearer, token } = yield* login(who)
      const unknown = { email: "nobody@example.org", password: who.password }
      const wrong = [
        undefined,
        "",
        "Bearer",
        "Bearer x",
        "Bearer a.b.c",
        `${bearer}x`,
        `Token ${token}`,
        `Basic ${token}`,
        "Basic",
        "Basic !!!",
        `Basic ${Buffer.from("no colon").toString("base64")}`,
        basic({ ...who, password: "" }),
        basic({ ...who, password: `${who.password} ` }),
        basic({ ...who, password: "x".repeat(5000) }),
        basic({ ...who, email: "" }),
        basic(unknown)
      ]
      const bodies = new Set<string>()
      for (const authorization of wrong) {
        const answer = yield* send("GET", "/users/me", authorization)
        assertLegacyError(answer, 401, "authentication")
        bodies.add(answer.text)
        assert.strictEqual(answer.headers["www-authenticate"], 'Basic realm="wcs", charset="UTF-8", Bearer realm="wcs"')
      }
      assert.strictEqual(bodies.size, 1, "the refusal does not disclose the reason")
    })
  )

  it.effect("LEG-30: a wrong password is refused at users/me and at the token exchange", () =>
    Effect.gen(function* () {
      const [who, other] = [yield* person(), yield* person()]
      const { number } = yield* login(who)
      const { password } = who
      const wrong = [
        "",
        password.slice(0, -1),
        password.slice(1),
        `${password} `,
        `${password}\u0000`,
        password.toUpperCase(),
        other.password,
        "x".repeat(5000)
      ]
      for (const one of wrong) {
        const authorization = basic({ ...who, password: one })
        assertLegacyError(yield* send("GET", "/users/me", authorization), 401, "authentication")
        assertLegacyError(yield* send("POST", `/users/${number}/token`, authorization), 401, "authentication")
      }
      assert.strictEqual((yield* send("POST", `/users/${number}/token`, basic(who))).status, 200)
    })
  )

  it.effect("LEG-17: a token works until its last second, and not at its expiry", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const { bearer, issued } = yield* login(yield* person())
      const left = Number(at(issued, "exp")) - Math.ceil(Date.parse(issued.headers["date"] ?? "") / 1000)
      yield* advance(left - 60)
      assert.strictEqual((yield* send("GET", "/users/me", bearer)).status, 200)
      yield* advance(61)
      assertLegacyError(yield* send("GET", "/users/me", bearer), 401, "authentication")
    })
  )

  it.effect(
    "LEG-19, LEG-24: a token ends by its revocation, all end by a password change and by deactivation, none by a new token",
    () =>
      Effect.gen(function* () {
        const { tenant, users } = yield* Service
        const who = yield* person()
        const [one, two] = [yield* login(who), yield* login(who)]
        const statusOf = ({ bearer }: { readonly bearer: string }) =>
          Effect.map(send("GET", "/users/me", bearer), ({ status }) => status)
        assert.deepStrictEqual([yield* statusOf(one), yield* statusOf(two)], [200, 200])
        const id = String(payloadOf(one.token)["jti"])
        yield* Effect.orDie(users.revokeToken(tenant.id, id, operator))
        assert.deepStrictEqual([yield* statusOf(one), yield* statusOf(two)], [401, 200])
        yield* Effect.orDie(users.endTokens(tenant.id, who.email, operator))
        assert.strictEqual(yield* statusOf(two), 401)
        const three = yield* login(who)
        yield* Effect.orDie(users.setActive(tenant.id, who.email, false, operator))
        assert.strictEqual(yield* statusOf(three), 401)
        assertLegacyError(yield* send("GET", "/users/me", basic(who)), 401, "authentication")
        yield* Effect.orDie(users.setActive(tenant.id, who.email, true, operator))
        assert.strictEqual(yield* statusOf(three), 401)
        assert.strictEqual(yield* statusOf(yield* login(who)), 200)
      })
  )

  it.effect("LEG-31: a revoked token is refused by every call, the token exchange included", () =>
    Effect.gen(function* () {
      const { tenant, users } = yield* Service
      const { bearer, number, token } = yield* login(yield* person())
      const calls = [["GET", "/users/me", undefined], ...byBearer] as const
      for (const [method, path, body] of calls) {
        assert.notStrictEqual((yield* send(method, path, bearer, sent(body))).status, 401, path)
      }
      yield* Effect.orDie(users.revokeToken(tenant.id, String(payloadOf(token)["jti"]), operator))
      for (const [method, path, body] of [...calls, ["POST", `/users/${number}/token`, undefined] as const]) {
        assertLegacyError(yield* send(method, path, bearer, sent(body)), 401, "authentication")
      }
    })
  )

  it.effect("AUT-06: no surface accepts the other's tokens, and no tenant another's", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const who = yield* person({ other: true })
      const { bearer, token } = yield* login(who)
      assert.strictEqual((yield* call({ method: "GET", path: "/openapi/v1/workers", token })).status, 401)
      assertLegacyError(yield* send("GET", "/users/me", bearer), 401, "authentication")
      assertLegacyError(yield* send("GET", "/users/me", basic(who)), 401, "authentication")
      for (const newer of [(yield* accessToken()).token, (yield* tokenOf("Super Admin")).token]) {
        assertLegacyError(yield* send("GET", "/users/me", `Bearer ${newer}`), 401, "authentication")
      }
    })
  )

  it.effect(
    "LEG-20, LEG-28: a role without the permission is 403; the lowest one reads itself and its organization",
    () =>
      Effect.gen(function* () {
        const { bearer, me } = yield* login(yield* person({ role: [] }))
        assert.isString(at(me, "organization.name"))
        assert.strictEqual((yield* send("GET", "/users/me", bearer)).status, 200)
        assert.strictEqual((yield* send("GET", "/organizations/me", bearer)).status, 200)
        const [, list, one, scan] = byBearer
        for (const [method, path, body] of [list, one, scan]) {
          assertLegacyError(yield* send(method, path, bearer, sent(body)), 403, "authorization")
        }
        assertLegacyError(yield* send("POST", "/scan", bearer, { rawBody: "no JSON" }), 403, "authorization")
        const reader = yield* login(yield* person({ role: ["worker:READ"] }))
        assert.strictEqual((yield* send("GET", "/constituents", reader.bearer)).status, 200)
        assertLegacyError(yield* send("POST", "/scan", reader.bearer, sent(scan[2])), 403, "authorization")
        const scanner = yield* login(yield* person({ role: ["credential:CREATE"] }))
        assert.strictEqual((yield* send("POST", "/scan", scanner.bearer, sent(scan[2]))).status, 200)
        assertLegacyError(yield* send("GET", "/constituents", scanner.bearer), 403, "authorization")
      })
  )

  it.effect("LEG-22: an unverified account can only read itself and get a token", () =>
    Effect.gen(function* () {
      const { tenant, users } = yield* Service
      const who = yield* person({ verified: false })
      const { bearer } = yield* login(who)
      assert.strictEqual(at(yield* send("GET", "/users/me", bearer), "is_verified"), false)
      for (const [method, path, body] of byBearer) {
        assertLegacyError(yield* send(method, path, bearer, sent(body)), 403, "authorization")
      }
      yield* Effect.orDie(users.setVerified(tenant.id, who.email, true, operator))
      assert.strictEqual((yield* send("GET", "/organizations/me", bearer)).status, 200, "the token is still valid")
    })
  )

  it.effect("TRN-03, LEG-26: an unknown path is 404 in the surface's shape, with any method", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      for (const [method, path] of [
        ["GET", "/users"],
        ["DELETE", "/users/me"],
        ["POST", "/organizations/me"],
        ["GET", "/scan"],
        ["POST", "/constituents"],
        ["GET", "/v1/users/me"],
        ["GET", "/users/%zz"],
        ["GET", "/"]
      ] as const) {
        assertLegacyError(yield* send(method, path, bearer), 404)
      }
    })
  )
})

const limits = {
  standard: 1000,
  intensive: 1000,
  unauthenticated: 1000,
  tokenFailures: 2,
  addressFailures: 6,
  loginFailures: 3,
  tokensIssued: 2
}

layer(layerService(limits), { excludeTestServices: true })("the legacy surface: throttling", (it) => {
  it.effect("LEG-18: failures of one user name from any address lock it for the rest of the minute", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const who = yield* person()
      const wrong = basic({ ...who, password: "wrong" })
      for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
        assertLegacyError(yield* send("GET", "/users/me", wrong, { address }), 401, "authentication")
      }
      for (const authorization of [wrong, basic(who)]) {
        const locked = yield* send("GET", "/users/me", authorization, { address: "127.0.0.5" })
        assertLegacyError(locked, 429)
        assert.match(locked.headers["retry-after"] ?? "", /^\d+$/)
      }
      assert.strictEqual((yield* send("GET", "/users/me", basic(yield* person()))).status, 200, "and nobody else")
      yield* advance(61)
      assert.strictEqual((yield* send("GET", "/users/me", basic(who))).status, 200)
    })
  )

  it.effect("LEG-18: many failures from one address block logins from it, for every user name", () =>
    Effect.gen(function* () {
      const address = "127.0.0.9"
      const who = yield* person()
      for (let index = 0; index < limits.addressFailures; index++) {
        const nobody = basic({ email: `nobody${index}@example.org`, password: "wrong" })
        assertLegacyError(yield* send("GET", "/users/me", nobody, { address }), 401, "authentication")
      }
      assertLegacyError(yield* send("GET", "/users/me", basic(who), { address }), 429)
      assert.strictEqual((yield* send("GET", "/users/me", basic(who))).status, 200)
    })
  )

  it.effect("LEG-18, threat 8: wrong passwords of one user name from one address block nobody else there", () =>
    Effect.gen(function* () {
      const address = "127.0.0.10"
      const [who, other] = [yield* person(), yield* person()]
      const wrong = basic({ ...who, password: "wrong" })
      for (let index = 0; index < limits.tokenFailures; index++) {
        assertLegacyError(yield* send("GET", "/users/me", wrong, { address }), 401, "authentication")
      }
      assertLegacyError(yield* send("GET", "/users/me", basic(who), { address }), 429)
      assert.strictEqual((yield* send("GET", "/users/me", basic(who))).status, 200)
      assert.strictEqual((yield* send("GET", "/users/me", basic(other), { address })).status, 200)
    })
  )

  it.effect("LEG-05: limits tokens per minute", () =>
    Effect.gen(function* () {
      const who = yield* person()
      const { number } = yield* login(who)
      yield* login(who)
      assertLegacyError(yield* send("POST", `/users/${number}/token`, basic(who)), 429)
    })
  )
})
