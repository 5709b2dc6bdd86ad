import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { Totp } from "@wcs/domain/second-factor/Totp"
import * as TotpLayer from "@wcs/keys/Totp"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { assertRefused, assertStatus, get, patch, post, put, remove } from "../rules/NewerSurface.ts"
import { at, operator, Service, textAt, tokenOf } from "../Service.ts"
import { layerService, raisedLimits } from "../TestService.ts"
import { accountOf, browser, fromOtherSite, sessionCookie } from "./Browser.ts"
import type { Key } from "./SamlKey.ts"
import {
  acs,
  assertFailed,
  begun,
  body,
  collection,
  connected,
  freshDomain,
  key,
  login,
  otherKey,
  type Person,
  provider,
  refusals,
  user
} from "./SamlLogin.ts"
import { answer, metadataOf } from "./SamlProvider.ts"

const service = layerService(raisedLimits)
const password = "correct horse battery staple"

layer(service, { excludeTestServices: true })("single sign-on by SAML", (it) => {
  it.effect("AUT-16: logs an existing user in by their e-mail address, and afterwards by their subject", () =>
    Effect.gen(function* () {
      const { domain, email, id, subject } = yield* connected
      const client = yield* browser
      const arrived = yield* login(client, id, { subject, email: `Ann@${domain}` })
      assert.strictEqual(arrived.status, 200, arrived.text)
      assert.include(arrived.text, 'http-equiv="refresh" content="0;url=/console"')
      assert.strictEqual(yield* accountOf(client), email)
      const again = yield* browser
      yield* login(again, id, { subject, email: "renamed@elsewhere.example" })
      assert.strictEqual(yield* accountOf(again), email)
    })
  )

  it.effect("sets a cookie for the pending login that a cross-site post sends, and no other cookie is sent", () =>
    Effect.gen(function* () {
      const { email, id, subject } = yield* connected
      const client = yield* browser
      const redirect = yield* client.get(`/saml/${id}/login`)
      const line = redirect.headers["set-cookie"] ?? ""
      for (const flag of ["__Host-wcs-sso=", "HttpOnly", "Secure", "SameSite=None", "Path=/", "Max-Age=900"]) {
        assert.include(line, flag)
      }
      const arrived = yield* login(client, id, { subject, email })
      assert.match(arrived.headers["set-cookie"] ?? "", /__Host-wcs=[0-9A-Za-z]{43};[^,]*SameSite=Strict/)
      assert.isFalse(client.jar.has("__Host-wcs-sso"))
    })
  )

  it.effect("threat 54: accepts exactly one of twenty parallel replays", () =>
    Effect.gen(function* () {
      const { email, id, subject } = yield* connected
      const client = yield* browser
      const form = yield* begun(client, id, { subject, email })
      const cookie = `__Host-wcs-sso=${client.jar.get("__Host-wcs-sso")?.value}`
      const { call } = yield* Service
      const replay = call({
        method: "POST",
        path: acs(id),
        token: null,
        headers: { ...fromOtherSite, cookie },
        rawBody: new URLSearchParams(form).toString()
      })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => replay),
        { concurrency: "unbounded" }
      )
      const sessions = answers.filter(({ headers }) => /__Host-wcs=/.test(headers["set-cookie"] ?? ""))
      assert.strictEqual(sessions.length, 1)
      assert.deepStrictEqual(yield* refusals(id), Array(19).fill("Replayed"))
    })
  )

  it.effect(
    "threat 54: refuses another browser's response, a login started at the provider, and one for another provider",
    () =>
      Effect.gen(function* () {
        const { email, id, subject } = yield* connected
        const [attacker, victim] = [yield* browser, yield* browser]
        const form = yield* begun(attacker, id, { subject, email })
        assertFailed(yield* victim.post(acs(id), form, fromOtherSite), victim)
        yield* begun(victim, id, { subject, email })
        assertFailed(yield* victim.post(acs(id), form, fromOtherSite), victim)
        const other = yield* provider()
        assertFailed(yield* attacker.post(acs(other.id), form, fromOtherSite), attacker)
        assert.deepStrictEqual(yield* refusals(id), ["Unsolicited", "RequestMismatch"])
        assert.deepStrictEqual(yield* refusals(other.id), ["Unsolicited"])
      })
  )

  it.effect("refuses other keys, other audiences and unsigned responses, with the reason in the audit log", () =>
    Effect.gen(function* () {
      const { email, id, subject } = yield* connected
      const person = { subject, email }
      const attempts: ReadonlyArray<readonly [Key, Parameters<typeof answer>[3]]> = [
        [otherKey, {}],
        [key, { audience: "https://other.example.com" }],
        [key, { signAssertion: false }],
        [key, { recipient: "https://other.example.com/acs" }]
      ]
      for (const [by, options] of attempts) {
        const client = yield* browser
        assertFailed(yield* login(client, id, person, by, options), client)
      }
      const reasons = ["SignerUnknown", "AudienceMismatch", "NotSigned", "RecipientMismatch"]
      assert.deepStrictEqual(yield* refusals(id), reasons)
    })
  )

  it.effect("refuses a login after the 15 minutes of a pending login", () =>
    Effect.gen(function* () {
      const { email, id, subject } = yield* connected
      const { advance } = yield* Service
      const client = yield* browser
      const form = yield* begun(client, id, { subject, email })
      yield* advance(15 * 60)
      assertFailed(yield* client.post(acs(id), form, fromOtherSite), client)
      assert.deepStrictEqual(yield* refusals(id), ["Unsolicited"])
      yield* advance(-15 * 60)
    })
  )

  it.effect(
    "threat 54: never accepts an unverified domain, an unknown or deactivated user, or a second subject of a user",
    () =>
      Effect.gen(function* () {
        const { domain, email, id, subject } = yield* connected
        const { tenant, users } = yield* Service
        const outside = `eve@${freshDomain()}`
        yield* user(outside, "Super Admin")
        const gone = `gone@${domain}`
        yield* user(gone)
        yield* Effect.orDie(users.setActive(tenant.id, gone, false, operator))
        const attempt = Effect.fnUntraced(function* (person: Person) {
          const client = yield* browser
          assertFailed(yield* login(client, id, person), client)
        })
        yield* attempt({ subject, email: outside })
        yield* attempt({ subject, email: `nobody@${domain}` })
        yield* attempt({ subject, email: gone })
        yield* attempt({ subject, email: "" })
        yield* login(yield* browser, id, { subject, email })
        yield* attempt({ subject: randomUUID(), email })
        const reasons = ["DomainNotVerified", "NoUser", "NoUser", "EmailMissing", "OtherSubject"]
        assert.deepStrictEqual(yield* refusals(id), reasons)
      })
  )

  it.effect("refuses a bound user after the domain is removed, and after the provider is switched off", () =>
    Effect.gen(function* () {
      const { email, id, subject } = yield* connected
      yield* login(yield* browser, id, { subject, email })
      yield* patch(`${collection}/${id}`, { domains: [] })
      const client = yield* browser
      assertFailed(yield* login(client, id, { subject, email }), client)
      assert.deepStrictEqual(yield* refusals(id), ["DomainNotVerified"])
      const form = yield* begun(client, id, { subject, email })
      yield* patch(`${collection}/${id}`, { active: false })
      assertFailed(yield* client.post(acs(id), form, fromOtherSite), client)
      assert.strictEqual((yield* client.get(`/saml/${id}/login`)).status, 404)
      assertStatus(yield* remove(`${collection}/${id}`), 204)
      assert.strictEqual((yield* client.get(`/saml/${id}/metadata`)).status, 404)
    })
  )

  it.effect("has metadata that names the entity and the assertion consumer service", () =>
    Effect.gen(function* () {
      const { id } = yield* provider()
      const { headers, status, text } = yield* (yield* browser).get(`/saml/${id}/metadata`)
      assert.strictEqual(status, 200)
      assert.include(headers["content-type"] ?? "", "application/samlmetadata+xml")
      assert.include(text, `entityID="https://localhost/saml/${id}/metadata"`)
      assert.include(text, `Location="https://localhost/saml/${id}/acs"`)
    })
  )

  it.effect("refuses an oversized response without reading it", () =>
    Effect.gen(function* () {
      const { id } = yield* provider()
      const client = yield* browser
      const form = { SAMLResponse: "A".repeat(600 * 1024), RelayState: "" }
      assert.strictEqual((yield* client.post(acs(id), form, fromOtherSite)).status, 413)
    })
  )
})

