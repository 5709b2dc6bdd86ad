import { assert, layer } from "@effect/vitest"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { Effect } from "effect"
import {
  type Answer,
  accessToken,
  at,
  type Call,
  client,
  grant,
  grantForm,
  Service,
  textAt,
  tokenPath
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { shapeOf } from "../answer/Shape.ts"
import * as EveryRoute from "../EveryRoute.ts"

const operator = { account: operatorUrn, bearer: null, requestId: "test" }
const challenge = 'Basic realm="service-oauth"'
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
const viaBasic = (authorization: string): Partial<Call> => ({ headers: { authorization } })
const percent = (text: string) =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")

const assertToken = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  assert.notProperty(answer.headers, "www-authenticate")
  return textAt(answer, "access_token")
}

const assertError = (answer: Answer, status: number, error: string, what = "") => {
  assert.strictEqual(answer.status, status, `${what} ${answer.text}`)
  assert.deepStrictEqual(Object.keys(Object(answer.json)).toSorted(), ["error", "error_description"], what)
  assert.strictEqual(at(answer, "error"), error, what)
  assert.isNotEmpty(textAt(answer, "error_description"), what)
  assert.strictEqual(answer.headers["cache-control"], "no-store", what)
}

/** `invalid_client`, with the challenge only if Basic was attempted. */
const assertInvalidClient = (answer: Answer, challenged: boolean, what = "") => {
  assertError(answer, 401, "invalid_client", what)
  assert.strictEqual(answer.headers["www-authenticate"], challenged ? challenge : undefined, what)
}

