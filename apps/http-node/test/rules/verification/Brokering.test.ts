import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, accessToken, at, type Call, client, grant, grantForm, Service, tokenOf } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertRefused, root } from "../NewerSurface.ts"

/** Paths that a brokering deployment would use (§4.2), and paths that look like the token endpoint. */
const paths = [
  "/oauth",
  "/oauth/",
  "/oauth/recruiter",
  "/oauth/recruiter/",
  "/oauth/recruiter/authorize",
  "/oauth/recruiter/callback?code=abc&state=def",
  "/oauth/police-check/token",
  "/oauth/recruiter/oauth/token",
  "/oauth/token/recruiter",
  "/oauth/token/token",
  "/oauth/token//",
  "/oauth//token",
  "/oauth/Token",
  "/oauth/TOKEN",
  "/oauth/token.json",
  "/oauth/token;v=1",
  "/oauth/token%2f",
  "/oauth/token%20",
  "/oauth%2ftoken",
  "/oauth/tokens",
  "/oauth/revoke",
  "/oauth/introspect",
  "/oauth/%",
  "/oauth/%ff/callback",
  "/oauth/__proto__/callback"
].map((path) => root + path)

const form = { "content-type": "application/x-www-form-urlencoded" }
const json = { "content-type": "application/json" }

/** Fails if the response has the token endpoint's shape, a token, or authenticates the caller. */
const assertNoGrant = (answer: Answer, what: string) => {
  for (const name of ["access_token", "token_type", "expires_in", "error_description"]) {
    assert.isUndefined(at(answer, name), `${what} ${answer.text}`)
  }
  assert.isNotString(at(answer, "error"), what)
  for (const name of ["set-cookie", "location", "authorization"]) assert.isUndefined(answer.headers[name], what)
}

const assertUnauthorized = (answer: Answer, what: string) => {
  assert.strictEqual(answer.status, 401, `${what} ${answer.text}`)
  assert.deepStrictEqual(answer.json, { message: "Unauthorized to perform this action" }, what)
  assert.strictEqual(answer.headers["www-authenticate"], 'Bearer realm="wcs"', what)
}

/** Every kind of credentials, all valid at the token endpoint. */
const attempts = Effect.gen(function* () {
  const made = yield* client()
  const grantBody = new URLSearchParams(grantForm(made)).toString()
  const basic = `Basic ${Buffer.from(`${made.clientId}:${made.clientSecret}`).toString("base64")}`
  return [
    {},
    { rawBody: grantBody, headers: form },
    { rawBody: "grant_type=client_credentials", headers: { ...form, authorization: basic } },
    { body: grantForm(made) },
    { rawBody: "{", headers: json },
    { rawBody: "grant_type=authorization_code&code=abc", headers: form }
  ] satisfies ReadonlyArray<Partial<Call>>
})

layer(layerService(), { excludeTestServices: true })("disabled brokering", (it) => {
  it.effect("OAU-22, AUT-01: without a token every request is 401, as on all of the newer surface", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const sent of yield* attempts) {
        for (const path of paths) {
          const answer = yield* call({ method: "POST", path, token: null, ...sent })
          assertUnauthorized(answer, path)
          assertNoGrant(answer, path)
        }
      }
    })
  )

  it.effect("OAU-22, ENV-02: with a token of either kind, and without any privilege, it is 404 NOT_FOUND", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const tokens = [(yield* tokenOf([])).token, (yield* tokenOf("Super Admin")).token, (yield* accessToken()).token]
      for (const { headers, ...sent } of yield* attempts) {
        for (const path of paths) {
          for (const token of tokens) {
            // Basic replaces the bearer token if both are sent.
            const { authorization: _, ...others } = { authorization: "", ...headers }
            const answer = yield* call({ method: "POST", path, ...sent, headers: others, token })
            assertRefused(answer, "NOT_FOUND")
            assertNoGrant(answer, path)
          }
        }
      }
    })
  )

  it.effect("OAU-22: is the same with every method", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]) {
        for (const path of paths) {
          assert.strictEqual((yield* call({ method, path, token: null })).status, 401, `${method} ${path}`)
          const answer = yield* call({ method, path })
          assert.strictEqual(answer.status, 404, `${method} ${path}`)
          assert.isUndefined(answer.headers["allow"])
        }
      }
    })
  )

  it.effect("OAU-22: no response contains a bearer token", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [, granting = {}] = yield* attempts
      for (const path of paths.slice(0, 8)) {
        const answer = yield* call({ method: "POST", path, ...granting })
        const words = [answer.text, ...Object.values(answer.headers)].flatMap((text) => text.match(/[\w.-]{8,}/g) ?? [])
        assert.isNotEmpty(words)
        for (const token of words) {
          const used = yield* call({ method: "GET", path: `${root}/workers`, token })
          assertUnauthorized(used, token)
        }
      }
      // The control: the same grant at the token endpoint returns one.
      const made = yield* accessToken()
      assert.strictEqual((yield* call({ method: "GET", path: `${root}/workers`, token: made.token })).status, 200)
    })
  )

  it.effect("outside the newer surface these paths do not exist either", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const path of [
        "/oauth/token",
        "/oauth/recruiter/callback",
        "/openapi/oauth/token",
        "/openapi/v2/oauth/token"
      ]) {
        for (const sent of yield* attempts) {
          const answer = yield* call({ method: "POST", path, token: null, ...sent })
          assertRefused(answer, "NOT_FOUND")
          assertNoGrant(answer, path)
        }
      }
    })
  )
})

const limits = { ...raisedLimits, standard: 4, unauthenticated: 3, tokenFailures: 1, tokensIssued: 1 }
const provider = `${root}/oauth/recruiter/callback`

layer(layerService(limits), { excludeTestServices: true })("disabled brokering and rate limits", (it) => {
  const remaining = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"])
  const times = (count: number, call: Call) =>
    Service.use((service) => Effect.replicateEffect(service.call(call), count))

  it.effect("RTL-01, RTL-04: with a token it counts like any call of its user, up to 429", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf("Viewer")
      assert.strictEqual(remaining(yield* call({ method: "GET", path: `${root}/workers`, token })), 3)
      const answers = yield* times(5, { method: "POST", path: provider, token })
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [404, 404, 404, 429, 429]
      )
      assert.deepStrictEqual(answers.map(remaining), [2, 1, 0, 0, 0])
      for (const answer of answers.slice(3)) assertRefused(answer, "TOO_MANY_REQUESTS")
    })
  )

  it.effect("RTL-08, OAU-22: without a token it counts by the address, and not at the token endpoint", () =>
    Effect.gen(function* () {
      const made = yield* client()
      const body = new URLSearchParams(grantForm(made)).toString()
      const address = "127.0.0.3"
      const sent = { method: "POST", path: provider, token: null, rawBody: body, headers: form, address }
      const answers = yield* times(5, sent)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [401, 401, 401, 429, 429]
      )
      assert.deepStrictEqual(answers.map(remaining), [2, 1, 0, 0, 0])
      for (const answer of answers.slice(3)) assertRefused(answer, "TOO_MANY_REQUESTS")
      // Neither a failure nor a token was counted there: one of each is still allowed.
      const failed = yield* grant({ ...grantForm(made), client_secret: "wrong" }, { address })
      assert.strictEqual(failed.status, 401)
      assert.strictEqual(remaining(failed), 0)
      assert.strictEqual((yield* grant(grantForm(made), { address: "127.0.0.2" })).status, 200)
    })
  )
})
