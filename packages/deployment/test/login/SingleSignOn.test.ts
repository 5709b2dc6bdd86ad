import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import * as ArmedStores from "../rules/access/ArmedStores.ts"
import { assertStatus, dataOf, get, patch, put, remove } from "../rules/NewerSurface.ts"
import { operator, Service } from "../Service.ts"
import { layerService, raisedLimits } from "../TestService.ts"
import { accountOf, assertFailed, type Browser, browser, called, fromOtherSite, refusals } from "./Browser.ts"
import { acs, begun, body, collection, connected, key, login, provider, user } from "./SamlLogin.ts"
import { answer, requestIn } from "./SamlProvider.ts"

const service = layerService(raisedLimits)
const password = "correct horse battery staple"

layer(service, { excludeTestServices: true })("single sign-on by SAML", (it) => {
  it.effect("AUT-16: logs an existing user in by their e-mail address, and afterwards by their subject", () =>
    Effect.gen(function* () {
      const { domain, email, id, subject } = yield* connected
      const client = yield* browser
      const redirect = yield* client.get(`/saml/${id}/login`)
      for (const flag of ["__Host-wcs-sso=", "HttpOnly", "Secure", "SameSite=None", "Path=/", "Max-Age=900"]) {
        assert.include(redirect.headers["set-cookie"] ?? "", flag)
      }
      const arrived = yield* login(client, id, { subject, email: `Ann@${domain}` })
      assert.strictEqual(arrived.status, 200, arrived.text)
      assert.include(arrived.text, 'http-equiv="refresh" content="0;url=/console"')
      assert.match(arrived.headers["set-cookie"] ?? "", /__Host-wcs=[0-9A-Za-z]{43};[^,]*SameSite=Strict/)
      assert.isFalse(client.jar.has("__Host-wcs-sso"))
      assert.strictEqual(yield* accountOf(client), email)
      const again = yield* browser
      yield* login(again, id, { subject, email: "renamed@elsewhere.example" })
      assert.strictEqual(yield* accountOf(again), email)
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
      const answers = yield* Effect.replicateEffect(replay, 20, { concurrency: "unbounded" })
      const sessions = answers.filter(({ headers }) => /__Host-wcs=/.test(headers["set-cookie"] ?? ""))
      assert.lengthOf(sessions, 1)
      assert.deepStrictEqual(yield* refusals(id), Array(19).fill("Replayed"))
    })
  )

  it.effect("threat 54: refuses another browser's response, one for another provider, and one after 15 minutes", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const { email, id, subject } = yield* connected
      const other = yield* provider()
      const [attacker, victim] = [yield* browser, yield* browser]
      const form = yield* begun(attacker, id, { subject, email })
      assertFailed(yield* victim.post(acs(id), form, fromOtherSite), victim)
      yield* begun(victim, id, { subject, email })
      assertFailed(yield* victim.post(acs(id), form, fromOtherSite), victim)
      assertFailed(yield* attacker.post(acs(other.id), form, fromOtherSite), attacker)
      yield* advance(15 * 60)
      assertFailed(yield* attacker.post(acs(id), form, fromOtherSite), attacker)
      yield* advance(-15 * 60)
      assert.deepStrictEqual(yield* refusals(id), ["Unsolicited", "RequestMismatch", "Unsolicited"])
      assert.deepStrictEqual(yield* refusals(other.id), ["Unsolicited"])
    })
  )

  it.effect("threat 54: binds a user to one subject; the audit log lists logins with outcome and account", () =>
    Effect.gen(function* () {
      const made = yield* connected
      yield* login(yield* browser, made.id, made)
      for (const person of [
        { ...made, subject: randomUUID() },
        { subject: randomUUID(), email: "eve@elsewhere.example" }
      ]) {
        const client = yield* browser
        assertFailed(yield* login(client, made.id, person), client)
      }
      const events = dataOf(yield* get(`/audit-events?entityId=${made.id}&pageSize=3`)).map(Object)
      assert.deepStrictEqual(
        events.map(({ account, action, operation }) => [action, operation, account]),
        [
          ["refuse login: DomainNotVerified", "CREATE", "urn:wcs:server"],
          ["refuse login: OtherSubject", "CREATE", "urn:wcs:server"],
          ["log in", "CREATE", accountUrn(made.accountId)]
        ]
      )
    })
  )

  it.effect("has logins of a provider until it is switched off, and its metadata until it is deleted", () =>
    Effect.gen(function* () {
      const { id } = yield* provider()
      const client = yield* browser
      const { headers, status, text } = yield* client.get(`/saml/${id}/metadata`)
      assert.strictEqual(status, 200)
      assert.include(headers["content-type"] ?? "", "application/samlmetadata+xml")
      assert.include(text, `entityID="https://localhost/saml/${id}/metadata"`)
      assert.include(text, `Location="https://localhost/saml/${id}/acs"`)
      const large = { SAMLResponse: "A".repeat(600 * 1024), RelayState: "" }
      assert.strictEqual((yield* client.post(acs(id), large, fromOtherSite)).status, 413)
      yield* patch(`${collection}/${id}`, { active: false })
      assert.strictEqual((yield* client.get(`/saml/${id}/login`)).status, 404)
      assertStatus(yield* remove(`${collection}/${id}`), 204)
      assert.strictEqual((yield* client.get(`/saml/${id}/metadata`)).status, 404)
    })
  )
})

