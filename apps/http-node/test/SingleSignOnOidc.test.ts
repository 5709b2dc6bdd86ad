import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accountOf, type Browser, browser, sessionCookie } from "./Browser.ts"
import { clientId, clientSecret, type OidcPerson, oidcProvider } from "./OidcProvider.ts"
import { assertStatus, get, patch, post } from "./rules/NewerSurface.ts"
import { at, operator, Service, textAt } from "./Service.ts"
import { layerService, raisedLimits } from "./TestService.ts"

// The provider listens on this machine, without TLS.
const local = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1" }
const service = layerService(raisedLimits, undefined, local)

const crossSite = { "sec-fetch-site": "cross-site" }

/** A connection to a provider of its own, with a user of its verified domain. */
const connected = Effect.gen(function* () {
  const { administration, publish, tenant } = yield* Service
  const idp = yield* oidcProvider
  const domain = `${randomUUID()}.example`
  const oidc = { issuer: idp.issuer, clientId }
  const body = { name: "OpenID", kind: "oidc", active: true, domains: [domain], clientSecret, oidc }
  const made = yield* post("/identity-providers", body)
  assertStatus(made, 201)
  assert.isTrue(at(made, "data.hasClientSecret"))
  assert.notInclude(made.text, clientSecret)
  const id = textAt(made, "data.id")
  yield* publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
  assertStatus(yield* post(`/identity-providers/${id}/verify-domains`), 200)
  idp.register(`https://localhost/oidc/${id}/callback`)
  const email = `ann@${domain}`
  yield* Effect.orDie(administration.createUser(tenant.id, email, "Viewer", operator))
  return { domain, email, id, idp, person: { subject: randomUUID(), email, emailVerified: true } }
})

type Connected = Effect.Success<typeof connected>

/** Begins a login, has the person log in at the provider, and returns the path that the browser comes back to. */
const returned = Effect.fnUntraced(function* ({ get }: Browser, { id, idp }: Connected, person: OidcPerson) {
  const redirect = yield* get(`/oidc/${id}/login`)
  assert.strictEqual(redirect.status, 303, redirect.text)
  const back = new URL(yield* idp.login(redirect.headers["location"] ?? "", person))
  assert.strictEqual(back.origin, "https://localhost")
  return `${back.pathname}${back.search}`
})

const assertFailed = (answer: { readonly status: number; readonly text: string }, { jar }: Browser) => {
  assert.strictEqual(answer.status, 401, answer.text)
  assert.include(answer.text, "The login through your organization failed.")
  assert.isFalse(jar.has(sessionCookie))
}

const refusals = Effect.fnUntraced(function* ({ id }: Connected) {
  const answer = yield* get(`/audit-events?entityId=${id}&pageSize=100&sort=createdAt:asc`)
  const actions = (at(answer, "data") as ReadonlyArray<{ readonly action: string }>).map(({ action }) => action)
  return actions.flatMap((action) => /^refuse login: (\w+)$/.exec(action)?.[1] ?? [])
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
      assert.deepStrictEqual(yield* refusals(connection), ["Unsolicited", "CodeRefused"])
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
      const redirect = yield* victim.get(`/oidc/${connection.id}/login`)
      const location = (redirect.headers["location"] ?? "").replace(/nonce=[^&]*/, "nonce=another-nonce-than-ours")
      const back = new URL(yield* connection.idp.login(location, connection.person))
      assertFailed(yield* victim.get(`${back.pathname}${back.search}`, crossSite), victim)
      assert.deepStrictEqual(yield* refusals(connection), ["CodeRefused", "CodeRefused", "CodeRefused"])
    })
  )

  it.effect("refuses addresses that the provider did not verify, and those of other domains", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const attempts = [
        { ...connection.person, emailVerified: false },
        { ...connection.person, email: "ann@elsewhere.example" },
        { ...connection.person, email: `nobody@${connection.domain}` }
      ]
      for (const person of attempts) {
        const client = yield* browser
        assertFailed(yield* client.get(yield* returned(client, connection, person), crossSite), client)
      }
      assert.deepStrictEqual(yield* refusals(connection), ["EmailNotVerified", "DomainNotVerified", "NoUser"])
    })
  )

  it.effect("refuses a provider that cannot be reached, with the reason in the audit log", () =>
    Effect.gen(function* () {
      const connection = yield* connected
      const oidc = { issuer: "http://127.0.0.1:9", clientId }
      const moved = yield* patch(`/identity-providers/${connection.id}`, { oidc })
      assertStatus(moved, 200)
      assert.isFalse(at(moved, "data.hasClientSecret"))
      const client = yield* browser
      assertFailed(yield* client.get(`/oidc/${connection.id}/login`), client)
      assert.deepStrictEqual(yield* refusals(connection), ["ProviderUnreachable"])
    })
  )
})
