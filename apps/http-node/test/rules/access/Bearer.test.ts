import { createHmac, createPublicKey } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { unguarded } from "@wcs/api/Guard"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { Effect } from "effect"
import { type Answer, accessToken, at, type Call, Service, textAt, tokenFor, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { shapeOf } from "../answer/Shape.ts"
import * as EveryRoute from "../EveryRoute.ts"

const operator = { account: operatorUrn, bearer: null, requestId: "test" }
const list: Call = { method: "GET", path: "/openapi/v1/workers" }
const withHeader = (authorization: string): Call => ({ ...list, token: null, headers: { authorization } })

/** The 401: a message without a code (AUT-06, AUT-07). */
const assertUnauthorized = (answer: Answer, what = "") => {
  assert.strictEqual(answer.status, 401, `${what} ${answer.text}`)
  assert.deepStrictEqual(answer.json, { message: "Unauthorized to perform this action" }, what)
  assert.strictEqual(answer.headers["www-authenticate"], 'Bearer realm="wcs"', what)
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/, what)
}

const statusWith = Effect.fnUntraced(function* (token: string) {
  const { call } = yield* Service
  return (yield* call({ ...list, token })).status
})

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())

/** Forgeries from a valid token and our public key (threats 5 and 6). */
const forged = (token: string, publicKey: { readonly x: string; readonly kid: string }) => {
  const [header = "", payload = "", signature = ""] = token.split(".")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey.x }, format: "jwk" })
  const swap = (text: string, index: number) =>
    `${text.slice(0, index)}${text.charAt(index) === "A" ? "B" : "A"}${text.slice(index + 1)}`
  const headed = (changes: object) => base64url({ ...decoded(header), ...changes })
  const claiming = (changes: object) => base64url({ ...decoded(payload), ...changes })
  const hmac = (secret: string | Buffer, alg = "HS256") => {
    const input = `${headed({ alg })}.${payload}`
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
  }
  return {
    "random text": "nonsense",
    "random text of a token's length": "a".repeat(token.length),
    "only dots": "..",
    "a JWT without its signature": `${header}.${payload}`,
    "a JWT with an empty signature": `${header}.${payload}.`,
    "a JWT truncated in its signature": token.slice(0, -10),
    "a JWT truncated in its payload": `${header}.${payload.slice(0, -4)}.${signature}`,
    "the payload alone": payload,
    "a payload with one letter changed": `${header}.${swap(payload, 30)}.${signature}`,
    "a payload that expires later": `${header}.${claiming({ exp: 9_999_999_999 })}.${signature}`,
    "a payload of another client": `${header}.${claiming({ client_id: "wcs_oauth_0000000000000000" })}.${signature}`,
    "a payload of another tenant": `${header}.${claiming({ tenant: "tnt_0000000000000000" })}.${signature}`,
    "a payload for the other surface": `${header}.${claiming({ aud: "wcs/api" })}.${signature}`,
    "a signature with its first letter changed": `${header}.${payload}.${swap(signature, 0)}`,
    "a signature of zeros only": `${header}.${payload}.${"A".repeat(86)}`,
    "alg none": `${headed({ alg: "none" })}.${payload}.`,
    "alg None with the signature": `${headed({ alg: "None" })}.${payload}.${signature}`,
    "alg none for another expiry": `${headed({ alg: "none" })}.${claiming({ exp: 9_999_999_999 })}.`,
    "HS256 with the public key's bytes": hmac(Buffer.from(publicKey.x, "base64url")),
    "HS256 with the public key's text": hmac(publicKey.x),
    "HS256 with the public key's PEM": hmac(String(key.export({ type: "spki", format: "pem" }))),
    "an HMAC that claims to be EdDSA": hmac(publicKey.x, "EdDSA"),
    "a typ of another kind": `${headed({ typ: "JWT" })}.${payload}.${signature}`,
    "a kid that is a path": `${headed({ kid: "../../../../dev/null" })}.${payload}.${signature}`,
    "a key in the header": `${headed({ jwk: { kty: "OKP", crv: "Ed25519", x: publicKey.x } })}.${payload}.${signature}`,
    "a token with an additional letter": `${token}A`,
    "a token with padding": `${token}=`,
    "a token twice": `${token}${token}`,
    "a token of 10 kB": token.replace(".", `${"A".repeat(10_000)}.`),
    "an unknown personal token": "wcs_pat_000000000000000000000000000000000000000000"
  }
}

