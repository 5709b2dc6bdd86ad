import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { Totp } from "@wcs/domain/second-factor/Totp"
import * as TotpLayer from "@wcs/keys/Totp"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { assertRefused, patch, post } from "../rules/NewerSurface.ts"
import * as Row from "../rules/Row.ts"
import { at, operator, Service, textAt, tokenOf } from "../Service.ts"
import { layerService } from "../TestService.ts"
import { accountOf, browser, fromOtherSite, refusals, sessionCookie } from "./Browser.ts"
import type { Key } from "./SamlKey.ts"
import {
  acs,
  body,
  collection,
  connected,
  freshDomain,
  key,
  login,
  otherKey,
  type Person,
  provider,
  user
} from "./SamlLogin.ts"
import { answer, metadataOf } from "./SamlProvider.ts"

const password = "correct horse battery staple"

/** A Super Admin with a password and a second factor, logged in. */
const superAdmin = Effect.gen(function* () {
  const { tenant, users } = yield* Service
  const made = yield* tokenOf("Super Admin")
  yield* Effect.orDie(users.setPassword(tenant.id, made.email, Redacted.make(password), operator))
  const client = yield* browser
  const half = yield* client.post("/login", { email: made.email, password })
  assert.strictEqual(half.headers["location"], "/login/enrol")
  const page = yield* client.post("/login/enrol", {})
  const seed = Redacted.make(/<code>([A-Z2-7]+)<\/code>/.exec(page.text)?.[1] ?? "")
  const totp = yield* Totp
  const step = stepOf(yield* Clock.currentTimeMillis)
  const confirmed = yield* client.post("/login/confirm", { code: totp.codeAt(seed, step) })
  assert.strictEqual(confirmed.status, 200, confirmed.text)
  const code = (ahead: number) => totp.codeAt(seed, step + ahead)
  return { ...made, client, code }
}).pipe(Effect.provide(TotpLayer.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))))

