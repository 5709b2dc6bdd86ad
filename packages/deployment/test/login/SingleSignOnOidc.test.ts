import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertStatus, patch, post } from "../rules/NewerSurface.ts"
import * as Row from "../rules/Row.ts"
import { Service, textAt } from "../Service.ts"
import { layerService, raisedLimits } from "../TestService.ts"
import { accountOf, assertFailed, type Browser, browser, called, refusals } from "./Browser.ts"
import { accept, audience, type Connected, claimsOf, connected, local } from "./OidcConnection.ts"
import { clientId, type OidcPerson } from "./OidcProvider.ts"

const service = layerService(raisedLimits, {}, local)

const crossSite = { "sec-fetch-site": "cross-site" }

/** Begins a login, logs the person in at the provider, and returns the path of the redirect back. */
const returned = Effect.fnUntraced(function* (
  { get }: Browser,
  { id, idp }: Connected,
  person: OidcPerson,
  path = `/oidc/${id}/login`,
  rewrite: (location: string) => string = (location) => location
) {
  const redirect = yield* get(path)
  assert.strictEqual(redirect.status, 303, redirect.text)
  const back = new URL(yield* idp.login(rewrite(redirect.headers["location"] ?? ""), person))
  assert.strictEqual(back.origin, "https://localhost")
  return `${back.pathname}${back.search}`
})

layer(service, { excludeTestServices: true })("single sign-on by OpenID Connect", (it) => {
  it.effect("logs an existing user in with a code, PKCE, state and nonce", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const client = yield* browser
      const redirect = yield* client.get(`/oidc/${connection.id}/login`)
      const { searchParams } = new URL(redirect.headers["location"] ?? "")
      assert.strictEqual(searchParams.get("response_type"), "code")
      assert.strictEqual(searchParams.get("code_challenge_method"), "S256")
      for (const name of ["state", "nonce", "code_challenge"]) assert.isAbove(searchParams.get(name)?.length ?? 0, 20)
      const path = yield* returned(client, connection, connection.person)
      const arrived = yield* client.get(path, crossSite)
      assert.strictEqual(arrived.status, 200, arrived.text)
      assert.strictEqual(yield* accountOf(client), connection.email)
    })
  )

  it.effect("refuses a replayed code and state, in this browser and with the old cookie", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const client = yield* browser
      const path = yield* returned(client, connection, connection.person)
      const pending = client.jar.get("__Host-wcs-sso")
      assert.strictEqual((yield* client.get(path, crossSite)).status, 200)
      const replay = yield* browser
      assertFailed(yield* replay.get(path, crossSite), replay)
      if (pending !== undefined) replay.jar.set("__Host-wcs-sso", pending)
      assertFailed(yield* replay.get(path, crossSite), replay)
      assert.deepStrictEqual(yield* refusals(connection.id), ["Unsolicited", "CodeRefused"])
    })
  )

  it.effect("refuses another browser's code, another issuer's answer, and a wrong nonce", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const [attacker, victim] = [yield* browser, yield* browser]
      const path = yield* returned(attacker, connection, connection.person)
      yield* returned(victim, connection, connection.person)
      assertFailed(yield* victim.get(path, crossSite), victim)
      const mixed = yield* returned(victim, connection, connection.person)
      const elsewhere = mixed.replace(/iss=[^&]*/, `iss=${encodeURIComponent("https://evil.example")}`)
      assert.notStrictEqual(elsewhere, mixed)
      assertFailed(yield* victim.get(elsewhere, crossSite), victim)
      const another = (location: string) => location.replace(/nonce=[^&]*/, "nonce=another-nonce-than-ours")
      const nonced = yield* returned(victim, connection, connection.person, undefined, another)
      assertFailed(yield* victim.get(nonced, crossSite), victim)
      assert.deepStrictEqual(yield* refusals(connection.id), ["CodeRefused", "CodeRefused", "CodeRefused"])
    })
  )

  it.effect("threat 57: trusts its verified domains if it never sends email_verified, and only then", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const oidc = { issuer: connection.idp.issuer, clientId, trustVerifiedDomains: true, bearerAudience: audience }
      const login = Effect.fnUntraced(function* (claims: object) {
        const client = yield* browser
        const person = { ...connection.person, emailVerified: undefined, ...claims }
        yield* client.get(yield* returned(client, connection, person), crossSite)
        return yield* accountOf(client)
      })
      assert.isUndefined(yield* login({}))
      assertStatus(yield* patch(`/identity-providers/${connection.id}`, { oidc }), 200)
      assert.isUndefined(yield* login({ emailVerified: false }))
      assert.isUndefined(yield* login({ email: "ann@elsewhere.example" }))
      assert.strictEqual(yield* login({}), connection.email)
      const reasons = ["EmailNotVerified", "EmailNotVerified", "DomainNotVerified"]
      assert.deepStrictEqual(yield* refusals(connection.id), reasons)
      const { email_verified: _, ...claims } = claimsOf(connection)
      const bearers = [claims, { ...claims, email_verified: false }, { ...claims, xms_edov: false }]
      const statuses = yield* Effect.forEach(bearers, (one) => bearing(connection.idp.jwt(one)))
      assert.deepStrictEqual(statuses, [200, 401, 401])
      const open = { issuer: "https://login.microsoftonline.com/common/v2.0", clientId, trustVerifiedDomains: true }
      const body = { name: "Anybody", kind: "oidc", oidc: open }
      yield* Row.run([{ call: "POST /identity-providers", body, expect: "INVALID_ARGUMENT" }])
    })
  )

  it.effect("refuses a provider that cannot be reached, with the reason in the audit log", () =>
    Effect.gen(function* () {
      const oidc = { issuer: "http://127.0.0.1:9", clientId }
      const made = yield* post("/identity-providers", { name: "Away", kind: "oidc", active: true, oidc })
      const id = textAt(made, "data.id")
      const client = yield* browser
      assertFailed(yield* client.get(`/oidc/${id}/login`), client)
      assert.deepStrictEqual(yield* refusals(id), ["ProviderUnreachable"])
    })
  )
})

