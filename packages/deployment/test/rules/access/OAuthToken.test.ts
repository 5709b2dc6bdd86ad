import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, type Call, client, grant, grantForm, Service, textAt, tokenPath } from "../../Service.ts"
import { layerService } from "../../TestService.ts"

const challenge = 'Basic realm="service-oauth"'
const viaBasic = (authorization: string): Partial<Call> => ({ headers: { authorization } })

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
})