layer(layerService())("bearer tokens", (it) => {
  it.effect("AUT-01, AUT-06, AUT-07: a call without Authorization is 401 on every route of every group", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* EveryRoute.subjects
      assert.sameMembers(
        [...new Set(EveryRoute.routes.map(({ name }) => name.split(".")[0]))],
        [...Object.keys(EveryRoute.groups), ...EveryRoute.byCredentials, "me"]
      )
      assert.deepStrictEqual(unguarded, ["oauth.token"])
      for (const route of EveryRoute.routes) {
        assertUnauthorized(yield* call({ ...EveryRoute.goodCall(route, of), token: null }), route.name)
        assertUnauthorized(yield* call({ ...EveryRoute.badCall(route), token: null }), `${route.name}, bad`)
        const control = yield* call(EveryRoute.goodCall(route, yield* EveryRoute.subjects))
        assert.strictEqual(control.status, EveryRoute.goodStatus(route), route.name)
      }
    })
  )

  it.effect("AUT-01: without a token unknown paths of the newer surface are 401", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const none = { token: null }
      assertUnauthorized(yield* call({ method: "GET", path: "/openapi/v1/nonsense", ...none }))
      assertUnauthorized(yield* call({ method: "GET", path: "/openapi/v1", ...none }))
      assertUnauthorized(yield* call({ method: "DELETE", path: "/openapi/v1/workers", ...none }))
      assertUnauthorized(yield* call({ method: "GET", path: "/openapi/v1/oauth/provider/callback", ...none }))
      assert.strictEqual((yield* call({ method: "GET", path: "/openapi/v1/nonsense" })).status, 404)
    })
  )

  it.effect("AUT-02: a header without the Bearer prefix is 401", () =>
    Effect.gen(function* () {
      const { call, superAdmin } = yield* Service
      const made = yield* accessToken()
      const pair = (id: string, secret: string) => Buffer.from(`${id}:${secret}`).toString("base64")
      for (const authorization of [
        superAdmin,
        made.token,
        "",
        "Bearer",
        "Bearer ",
        `Bearer${superAdmin}`,
        `Bearer: ${superAdmin}`,
        `Token ${superAdmin}`,
        `Basic ${superAdmin}`,
        `Basic ${pair(made.clientId, made.clientSecret)}`,
        `Basic ${pair("", superAdmin)}`,
        `Basic ${pair("super@example.org", superAdmin)}`,
        `xBearer ${superAdmin}`,
        `Bearer ${superAdmin} ${superAdmin}`,
        `Basic nonsense, Bearer ${superAdmin}`
      ]) {
        assertUnauthorized(yield* call(withHeader(authorization)), authorization)
      }
      for (const token of [superAdmin, made.token]) {
        assert.strictEqual((yield* call(withHeader(`Bearer ${token}`))).status, 200)
      }
    })
  )

  it.effect("AUT-02: a token outside that header is ignored", () =>
    Effect.gen(function* () {
      const { call, superAdmin } = yield* Service
      const elsewhere: ReadonlyArray<Partial<Call>> = [
        { path: `${list.path}?access_token=${superAdmin}` },
        { headers: { cookie: `access_token=${superAdmin}` } },
        { headers: { "x-authorization": `Bearer ${superAdmin}` } },
        { headers: { "proxy-authorization": `Bearer ${superAdmin}` } },
        { headers: { "x-api-key": superAdmin } }
      ]
      for (const more of elsewhere) assertUnauthorized(yield* call({ ...list, ...more, token: null }))
    })
  )

  it.effect("AUT-03: the prefix matches in every letter case", () =>
    Effect.gen(function* () {
      const { call, superAdmin } = yield* Service
      const { token } = yield* accessToken()
      for (const scheme of ["Bearer", "bearer", "BEARER", "BeArEr"]) {
        for (const one of [superAdmin, token]) {
          assert.strictEqual((yield* call(withHeader(`${scheme} ${one}`))).status, 200, scheme)
        }
        assertUnauthorized(yield* call(withHeader(`${scheme} nonsense`)), scheme)
      }
    })
  )

  it.effect("AUT-04, AUT-06, AUT-07, threats 5 and 6: every malformed or forged token is 401", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* accessToken()
      const jwks = yield* call({ method: "GET", path: "/.well-known/jwks.json", token: null })
      const { kid } = decoded(token.split(".")[0] ?? "")
      assert.strictEqual(textAt(jwks, "keys.0.kid"), kid)
      assert.isUndefined(at(jwks, "keys.0.d"))
      const forgeries = Object.entries(forged(token, { kid, x: textAt(jwks, "keys.0.x") }))
      for (const [what, forgery] of forgeries) {
        assert.notStrictEqual(forgery, token, what)
        assertUnauthorized(yield* call({ ...list, token: forgery }), what)
        assert.strictEqual(yield* statusWith(token), 200, what)
      }
    })
  )

  it.effect("AUT-04, threat 13: a personal token with one letter changed is 401", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("Viewer")
      for (let index = 0; index < token.length; index++) {
        const letter = token.charAt(index) === "a" ? "b" : "a"
        const changed = token.slice(0, index) + letter + token.slice(index + 1)
        assert.strictEqual(yield* statusWith(changed), 401, changed)
      }
      assert.strictEqual(yield* statusWith(token), 200)
      for (const changed of [token.toUpperCase(), token.toLowerCase(), token.slice(0, -1), `${token}0`]) {
        assert.strictEqual(yield* statusWith(changed), 401, changed)
      }
    })
  )

  it.effect("AUT-05: an access token is accepted until it expires, and then 401 on every route", () =>
    Effect.gen(function* () {
      const { advance, call } = yield* Service
      const { token } = yield* accessToken()
      assert.strictEqual(yield* statusWith(token), 200)
      yield* advance(3500)
      assert.strictEqual(yield* statusWith(token), 200)
      yield* advance(101)
      const of = yield* EveryRoute.subjects
      for (const route of EveryRoute.routes) {
        assertUnauthorized(yield* call({ ...EveryRoute.goodCall(route, of), token }), route.name)
      }
    })
  )

  it.effect("AUT-05: so is a personal token with a lifetime; one without stays valid", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const user = yield* tokenOf("Viewer")
      const short = yield* tokenFor(user.email, 600)
      assert.strictEqual(yield* statusWith(short.token), 200)
      yield* advance(500)
      assert.strictEqual(yield* statusWith(short.token), 200)
      yield* advance(101)
      assert.strictEqual(yield* statusWith(short.token), 401)
      yield* advance(10 * 365 * 24 * 3600)
      assert.strictEqual(yield* statusWith(user.token), 200)
    })
  )

  it.effect("AUT-08, AUT-09: a personal token works in the same header, with exactly its user's privileges", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const viewer = yield* tokenOf("Viewer")
      const another = yield* tokenFor(viewer.email)
      const body = { identity: { displayName: "Ann" } }
      for (const { token } of [viewer, another]) {
        assert.strictEqual((yield* call({ ...list, token })).status, 200)
        const refused = yield* call({ method: "POST", path: list.path, body, token })
        assert.strictEqual(refused.status, 403)
        assert.strictEqual(textAt(refused, "error.message"), `${viewer.urn} is unauthorized to CREATE workers.`)
      }
      const limited = yield* tokenOf(["worker:CREATE"])
      assert.strictEqual((yield* call({ method: "POST", path: list.path, body, token: limited.token })).status, 201)
      assert.strictEqual((yield* call({ ...list, token: limited.token })).status, 403)
    })
  )

  it.effect("AUT-10: every route treats both kinds of token alike: same statuses, same shapes, same headers", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const personal = (yield* tokenOf("Super Admin")).token
      const { token: oauth } = yield* accessToken()
      const missing = { ...EveryRoute.missing }
      // Only users have personal tokens, and the service account is not a user (DECISIONS.md#access): nothing else
      // differs.
      const apart = ["accessTokens.create", "apiClients.create", "me.read"] // /me shows the bearer itself
      const alike = EveryRoute.routes.filter(({ name }) => !apart.includes(name))
      const refused = alike.flatMap((route) => [
        () => EveryRoute.badCall(route),
        () => EveryRoute.goodCall(route, missing)
      ])
      const unknown: ReadonlyArray<() => Call> = [
        () => ({ method: "GET", path: "/openapi/v1/nonsense" }),
        () => ({ method: "DELETE", path: list.path })
      ]
      const seen = (answer: Answer) => ({
        status: answer.status,
        code: at(answer, "error.code"),
        shape: shapeOf(answer.json),
        headers: Object.keys(answer.headers).toSorted(),
        limit: answer.headers["x-ratelimit-limit"]
      })
      for (const make of [...refused, ...unknown]) {
        const byOAuth = seen(yield* call({ ...make(), token: oauth }))
        const { method, path } = make()
        assert.deepStrictEqual(byOAuth, seen(yield* call({ ...make(), token: personal })), `${method} ${path}`)
      }
      for (const route of alike) {
        const byOAuth = yield* call({ ...EveryRoute.goodCall(route, yield* EveryRoute.subjects), token: oauth })
        const byPerson = yield* call({ ...EveryRoute.goodCall(route, yield* EveryRoute.subjects), token: personal })
        assert.strictEqual(byPerson.status, EveryRoute.goodStatus(route), `${route.name}: ${byPerson.text}`)
        const [ofOAuth, ofPerson] = [seen(byOAuth), seen(byPerson)]
        // A list has grown meanwhile, so one item gives the shape.
        const shapes = [byOAuth, byPerson].map((answer) =>
          shapeOf({ first: at(answer, "data.0"), meta: at(answer, "meta") })
        )
        if (route.name.endsWith(".list")) assert.deepStrictEqual(shapes[0], shapes[1], route.name)
        else assert.deepStrictEqual(ofOAuth, ofPerson, route.name)
      }
    })
  )

  it.effect("AUT-11, AUT-12: during a rotation both tokens work; the old one is 401 once revoked, and no other", () =>
    Effect.gen(function* () {
      const { administration, call, tenant } = yield* Service
      const old = yield* tokenOf("Super Admin")
      const next = yield* tokenFor(old.email)
      const bystander = yield* tokenOf("Super Admin")
      const statuses = () => Effect.forEach([old, next, bystander], ({ token }) => statusWith(token))
      assert.deepStrictEqual(yield* statuses(), [200, 200, 200])
      assert.deepStrictEqual(yield* statuses(), [200, 200, 200])
      yield* Effect.orDie(administration.revokeToken(tenant.id, old.id, operator))
      assert.deepStrictEqual(yield* statuses(), [401, 200, 200])
      assertUnauthorized(yield* call({ ...list, token: old.token }))
      yield* Effect.orDie(administration.revokeToken(tenant.id, old.id, operator))
      assert.deepStrictEqual(yield* statuses(), [401, 200, 200])
    })
  )

  it.effect(
    "AUT-12, threat 7: a revoked personal token, and a revoked client's tokens, are 401 immediately on every route",
    () =>
      Effect.gen(function* () {
        const { administration, call, tenant } = yield* Service
        const personal = yield* tokenOf("Super Admin")
        const oauth = yield* accessToken()
        const bystander = yield* accessToken()
        const of = yield* EveryRoute.subjects
        // Both are cached by an earlier call, so this tests that the cache is invalidated.
        for (const { token } of [personal, oauth, bystander]) assert.strictEqual(yield* statusWith(token), 200)
        yield* Effect.orDie(administration.revokeToken(tenant.id, personal.id, operator))
        yield* Effect.orDie(administration.revokeClient(tenant.id, oauth.clientId, operator))
        for (const route of EveryRoute.routes) {
          for (const { token } of [personal, oauth]) {
            assertUnauthorized(yield* call({ ...EveryRoute.goodCall(route, of), token }), route.name)
          }
        }
        assert.strictEqual(yield* statusWith(bystander.token), 200)
      })
  )
})