const armed = ArmedStores.make()

layer(layerService(raisedLimits, armed.adapters), { excludeTestServices: true })("a login by SAML", (it) => {
  it.effect("is refused if its provider is switched off meanwhile", () =>
    Effect.gen(function* () {
      const made = yield* connected
      const service = yield* Service
      const switchOff = Effect.provideService(patch(`${collection}/${made.id}`, { active: false }), Service, service)
      yield* armed.arm("before SessionStore.insert", switchOff)
      const client = yield* browser
      assertFailed(yield* login(client, made.id, made), client)
      yield* armed.assertFired
      assert.deepStrictEqual(yield* refusals(made.id), ["ProviderInactive"])
    })
  )
})

const statusOf = (client: Browser) => Effect.map(called(client, "GET", "/me"), ({ status }) => status)

/** A person who is logged in twice: through the provider, and with a password. */
const loggedInTwice = Effect.gen(function* () {
  const made = yield* connected
  const { tenant, users } = yield* Service
  yield* Effect.orDie(users.setPassword(tenant.id, made.email, Redacted.make(password), operator))
  const [through, byPassword] = [yield* browser, yield* browser]
  yield* login(through, made.id, made)
  yield* byPassword.post("/login", { email: made.email, password })
  assert.deepStrictEqual([yield* statusOf(through), yield* statusOf(byPassword)], [200, 200])
  return { ...made, through, byPassword }
})

/** Moves the server's clock forward until the test ends. */
const ahead = (seconds: number) =>
  Service.use(({ advance }) => Effect.acquireRelease(advance(seconds), () => advance(-seconds)))