layer(layerService())("the token endpoint", (it) => {
  it.effect("OAU-01, OAU-03, OAU-04, OAU-05, OAU-06, OAU-16, OAU-17: a good grant in the body", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const made = yield* client()
      assert.match(made.clientId, /^wcs_oauth_[A-Za-z0-9_]+$/)
      const answer = yield* grant(grantForm(made))
      const token = assertToken(answer)
      assert.deepStrictEqual(answer.json, { access_token: token, token_type: "Bearer", expires_in: 3600 })
      const parts = token.split(".")
      assert.strictEqual(parts.length, 3)
      for (const part of parts) assert.match(part, /^[\w-]+$/)
      const [header, payload] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()))
      assert.deepInclude(header, { alg: "EdDSA", typ: "at+jwt" })
      assert.strictEqual(payload.exp - payload.iat, 3600)
      assert.strictEqual((yield* call({ method: "GET", path: "/openapi/v1/workers", token })).status, 200)
    })
  )

  it.effect("OAU-02, threat 12: a good grant by Basic, both halves raw or form-encoded", () =>
    Effect.gen(function* () {
      const { clientId, clientSecret } = yield* client()
      for (const authorization of [
        basic(clientId, clientSecret),
        basic(percent(clientId), percent(clientSecret)),
        basic(clientId, percent(clientSecret)),
        basic(clientId, clientSecret).replace("Basic", "basic"),
        basic(clientId, clientSecret).replace("Basic", "BASIC ")
      ]) {
        assertToken(yield* grant({ grant_type: "client_credentials" }, viaBasic(authorization)))
      }
    })
  )

  it.effect("OAU-07, threat 11: the body wins: a good body with any Basic header gets a token", () =>
    Effect.gen(function* () {
      const made = yield* client()
      const other = yield* client()
      for (const authorization of [
        basic(made.clientId, "wrong"),
        basic("nobody", "wrong"),
        basic(other.clientId, other.clientSecret),
        basic("", ""),
        "Basic %%%",
        "Basic",
        "Bearer nonsense"
      ]) {
        const token = assertToken(yield* grant(grantForm(made), viaBasic(authorization)))
        const payload = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
        assert.strictEqual(payload.client_id, made.clientId, authorization)
      }
    })
  )

  it.effect(
    "OAU-08, OAU-14, threat 11: the body wins: a bad body with a good Basic header is 401, with the challenge",
    () =>
      Effect.gen(function* () {
        const made = yield* client()
        const other = yield* client()
        const good = viaBasic(basic(made.clientId, made.clientSecret))
        assertToken(yield* grant({ grant_type: "client_credentials" }, good))
        for (const [id, secret] of [
          [made.clientId, "wrong"],
          [other.clientId, made.clientSecret],
          ["nobody", made.clientSecret],
          ["nobody", "wrong"]
        ] as const) {
          const form = { grant_type: "client_credentials", client_id: id, client_secret: secret }
          assertInvalidClient(yield* grant(form, good), true, `${id} ${secret}`)
        }
      })
  )

  it.effect(
    "threat 11: half a pair in the body with a good Basic header: the same id gets a token, all else is 401",
    () =>
      Effect.gen(function* () {
        const made = yield* client()
        const other = yield* client()
        const good = viaBasic(basic(made.clientId, made.clientSecret))
        const grantType = { grant_type: "client_credentials" }
        assertToken(yield* grant({ ...grantType, client_id: made.clientId }, good))
        assertToken(yield* grant({ ...grantType, client_id: made.clientId, client_secret: "" }, good))
        assertToken(yield* grant({ ...grantType, client_id: "", client_secret: "" }, good))
        for (const half of [
          { client_secret: made.clientSecret },
          { client_secret: "wrong" },
          { client_id: "", client_secret: made.clientSecret },
          { client_id: other.clientId },
          { client_id: "nobody" }
        ]) {
          assertInvalidClient(yield* grant({ ...grantType, ...half }, good), true, JSON.stringify(half))
        }
      })
  )

  it.effect("OAU-15, SIL-23: half a pair, or nothing at all, is invalid_client, without a challenge", () =>
    Effect.gen(function* () {
      const made = yield* client()
      const grantType = { grant_type: "client_credentials" }
      for (const half of [{}, { client_id: made.clientId }, { client_secret: made.clientSecret }]) {
        assertInvalidClient(yield* grant({ ...grantType, ...half }), false, JSON.stringify(half))
      }
    })
  )

  it.effect("OAU-09, OAU-10, OAU-15: with a good client another or a missing grant is unsupported_grant_type", () =>
    Effect.gen(function* () {
      const made = yield* client()
      const { client_id, client_secret } = grantForm(made)
      const good = viaBasic(basic(made.clientId, made.clientSecret))
      assertError(yield* grant({ client_id, client_secret }), 400, "unsupported_grant_type")
      assertError(yield* grant({}, good), 400, "unsupported_grant_type")
      assertError(yield* grant("", good), 400, "unsupported_grant_type")
      for (const grant_type of [
        "password",
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "CLIENT_CREDENTIALS",
        "client_credentials ",
        "client_credentials\0",
        ""
      ]) {
        const form = { grant_type, client_id, client_secret, username: "a", password: "b", refresh_token: "c" }
        assertError(yield* grant(form), 400, "unsupported_grant_type", grant_type)
        assertError(yield* grant({ grant_type }, good), 400, "unsupported_grant_type", grant_type)
      }
      assertToken(yield* grant({ grant_type: "client_credentials", client_id, client_secret }))
    })
  )

  it.effect("OAU-11, OAU-12, OAU-13, OAU-14, threat 8: unknown, wrong and revoked give identical 401 responses", () =>
    Effect.gen(function* () {
      const { administration, tenant } = yield* Service
      const made = yield* client()
      const revoked = yield* client()
      assertToken(yield* grant(grantForm(made)))
      assertToken(yield* grant(grantForm(revoked)))
      yield* Effect.orDie(administration.revokeClient(tenant.id, revoked.clientId, operator))
      const { clientId, clientSecret } = made
      const wrong = [
        { clientId: "wcs_oauth_0000000000000000", clientSecret },
        { clientId: "nobody", clientSecret },
        { clientId: clientId.toUpperCase(), clientSecret },
        { clientId: `${clientId} `, clientSecret },
        { clientId: `${clientId}\0`, clientSecret },
        { clientId, clientSecret: "wrong" },
        { clientId, clientSecret: `${clientSecret}x` },
        { clientId, clientSecret: clientSecret.slice(0, -1) },
        { clientId, clientSecret: clientSecret.toUpperCase() },
        { clientId, clientSecret: revoked.clientSecret },
        revoked
      ]
      const said = new Set<string>()
      for (const pair of wrong) {
        const inBody = yield* grant(grantForm(pair))
        assertInvalidClient(inBody, false, JSON.stringify(pair))
        const authorization = basic(pair.clientId, pair.clientSecret)
        const inHeader = yield* grant({ grant_type: "client_credentials" }, viaBasic(authorization))
        assertInvalidClient(inHeader, true, JSON.stringify(pair))
        said.add(inBody.text).add(inHeader.text)
      }
      assert.strictEqual(said.size, 1)
    })
  )

  it.effect("OAU-14: an unreadable Basic header is a failed attempt, and challenged", () =>
    Effect.gen(function* () {
      const grantType = { grant_type: "client_credentials" }
      for (const header of ["Basic", "Basic ", "Basic !!!", "Basic bm9jb2xvbg==", "basic Og==", "Basic a b"]) {
        assertInvalidClient(yield* grant(grantType, viaBasic(header)), true, header)
      }
      for (const header of ["Bearer nonsense", "Digest a=b", "nonsense", "Basically nonsense"]) {
        assertInvalidClient(yield* grant(grantType, viaBasic(header)), false, header)
      }
    })
  )

  it.effect("OAU-15: a repeated parameter is invalid_request", () =>
    Effect.gen(function* () {
      const made = yield* client()
      const good = new URLSearchParams(grantForm(made)).toString()
      assertToken(yield* grant(`${good}&scope=all`))
      for (const more of [
        "grant_type=client_credentials",
        `client_id=${made.clientId}`,
        `client_secret=${made.clientSecret}`,
        "client_secret=",
        "scope=a&scope=a"
      ]) {
        assertError(yield* grant(`${good}&${more}`), 400, "invalid_request", more)
      }
    })
  )

  it.effect("OAU-15: a form of more than 16 KiB is 413 and one that is not UTF-8 is 400, both invalid_request", () =>
    Effect.gen(function* () {
      const good = new URLSearchParams(grantForm(yield* client())).toString()
      const padded = (length: number) => `${good}&more=${"a".repeat(length - good.length - 6)}`
      const limit = 16 * 1024
      assert.strictEqual(padded(limit).length, limit)
      assertToken(yield* grant(padded(limit)))
      assertError(yield* grant(padded(limit + 1)), 413, "invalid_request")
      const bytes = new Uint8Array([...Buffer.from(good), 0xc3, 0x28])
      assertError(yield* grant("", { rawBody: bytes }), 400, "invalid_request")
    })
  )

  it.effect("OAU-20: JSON, and every other body that is not a form, is 400 in the endpoint's own shape", () =>
    Effect.gen(function* () {
      const form = grantForm(yield* client())
      const rawBody = new URLSearchParams(form).toString()
      const json = JSON.stringify(form)
      for (const [type, text] of [
        ["application/json", json],
        ["text/plain", rawBody],
        ["multipart/form-data; boundary=x", rawBody],
        ["application/x-www-form-urlencodedx", rawBody],
        ["application/x-www-form-urlencoded", json],
        ["", rawBody]
      ] as const) {
        const answer = yield* grant("", { rawBody: text, headers: { "content-type": type } })
        assertError(answer, 400, "unsupported_grant_type", type)
      }
      for (const type of ["application/x-www-form-urlencoded;charset=UTF-8", "Application/X-WWW-Form-Urlencoded"]) {
        assertToken(yield* grant("", { rawBody, headers: { "content-type": type } }))
      }
    })
  )

  it.effect("OAU-15, SIL-15: other methods are 405 invalid_request, and query parameters are ignored", () =>
    Effect.gen(function* () {
      const form = grantForm(yield* client())
      const query = new URLSearchParams(form).toString()
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const { call } = yield* Service
        const answer = yield* call({ method, path: `${tokenPath}?${query}`, token: null })
        assertError(answer, 405, "invalid_request", method)
        assert.strictEqual(answer.headers["allow"], "POST", method)
      }
      assertError(yield* grant("", { path: `${tokenPath}?${query}` }), 400, "unsupported_grant_type")
    })
  )

  it.effect("OAU-18: the tokens of two clients have the same rights, and see each other's data", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [one, two] = [yield* accessToken(), yield* accessToken()]
      const [ofOne, ofTwo] = [yield* EveryRoute.subjects, yield* EveryRoute.subjects]
      for (const route of EveryRoute.routes) {
        const byOne = yield* call({ ...EveryRoute.goodCall(route, ofOne), token: one.token })
        const byTwo = yield* call({ ...EveryRoute.goodCall(route, ofTwo), token: two.token })
        assert.strictEqual(byTwo.status, byOne.status, route.name)
        if (!route.name.endsWith(".list")) assert.deepStrictEqual(shapeOf(byTwo.json), shapeOf(byOne.json), route.name)
      }
      const body = { identity: { displayName: "Shared" } }
      const path = "/openapi/v1/workers"
      const id = textAt(yield* call({ method: "POST", path, body, token: one.token }), "data.id")
      const seen = yield* call({ method: "GET", path: `${path}/${id}`, token: two.token })
      assert.strictEqual(seen.status, 200)
      assert.strictEqual((yield* call({ method: "DELETE", path: `${path}/${id}`, token: two.token })).status, 204)
    })
  )

  it.effect("OAU-18: all clients act as the same account", () =>
    Effect.gen(function* () {
      const subjects = yield* Effect.forEach([yield* accessToken(), yield* accessToken()], ({ token }) =>
        Effect.sync(() => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub)
      )
      assert.match(subjects[0], /^urn:wcs:account:acc_[0-9A-Za-z]{16}$/)
      assert.strictEqual(subjects[1], subjects[0])
    })
  )

  it.effect("OAU-19: a new token works, and the earlier one until it expires", () =>
    Effect.gen(function* () {
      const { advance, call } = yield* Service
      const status = (token: string) =>
        Effect.map(call({ method: "GET", path: "/openapi/v1/workers", token }), ({ status }) => status)
      const made = yield* accessToken()
      yield* advance(1800)
      const later = assertToken(yield* grant(grantForm(made)))
      assert.notStrictEqual(later, made.token)
      assert.deepStrictEqual([yield* status(made.token), yield* status(later)], [200, 200])
      yield* advance(1801)
      assert.deepStrictEqual([yield* status(made.token), yield* status(later)], [401, 200])
      yield* advance(1800)
      assert.deepStrictEqual([yield* status(made.token), yield* status(later)], [401, 401])
      assert.strictEqual(yield* status(assertToken(yield* grant(grantForm(made)))), 200)
    })
  )

  it.effect("OAU-24: token responses of every status have Cache-Control: no-store", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const made = yield* client()
      const answers = [
        yield* grant(grantForm(made)),
        yield* grant({}),
        yield* grant(grantForm({ ...made, clientSecret: "wrong" })),
        yield* grant("a".repeat(17 * 1024)),
        yield* call({ method: "GET", path: tokenPath, token: null })
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 400, 401, 413, 405]
      )
      for (const { headers } of answers) {
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.strictEqual(headers["pragma"], "no-cache")
      }
    })
  )

  it.effect("OAU-16: only a client's own secret gets a token, not an access token or a personal token", () =>
    Effect.gen(function* () {
      const { superAdmin } = yield* Service
      const made = yield* accessToken()
      for (const form of [
        { grant_type: "refresh_token", refresh_token: made.token },
        { grant_type: "client_credentials", client_id: made.clientId, client_secret: made.token },
        { grant_type: "client_credentials", client_id: made.clientId, client_secret: superAdmin }
      ]) {
        const answer = yield* grant(form, viaBasic(`Bearer ${made.token}`))
        assert.include([400, 401], answer.status)
        assert.isUndefined(at(answer, "access_token"))
      }
    })
  )
})
