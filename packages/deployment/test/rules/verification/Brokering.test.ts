import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, accessToken, at, type Call, client, grantForm, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
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
})