const hourAgo = () => Math.floor(Date.now() / 1000) - 3600

layer(service, { excludeTestServices: true })("step-up through the OpenID provider", (it) => {
  it.effect("lets the person log in there again by a link, and the refused call succeeds", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const client = yield* browser
      const mint = Effect.map(called(client, "POST", "/access-tokens", { name: "step-up" }), ({ status }) => status)
      const old = { ...connection.person, loggedInAt: hourAgo() }
      // A provider reports the time of a login if max_age is requested.
      const asking = (location: string) => `${location}&max_age=86400`
      yield* client.get(yield* returned(client, connection, old, undefined, asking), crossSite)
      assert.strictEqual(yield* mint, 401)
      const { text } = yield* client.get("/account")
      const link = /<a href="([^"]*)">Log in again through OpenID<\/a>/.exec(text)?.[1] ?? ""
      assert.strictEqual(link, `/oidc/${connection.id}/login?fresh=true`)
      const { searchParams } = new URL((yield* client.get(link)).headers["location"] ?? "")
      assert.deepStrictEqual([searchParams.get("prompt"), searchParams.get("max_age")], ["login", "0"])
      const arrived = yield* client.get(yield* returned(client, connection, connection.person, link), crossSite)
      assert.strictEqual(arrived.status, 200, arrived.text)
      assert.strictEqual(yield* mint, 201)
    })
  )

  it.effect("refuses an old login, and one without a login time", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const path = `/oidc/${connection.id}/login?fresh=true`
      const client = yield* browser
      const old = { ...connection.person, loggedInAt: hourAgo() }
      assertFailed(yield* client.get(yield* returned(client, connection, old, path), crossSite), client)
      const without = (location: string) => location.replace(/&(prompt|max_age)=[^&]*/g, "")
      const altered = yield* returned(client, connection, connection.person, path, without)
      assertFailed(yield* client.get(altered, crossSite), client)
      assert.deepStrictEqual(yield* refusals(connection.id), ["NotFresh", "CodeRefused"])
    })
  )
})