layer(layerService(), { excludeTestServices: true })("identity providers", (it) => {
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
        return (yield* client.post(acs(id), form, fromOtherSite)).text
      })
      const subject = randomUUID()
      assert.include(yield* attempt({ subject, email }), `It would log in <strong>${email}</strong>`)
      assert.include(yield* attempt({ subject, email: `no@${domain}` }), "No active user has the e-mail address")
      assert.include(yield* attempt({ subject, email }, otherKey), "<code>SignerUnknown</code>")
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

  it.effect("once required, refuses password logins in its domains, except of Super Admins with a second factor", () =>
    Effect.gen(function* () {
      const { domain, email, id } = yield* connected
      const { tenant, users } = yield* Service
      const admin = yield* superAdmin
      const boss = `boss@${domain}`
      yield* user(boss, "Super Admin")
      for (const one of [email, boss]) {
        yield* Effect.orDie(users.setPassword(tenant.id, one, Redacted.make(password), operator))
      }
      const call = `PATCH ${collection}/${id}`
      yield* Row.run([
        { call, body: { required: true }, expect: "UNPROCESSABLE: second factor" },
        { call, as: admin.token, body: { required: true }, expect: 200 }
      ])
      const client = yield* browser
      const refused = yield* client.post("/login", { email, password })
      assert.strictEqual(refused.status, 401)
      assert.include(refused.text, "Log in through Example IdP.")
      const wrong = yield* client.post("/login", { email, password: "wrong" })
      assert.include(wrong.text, "The email or the password is wrong.")
      const enrolling = yield* client.post("/login", { email: boss, password })
      assert.strictEqual(enrolling.headers["location"], "/login/enrol")
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
      const create = { call: `POST ${collection}` }
      const saml = { "data.saml.entityId": "https://idp.example.org/metadata" }
      const [made] = yield* Row.run([
        {
          ...create,
          body: body(),
          expect: {
            ...saml,
            "data.saml.ssoUrl": "https://idp.example.org/sso",
            "data.certificates.0.validity": "VALID"
          }
        }
      ])
      const id = textAt(made, "data.id")
      const replacement = body({ name: "C", metadata: metadataOf(otherKey) })
      const [, , replaced] = yield* Row.run([
        { call: `GET ${collection}/${id}`, expect: { data: at(made, "data"), "data.paths.back": acs(id) } },
        {
          ...create,
          body: { name: "B", kind: "saml", saml: at(made, "data.saml") },
          expect: { ...saml, "data.active": false }
        },
        {
          call: `PUT ${collection}/${id}`,
          body: replacement,
          expect: { "data.name": "C", "data.certificates.0.validity": "EXPIRES_SOON" }
        },
        { call: `DELETE ${collection}/${id}`, expect: 204 },
        { call: `GET ${collection}/${id}`, expect: "NOT_FOUND" }
      ])
      assert.match(textAt(replaced, "meta.warnings.0"), /^the certificate .* expires at /)
    })
  )

  it.effect("refuses broken metadata, both forms together, settings of the other kind, and wrong domains", () => {
    const saml = { entityId: "urn:a", ssoUrl: "javascript:alert(1)", certificates: [key.cert] }
    const wrong = { ...saml, ssoUrl: "https://a.example/", certificates: ["no"] }
    const rows: ReadonlyArray<readonly [more: Readonly<Record<string, unknown>>, hint: string]> = [
      [{ metadata: "<a/>" }, "metadata is refused: The document is"],
      [{ metadata: metadataOf(key, ' WantAuthnRequestsSigned="true"') }, "WantAuthnRequestsSigned"],
      [{ metadata: "a".repeat(300 * 1024) }, ""],
      [{ saml: {} }, "cannot be given together with saml"],
      [{ kind: "oidc", metadata: undefined, active: true }, "oidc is required before"],
      [{ metadata: undefined, active: true }, "saml or metadata is required before"],
      [{ oidc: { issuer: "https://idp.example.org", clientId: "a" } }, "kind saml"],
      [{ domains: ["Example.org"] }, "domains.0"],
      [{ metadata: undefined, saml }, "saml.ssoUrl"],
      [{ metadata: undefined, saml: wrong }, "saml.certificates is refused"]
    ]
    return Row.run(
      rows.map(([more, hint]) => ({
        call: `POST ${collection}`,
        body: body(more),
        expect: `INVALID_ARGUMENT: ${hint}`
      }))
    )
  })

  it.effect("shows its addresses before the settings of the provider are known, and is active only with them", () =>
    Effect.gen(function* () {
      const oidc = { issuer: "https://idp.example.org", clientId: "a" }
      const [saml, openId] = yield* Row.run([
        { call: `POST ${collection}`, body: { name: "A", kind: "saml" }, expect: { "data.saml": undefined } },
        { call: `POST ${collection}`, body: { name: "B", kind: "oidc" }, expect: { "data.oidc": undefined } }
      ])
      const [one, other] = [textAt(saml, "data.id"), textAt(openId, "data.id")]
      assert.strictEqual(at(saml, "data.paths.back"), acs(one))
      const update = (id: string, body: unknown, expect: Row.Row["expect"]) => ({
        call: `PATCH ${collection}/${id}`,
        body,
        expect
      })
      yield* Row.run([
        update(one, { active: true }, "INVALID_ARGUMENT: saml or metadata is required"),
        update(other, { active: true }, "INVALID_ARGUMENT: oidc is required"),
        update(one, { metadata: metadataOf(key), active: true }, { "data.active": true }),
        update(other, { oidc, active: true }, { "data.active": true }),
        // From now on they are fixed.
        update(one, { saml: { entityId: "urn:another" } }, "INVALID_ARGUMENT: saml.entityId cannot be changed"),
        update(one, { saml: null, active: false }, "INVALID_ARGUMENT: saml.entityId cannot be changed"),
        update(other, { oidc: { issuer: "https://evil.example" } }, "INVALID_ARGUMENT: oidc.issuer cannot be changed")
      ])
    })
  )

  it.effect("keeps entityID and issuer: another provider must prove its domains", () =>
    Effect.gen(function* () {
      const oidc = { issuer: "https://idp.example.org", clientId: "a" }
      const openIdFields = { name: "B", kind: "oidc" }
      const [saml, openId] = yield* Row.run([
        { call: `POST ${collection}`, body: body(), expect: 201 },
        { call: `POST ${collection}`, body: { ...openIdFields, oidc, clientSecret: "secret" }, expect: 201 }
      ])
      const entityId = textAt(saml, "data.saml.entityId")
      const [one, other] = [saml, openId].map((made) => `${collection}/${at(made, "data.id")}`)
      const moved = { ...Object(at(saml, "data.saml")), entityId: "urn:b" }
      const hint = "cannot be changed by an update: create another identity provider"
      const [ofSaml, ofOidc] = ["saml.entityId", "oidc.issuer"].map((field) => `INVALID_ARGUMENT: ${field} ${hint}`)
      const rows: ReadonlyArray<readonly [call: string, body: unknown, expect: Row.Row["expect"] | undefined]> = [
        [`PATCH ${one}`, { saml: { entityId: "urn:another" } }, ofSaml],
        [`PATCH ${one}`, { metadata: metadataOf(key).replace(entityId, "urn:another") }, ofSaml],
        [`PUT ${one}`, body({ metadata: undefined, saml: moved }), ofSaml],
        [`PATCH ${one}`, { metadata: metadataOf(key) }, 200],
        [`PATCH ${other}`, { oidc: { issuer: "https://evil.example" } }, ofOidc],
        [`PUT ${other}`, { ...openIdFields, oidc: { ...oidc, issuer: "https://b.example" } }, ofOidc],
        [`PUT ${other}`, { ...openIdFields, oidc: { ...oidc, clientId: "b" } }, { "data.hasClientSecret": true }]
      ]
      yield* Row.run(rows.map(([call, body, expect = ""]) => ({ call, body, expect })))
    })
  )

  it.effect("verifies a domain only by a TXT record that names the provider", () =>
    Effect.gen(function* () {
      const { publish } = yield* Service
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
      yield* publish(`_wcs-challenge.${foreign}`, "wcs-domain-verification=idp_0000000000000000")
      yield* publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
      const call = `PATCH ${collection}/${id}`
      const [verified] = yield* Row.run([
        { call: `POST ${collection}/${id}/verify-domains`, expect: { "data.verifiedDomains": [domain] } },
        { call, body: { domains: [foreign, domain] }, expect: { "data.verifiedDomains": [domain] } },
        { call, body: { domains: [foreign] }, expect: { "data.verifiedDomains": [] } },
        { call, body: { domains: [foreign, domain] }, expect: { "data.verifiedDomains": [] } }
      ])
      assert.include(textAt(verified, "meta.warnings.0"), `${foreign} is not verified`)
    })
  )
})
