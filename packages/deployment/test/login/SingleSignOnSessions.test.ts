import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import * as ArmedStores from "../rules/access/ArmedStores.ts"
import { assertStatus, get, patch, put, remove } from "../rules/NewerSurface.ts"
import { at, operator, Service } from "../Service.ts"
import { layerService, raisedLimits } from "../TestService.ts"
import { type Browser, browser, called, fromOtherSite } from "./Browser.ts"
import { acs, assertFailed, body, collection, connected, key, login, refusals, user } from "./SamlLogin.ts"
import { answer, requestIn } from "./SamlProvider.ts"

const service = layerService(raisedLimits)
const password = "correct horse battery staple"

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

layer(service, { excludeTestServices: true })("sessions of an identity provider", (it) => {
  it.effect.each([
    ["PATCH", (id: string) => patch(`${collection}/${id}`, { active: false })],
    ["PUT", (id: string) => put(`${collection}/${id}`, body({ active: false }))],
    ["DELETE", (id: string) => remove(`${collection}/${id}`)]
  ] as const)("end when a %s switches the provider off, and sessions by password do not", ([, change]) =>
    Effect.gen(function* () {
      const { byPassword, id, through } = yield* loggedInTwice
      const other = yield* connected
      const stranger = yield* browser
      yield* login(stranger, other.id, other)
      assert.include([200, 204], (yield* change(id)).status)
      assert.deepStrictEqual([yield* statusOf(through), yield* statusOf(byPassword)], [401, 200])
      assert.strictEqual(yield* statusOf(stranger), 200)
    })
  )

  it.effect("stay when an update leaves the provider active", () =>
    Effect.gen(function* () {
      const { id, through } = yield* loggedInTwice
      assertStatus(yield* patch(`${collection}/${id}`, { name: "Renamed" }), 200)
      assert.strictEqual(yield* statusOf(through), 200)
    })
  )

  it.effect("stay ended when the provider is switched on again, and end only once", () =>
    Effect.gen(function* () {
      const { id, through } = yield* loggedInTwice
      for (const active of [false, false, true]) assertStatus(yield* patch(`${collection}/${id}`, { active }), 200)
      assert.strictEqual(yield* statusOf(through), 401)
      const events = yield* get(`/audit-events?entityId=${id}&pageSize=100`)
      const actions = (at(events, "data") as ReadonlyArray<{ readonly action: string }>).map(({ action }) => action)
      assert.strictEqual(actions.filter((action) => action === "revoke all").length, 1)
    })
  )
})

const armed = ArmedStores.make()

layer(layerService(raisedLimits, armed.adapters), { excludeTestServices: true })(
  "a login during which its provider is switched off",
  (it) => {
    it.effect("is refused", () =>
      Effect.gen(function* () {
        const made = yield* connected
        const service = yield* Service
        const switchOff = Effect.provideService(patch(`${collection}/${made.id}`, { active: false }), Service, service)
        yield* armed.arm("AccessStore.findAccountByEmail", switchOff)
        const client = yield* browser
        assertFailed(yield* login(client, made.id, made), client)
        yield* armed.assertFired
        assert.deepStrictEqual(yield* refusals(made.id), ["ProviderInactive"])
      })
    )
  }
)

/** Moves the server's clock forward until the test ends. */
const ahead = (seconds: number) =>
  Service.use(({ advance }) => Effect.acquireRelease(advance(seconds), () => advance(-seconds)))

const minting = { name: "step-up" }

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

layer(service, { excludeTestServices: true })("the audit log of an identity provider", (it) => {
  it.effect("lists the last logins with their outcome and account", () =>
    Effect.gen(function* () {
      const made = yield* connected
      yield* login(yield* browser, made.id, made)
      yield* login(yield* browser, made.id, { ...made, email: "eve@elsewhere.example", subject: randomUUID() })
      yield* login(yield* browser, made.id, made)
      const events = yield* get(`/audit-events?entityId=${made.id}&pageSize=3`)
      const listed = at(events, "data") as ReadonlyArray<Readonly<Record<"action" | "account" | "operation", string>>>
      const person = accountUrn(made.accountId)
      assert.deepStrictEqual(
        listed.map(({ account, action, operation }) => [action, operation, account]),
        [
          ["log in", "CREATE", person],
          ["refuse login: DomainNotVerified", "CREATE", "urn:wcs:server"],
          ["log in", "CREATE", person]
        ]
      )
    })
  )
})

layer(service, { excludeTestServices: true })("step-up through the identity provider", (it) => {
  it.effect("lets the person log in there again by a link, and the refused call succeeds", () =>
    Effect.gen(function* () {
      const made = yield* connected
      const { now } = yield* Service
      const client = yield* browser
      const plain = yield* loginAt(client, `/saml/${made.id}/login`, made, yield* now)
      assert.strictEqual(plain.forceAuthn, "")
      assertStatus(yield* called(client, "POST", "/access-tokens", minting), 201)
      yield* ahead(16 * 60)
      assertStatus(yield* called(client, "POST", "/access-tokens", minting), 401)
      const { text } = yield* client.get("/account")
      const link = /<a href="([^"]*)">Log in again through Example IdP<\/a>/.exec(text)?.[1] ?? ""
      assert.strictEqual(link, `/saml/${made.id}/login?fresh=true`)
      assert.notInclude(text, 'action="/account/step-up"')
      const fresh = yield* loginAt(client, link, made, yield* now)
      assert.strictEqual(fresh.forceAuthn, "true")
      assert.strictEqual(fresh.arrived.status, 200, fresh.arrived.text)
      assertStatus(yield* called(client, "POST", "/access-tokens", minting), 201)
    })
  )

  it.effect("refuses a provider that ignores ForceAuthn and returns an old AuthnInstant", () =>
    Effect.gen(function* () {
      const made = yield* connected
      const twoMinutesAgo = (yield* (yield* Service).now) - 120_000
      const client = yield* browser
      const refused = yield* loginAt(client, `/saml/${made.id}/login?fresh=true`, made, twoMinutesAgo)
      assertFailed(refused.arrived, client)
      assert.deepStrictEqual(yield* refusals(made.id), ["NotFresh"])
      const plain = yield* loginAt(client, `/saml/${made.id}/login`, made, twoMinutesAgo)
      assert.strictEqual(plain.arrived.status, 200, plain.arrived.text)
    })
  )

  it.effect("shows the reason in a fresh test login", () =>
    Effect.gen(function* () {
      const made = yield* connected
      const { now, tenant, users } = yield* Service
      const admin = `admin@${made.domain}`
      yield* user(admin, ["identityProvider:UPDATE"])
      yield* Effect.orDie(users.setPassword(tenant.id, admin, Redacted.make(password), operator))
      const client = yield* browser
      yield* client.post("/login", { email: admin, password })
      const tested = yield* loginAt(client, `/saml/${made.id}/test?fresh=true`, made, (yield* now) - 120_000)
      assert.include(tested.arrived.text, "Configure the identity provider to obey ForceAuthn")
      assert.include(tested.arrived.text, "<code>NotFresh</code>")
    })
  )

  it.effect("requires the password for a session that began with a password, even after its domain is removed", () =>
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