/** The status of a call with a bearer, and its account. */
const bearing = Effect.fnUntraced(function* (token: string, host = "localhost") {
  const { call } = yield* Service
  return (yield* call({ method: "GET", path: "/openapi/v1/workers", token, host })).status
})

/** A connection that accepts tokens of its provider. */
const accepting = Effect.gen(function* () {
  const connection = yield* connected
  yield* accept(connection)
  return connection
})

layer(service, { excludeTestServices: true })("bearer tokens of an external provider", (it) => {
  it.effect("AUT-14: a token of the provider acts as its user, and creates no secrets without a login here", () =>
    Effect.gen(function* () {
      const connection = yield* accepting
      const as = connection.idp.jwt(claimsOf(connection))
      const [, , refused] = yield* Row.run([
        { call: "GET /workers", as, expect: 200 },
        { call: "POST /workers", as, body: { identity: { displayName: "Ann" } }, expect: "FORBIDDEN" },
        { call: "POST /access-tokens", as, body: { name: "outlives the token of the provider" }, expect: 401 }
      ])
      assert.include(refused.headers["www-authenticate"], "insufficient_user_authentication")
    })
  )

  it.effect("AUT-14: accepts no token until an audience is set, and none after the provider is switched off", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const as = connection.idp.jwt(claimsOf(connection))
      const oidc = { issuer: connection.idp.issuer, clientId }
      const change = { call: `PATCH /identity-providers/${connection.id}` }
      yield* Row.run([
        { call: "GET /workers", as, expect: 401 },
        { ...change, body: { oidc: { ...oidc, bearerAudience: audience } }, expect: 200 },
        { call: "GET /workers", as, expect: 200 },
        { ...change, body: { active: false }, expect: 200 },
        { call: "GET /workers", as, expect: 401 },
        { ...change, body: { oidc: { ...oidc, bearerAudience: clientId } }, expect: "INVALID_ARGUMENT" }
      ])
    })
  )

  it.effect("refuses other issuers, audiences, keys, algorithms, times, addresses and tenants", () =>
    Effect.gen(function* () {
      const [connection, other] = [yield* accepting, yield* connected]
      const { jwt, kid } = connection.idp
      const claims = claimsOf(connection)
      const now = Math.floor(Date.now() / 1000)
      const { exp: _, ...endless } = claims
      const bare = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url")
      const unsigned = `${bare({ alg: "none" })}.${bare(claims)}.`
      const hostile = {
        "another issuer": jwt({ ...claims, iss: "https://evil.example" }),
        "another audience": jwt({ ...claims, aud: clientId }),
        "a key of another provider": other.idp.jwt(claims, { kid }),
        "no signature": unsigned,
        "an algorithm with a shared secret": jwt(claims, { alg: "HS256" }),
        expired: jwt({ ...claims, exp: now - 120 }),
        "without an expiry": jwt(endless),
        "not valid yet": jwt({ ...claims, nbf: now + 600 }),
        "an address that is not verified": jwt({ ...claims, email_verified: false }),
        "an address without email_verified": jwt({ ...claims, email_verified: undefined }),
        "an address of another domain": jwt({ ...claims, email: "super@example.org" }),
        "an address of an unknown user": jwt({ ...claims, email: `nobody@${connection.domain}` }),
        altered: `${jwt(claims).split(".")[0]}.${bare({ ...claims, sub: "x" })}.${jwt(claims).split(".")[2]}`
      }
      assert.strictEqual(yield* bearing(jwt(claims)), 200)
      for (const [name, token] of Object.entries(hostile)) assert.strictEqual(yield* bearing(token), 401, name)
      assert.strictEqual(yield* bearing(jwt(claims), "other.localhost"), 401)
    })
  )
})