/** A Super Admin with a password and a second factor, logged in. */
const superAdmin = Effect.gen(function* () {
  const { tenant, users } = yield* Service
  const made = yield* tokenOf("Super Admin")
  yield* Effect.orDie(users.setPassword(tenant.id, made.email, Redacted.make(password), operator))
  const client = yield* browser
  assert.strictEqual(
    (yield* client.post("/login", { email: made.email, password })).headers["location"],
    "/login/enrol"
  )
  const page = yield* client.post("/login/enrol", {})
  const seed = Redacted.make(/<code>([A-Z2-7]+)<\/code>/.exec(page.text)?.[1] ?? "")
  const totp = yield* Totp
  const step = stepOf(yield* Clock.currentTimeMillis)
  const confirmed = yield* client.post("/login/confirm", { code: totp.codeAt(seed, step) })
  assert.strictEqual(confirmed.status, 200, confirmed.text)
  const code = (ahead: number) => totp.codeAt(seed, step + ahead)
  return { ...made, client, code }
}).pipe(Effect.provide(TotpLayer.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))))

layer(service, { excludeTestServices: true })("identity providers", (it) => {
  it.effect("shows the result of a test login to the administrator, and starts no session", () =>
    Effect.gen(function* () {
      const { domain, email, id } = yield* connected
      yield* patch(`${collection}/${id}`, { active: false })
      const { client } = yield* superAdmin
      const before = client.jar.get(sessionCookie)
      const attempt = Effect.fnUntraced(function* (person: Person, by: Key = key) {
        const redirect = yield* client.get(`/saml/${id}/test`)
        assert.strictEqual(redirect.status, 303, redirect.text)
        const form = yield* Effect.promise(() => answer(redirect.headers["location"] ?? "", by, person))
        return yield* client.post(acs(id), form, fromOtherSite)
      })
      const subject = randomUUID()
      assert.include((yield* attempt({ subject, email })).text, `It would log in <strong>${email}</strong>`)
      assert.include((yield* attempt({ subject, email: `no@${domain}` })).text, "No active user has the e-mail address")
      assert.include((yield* attempt({ subject, email }, otherKey)).text, "<code>SignerUnknown</code>")
      assert.deepStrictEqual(client.jar.get(sessionCookie), before)
      assert.deepStrictEqual(yield* refusals(id), [])
    })
  )

  it.effect("requires a session with UPDATE for a test login", () =>
    Effect.gen(function* () {
      const { email, id, subject } = yield* connected
      const client = yield* browser
      assert.strictEqual((yield* client.get(`/saml/${id}/test`)).headers["location"], "/login")
      yield* login(client, id, { subject, email })
      assertRefused(yield* client.get(`/saml/${id}/test`), "FORBIDDEN", "unauthorized to UPDATE identity providers")
      const crossSite = yield* client.get(`/saml/${id}/test`, { "sec-fetch-site": "same-site" })
      assert.strictEqual(crossSite.headers["location"], "/login")
    })
  )

  it.effect(
    "once required, refuses password logins in its domains, except those of Super Admins with a second factor",
    () =>
      Effect.gen(function* () {
        const { domain, email, id } = yield* connected
        const { call, tenant, users } = yield* Service
        const admin = yield* superAdmin
        yield* Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(password), operator))
        const boss = `boss@${domain}`
        yield* user(boss, "Super Admin")
        yield* Effect.orDie(users.setPassword(tenant.id, boss, Redacted.make(password), operator))
        assertRefused(yield* patch(`${collection}/${id}`, { required: true }), "UNPROCESSABLE", "second factor")
        const path = `/openapi/v1${collection}/${id}`
        const required = yield* call({ method: "PATCH", path, token: admin.token, body: { required: true } })
        assertStatus(required, 200)
        const client = yield* browser
        const refused = yield* client.post("/login", { email, password })
        assert.strictEqual(refused.status, 401)
        assert.include(refused.text, "Log in through Example IdP.")
        const wrong = yield* client.post("/login", { email, password: "wrong" })
        assert.include(wrong.text, "The email or the password is wrong.")
        assert.strictEqual(
          (yield* client.post("/login", { email: boss, password })).headers["location"],
          "/login/enrol"
        )
        yield* admin.client.post("/logout", {})
        const half = yield* admin.client.post("/login", { email: admin.email, password })
        assert.strictEqual(half.headers["location"], "/login/code")
        yield* admin.client.post("/login/code", { code: admin.code(1) })
        assert.strictEqual(yield* accountOf(admin.client), admin.email)
      })
  )

  it.effect("offers active providers by name to people who log in", () =>
    Effect.gen(function* () {
      const { id } = yield* provider({ name: "A <b> & C" })
      const off = yield* provider({ active: false })
      const { text } = yield* (yield* browser).get("/login/sso")
      assert.include(text, `<a href="/saml/${id}/login">A &lt;b&gt; &amp; C</a>`)
      assert.notInclude(text, off.id)
    })
  )

  it.effect("is created by metadata or by fields, read, replaced and deleted", () =>
    Effect.gen(function* () {
      const made = yield* post(collection, body())
      assertStatus(made, 201)
      const id = textAt(made, "data.id")
      assert.strictEqual(at(made, "data.saml.entityId"), "https://idp.example.org/metadata")
      assert.strictEqual(at(made, "data.saml.ssoUrl"), "https://idp.example.org/sso")
      assert.strictEqual(at(made, "data.certificates.0.validity"), "VALID")
      assert.strictEqual(at(made, "data.paths.back"), `/saml/${id}/acs`)
      const shown = at(yield* get(`${collection}/${id}`), "data")
      assert.deepStrictEqual(shown, at(made, "data"))
      const saml = at(made, "data.saml")
      const byFields = yield* post(collection, { name: "B", kind: "saml", saml })
      assert.deepStrictEqual(at(byFields, "data.saml"), saml)
      assert.isFalse(at(byFields, "data.active"))
      const replaced = yield* put(`${collection}/${id}`, body({ name: "C", metadata: metadataOf(otherKey) }))
      assert.strictEqual(at(replaced, "data.name"), "C")
      assert.strictEqual(at(replaced, "data.certificates.0.validity"), "EXPIRES_SOON")
      assert.match(String(at(replaced, "meta.warnings.0")), /^the certificate .* expires at /)
      assertStatus(yield* remove(`${collection}/${id}`), 204)
      assertRefused(yield* get(`${collection}/${id}`), "NOT_FOUND")
    })
  )

  it.effect("refuses broken metadata, both forms together, settings of the other kind, and wrong domains", () =>
    Effect.gen(function* () {
      const refused = Effect.fnUntraced(function* (more: Readonly<Record<string, unknown>>, hint: string) {
        assertRefused(yield* post(collection, body(more)), "INVALID_ARGUMENT", hint)
      })
      yield* refused({ metadata: "<a/>" }, "metadata is refused: The document is")
      yield* refused({ metadata: `<!DOCTYPE a>${metadataOf(key)}` }, "DOCTYPE")
      yield* refused({ metadata: metadataOf(key, ' WantAuthnRequestsSigned="true"') }, "WantAuthnRequestsSigned")
      yield* refused({ metadata: "a".repeat(300 * 1024) }, "")
      yield* refused({ saml: {} }, "cannot be given together with saml")
      yield* refused({ kind: "oidc" }, "oidc is required")
      yield* refused({ oidc: { issuer: "https://idp.example.org", clientId: "a" } }, "kind saml")
      yield* refused({ domains: ["Example.org"] }, "domains.0")
      yield* refused({ domains: ["org"] }, "domains.0")
      const saml = { entityId: "urn:a", ssoUrl: "javascript:alert(1)", certificates: [key.cert] }
      yield* refused({ metadata: undefined, saml }, "saml.ssoUrl")
      const wrong = { ...saml, ssoUrl: "https://a.example/", certificates: ["no"] }
      yield* refused({ metadata: undefined, saml: wrong }, "saml.certificates is refused")
    })
  )

  it.effect("keeps entityID and issuer: another provider must prove its domains", () =>
    Effect.gen(function* () {
      const saml = yield* post(collection, body())
      const entityId = textAt(saml, "data.saml.entityId")
      const oidc = { issuer: "https://idp.example.org", clientId: "a" }
      const openId = yield* post(collection, { name: "B", kind: "oidc", oidc, clientSecret: "secret" })
      const path = (made: typeof saml) => `${collection}/${textAt(made, "data.id")}`
      const hint = "cannot be changed by an update: create another identity provider"
      const others = metadataOf(key).replace(entityId, "urn:another")
      const samlSettings = Object(at(saml, "data.saml"))
      const changes = [
        [yield* patch(path(saml), { saml: { entityId: "urn:another" } }), "saml.entityId"],
        [yield* patch(path(saml), { metadata: others }), "saml.entityId"],
        [
          yield* put(path(saml), body({ metadata: undefined, saml: { ...samlSettings, entityId: "urn:b" } })),
          "saml.entityId"
        ],
        [yield* patch(path(openId), { oidc: { issuer: "https://evil.example" } }), "oidc.issuer"],
        [
          yield* put(path(openId), { name: "B", kind: "oidc", oidc: { ...oidc, issuer: "https://b.example" } }),
          "oidc.issuer"
        ]
      ] as const
      for (const [answer, field] of changes) assertRefused(answer, "INVALID_ARGUMENT", `${field} ${hint}`)
      assertStatus(yield* patch(path(saml), { metadata: metadataOf(key) }), 200)
      const same = yield* put(path(openId), { name: "B", kind: "oidc", oidc: { ...oidc, clientId: "b" } })
      assert.isTrue(at(same, "data.hasClientSecret"), same.text)
    })
  )

  it.effect("verifies a domain only by a TXT record that names the provider", () =>
    Effect.gen(function* () {
      const [domain, foreign] = [freshDomain(), freshDomain()]
      const made = yield* post(collection, body({ domains: [domain, foreign], verifiedDomains: [domain, foreign] }))
      const id = textAt(made, "data.id")
      assert.deepStrictEqual(at(made, "data.verifiedDomains"), [])
      assert.deepStrictEqual(at(made, "data.domainProofs.0"), {
        domain,
        verified: false,
        recordName: `_wcs-challenge.${domain}`,
        recordText: `wcs-domain-verification=${id}`
      })
      const { publish } = yield* Service
      yield* publish(`_wcs-challenge.${foreign}`, "wcs-domain-verification=idp_0000000000000000")
      yield* publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
      const verified = yield* post(`${collection}/${id}/verify-domains`)
      assert.deepStrictEqual(at(verified, "data.verifiedDomains"), [domain])
      assert.include(String(at(verified, "meta.warnings.0")), `${foreign} is not verified`)
      const grown = yield* patch(`${collection}/${id}`, { domains: [foreign, domain] })
      assert.deepStrictEqual(at(grown, "data.verifiedDomains"), [domain])
      yield* patch(`${collection}/${id}`, { domains: [foreign] })
      const back = yield* patch(`${collection}/${id}`, { domains: [foreign, domain] })
      assert.deepStrictEqual(at(back, "data.verifiedDomains"), [])
    })
  )

  it.effect("lets Admins only read identity providers, and refuses the reads of other roles", () =>
    Effect.gen(function* () {
      const { id } = yield* provider()
      const { call } = yield* Service
      const path = `/openapi/v1${collection}/${id}`
      const [admin, viewer] = [yield* tokenOf("Admin"), yield* tokenOf("Viewer")]
      assertStatus(yield* call({ method: "GET", path, token: admin.token }), 200)
      assertRefused(yield* call({ method: "DELETE", path, token: admin.token }), "FORBIDDEN")
      assertRefused(yield* call({ method: "GET", path, token: viewer.token }), "FORBIDDEN")
    })
  )
})