layer(service, { excludeTestServices: true })("sessions of an identity provider", (it) => {
  it.effect.each([
    ["PATCH", (id: string) => patch(`${collection}/${id}`, { active: false })],
    ["PUT", (id: string) => put(`${collection}/${id}`, body({ active: false }))],
    ["DELETE", (id: string) => remove(`${collection}/${id}`)]
  ] as const)("end when a %s switches the provider off, and no other sessions do", ([, change]) =>
    Effect.gen(function* () {
      const { byPassword, id, through } = yield* loggedInTwice
      const other = yield* connected
      const stranger = yield* browser
      yield* login(stranger, other.id, other)
      assert.include([200, 204], (yield* change(id)).status)
      const all = yield* Effect.forEach([through, byPassword, stranger], statusOf)
      assert.deepStrictEqual(all, [401, 200, 200])
    })
  )

  it.effect("stay when an update leaves the provider active, end only once, and stay ended", () =>
    Effect.gen(function* () {
      const { id, through } = yield* loggedInTwice
      assertStatus(yield* patch(`${collection}/${id}`, { name: "Renamed" }), 200)
      assert.strictEqual(yield* statusOf(through), 200)
      for (const active of [false, false, true]) assertStatus(yield* patch(`${collection}/${id}`, { active }), 200)
      assert.strictEqual(yield* statusOf(through), 401)
      const events = yield* get(`/audit-events?entityId=${id}&action=revoke%20all`)
      assert.lengthOf(dataOf(events), 1)
    })
  )

  it.effect("step up with the password if they began with it, else through the provider while it is offered", () =>
    Effect.gen(function* () {
      const { byPassword, id, through } = yield* loggedInTwice
      yield* ahead(16 * 60)
      const hasForm = ({ get }: Browser) =>
        Effect.map(get("/account"), ({ text }) => text.includes('action="/account/step-up"'))
      assert.deepStrictEqual([yield* hasForm(byPassword), yield* hasForm(through)], [true, false])
      assertStatus(yield* patch(`${collection}/${id}`, { domains: [] }), 200)
      assert.isTrue(yield* hasForm(through))
    })
  )
})

/** Answers a login that began at a path, with the provider's clock at a given time. */
const loginAt = Effect.fnUntraced(function* (
  client: Browser,
  path: string,
  { email, id, subject }: { readonly id: string; readonly subject: string; readonly email: string },
  now: number
) {
  const redirect = yield* client.get(path)
  assert.strictEqual(redirect.status, 303, redirect.text)
  const location = redirect.headers["location"] ?? ""
  const form = yield* Effect.promise(() => answer(location, key, { subject, email }, { now }))
  return { ...requestIn(location), arrived: yield* client.post(acs(id), form, fromOtherSite) }
})

layer(service, { excludeTestServices: true })("step-up through the identity provider", (it) => {
  it.effect("lets the person log in there again by a link, and the refused call succeeds", () =>
    Effect.gen(function* () {
      const made = yield* connected
      const { now } = yield* Service
      const client = yield* browser
      const mint = Effect.map(called(client, "POST", "/access-tokens", { name: "step-up" }), ({ status }) => status)
      const plain = yield* loginAt(client, `/saml/${made.id}/login`, made, yield* now)
      assert.deepStrictEqual([plain.forceAuthn, yield* mint], ["", 201])
      yield* ahead(16 * 60)
      assert.strictEqual(yield* mint, 401)
      const { text } = yield* client.get("/account")
      const link = /<a href="([^"]*)">Log in again through Example IdP<\/a>/.exec(text)?.[1] ?? ""
      assert.strictEqual(link, `/saml/${made.id}/login?fresh=true`)
      const fresh = yield* loginAt(client, link, made, yield* now)
      assert.deepStrictEqual([fresh.forceAuthn, fresh.arrived.status, yield* mint], ["true", 200, 201])
    })
  )

  it.effect("refuses a provider that ignores ForceAuthn and returns an old AuthnInstant, with the reason", () =>
    Effect.gen(function* () {
      const made = yield* connected
      const { now, tenant, users } = yield* Service
      const old = (yield* now) - 120_000
      const visitor = yield* browser
      assertFailed((yield* loginAt(visitor, `/saml/${made.id}/login?fresh=true`, made, old)).arrived, visitor)
      assert.deepStrictEqual(yield* refusals(made.id), ["NotFresh"])
      assertStatus((yield* loginAt(visitor, `/saml/${made.id}/login`, made, old)).arrived, 200)
      const admin = `admin@${made.domain}`
      yield* user(admin, ["identityProvider:UPDATE"])
      yield* Effect.orDie(users.setPassword(tenant.id, admin, Redacted.make(password), operator))
      const client = yield* browser
      yield* client.post("/login", { email: admin, password })
      const tested = yield* loginAt(client, `/saml/${made.id}/test?fresh=true`, made, old)
      assert.include(tested.arrived.text, "Configure the identity provider to obey ForceAuthn")
      assert.include(tested.arrived.text, "<code>NotFresh</code>")
    })
  )
})
