import { afterAll, assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import { accept, claimsOf, connectedTo, local } from "../../login/OidcConnection.ts"
import { startOidcProvider } from "../../login/OidcProvider.ts"
import { type Answer, accessToken, type Call, operator, Service, tokenOf } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { endpoints, goodCall, goodStatus, isReading, subjectsFor } from "../EveryRoute.ts"
import { basic, root as legacyRoot, login, person } from "../legacy/LegacySurface.ts"
import { assertStatus, dataOf, get, patch, root } from "../NewerSurface.ts"
import * as ArmedStores from "./ArmedStores.ts"

// A call is authenticated before its body arrives. Here the caller is ended in between, at the moment that the store has
// answered the authentication, so the call always continues with a caller that is stale.

const armed = ArmedStores.make()

/** A caller to end during a call. */
interface Doomed {
  readonly call: Pick<Call, "token" | "headers">
  /** The read of the store that authenticates the caller. */
  readonly readBy: string
  readonly end: Effect.Effect<unknown>
  readonly status: 401 | 403
}

type MakeDoomed = Effect.Effect<Doomed, never, Service>

/** A Super Admin's token or session, and a way to end it. */
const byUser = (by: "token" | "session", how: "revoke" | "deactivate" | "demote" | "new password"): MakeDoomed =>
  Effect.gen(function* () {
    const { administration, call, session, tenant, users } = yield* Service
    const { email, id, token, urn } = yield* tokenOf("Super Admin")
    const { headers } = yield* session(accountIdOf(urn))
    const logOut = call({ method: "POST", path: "/logout", token: null, headers })
    const ends: Readonly<Record<typeof how, Effect.Effect<unknown, unknown>>> = {
      revoke: by === "session" ? logOut : administration.revokeToken(tenant.id, id, operator),
      deactivate: users.setActive(tenant.id, email, false, operator),
      demote: users.update(tenant.id, email, { role: "Viewer" }, operator),
      "new password": users.setPassword(tenant.id, email, Redacted.make(`pass: ${email}`), operator)
    }
    return {
      call: by === "session" ? { token: null, headers } : { token },
      readBy: by === "session" ? "SessionStore.find" : "AccessStore.findPersonalToken",
      end: Effect.orDie(ends[how]),
      status: how === "demote" ? 403 : 401
    }
  })

const byClient: MakeDoomed = Effect.gen(function* () {
  const { administration, tenant } = yield* Service
  const { clientId, token } = yield* accessToken()
  const end = Effect.orDie(administration.revokeClient(tenant.id, clientId, operator))
  return { call: { token }, readBy: "AccessStore.findClient", end, status: 401 }
})

const provider = startOidcProvider()
afterAll(async () => (await provider).close())

const byProvider: MakeDoomed = Effect.gen(function* () {
  const service = yield* Service
  const connection = yield* connectedTo(yield* Effect.promise(() => provider), "Super Admin")
  yield* accept(connection)
  const switchedOff = Effect.provideService(
    patch(`/identity-providers/${connection.id}`, { active: false }),
    Service,
    service
  )
  const token = connection.idp.jwt(claimsOf(connection))
  return { call: { token }, readBy: "AccessStore.findAccountByEmail", end: switchedOff, status: 401 }
})

/** Every way in which a caller ends. */
const ways = {
  "a session after its log-out": byUser("session", "revoke"),
  "a session of a deactivated user": byUser("session", "deactivate"),
  "a session of a demoted user": byUser("session", "demote"),
  "a session after a new password": byUser("session", "new password"),
  "a revoked token": byUser("token", "revoke"),
  "a token of a deactivated user": byUser("token", "deactivate"),
  "a token of a demoted user": byUser("token", "demote"),
  "a revoked client": byClient,
  "a token of a provider that was switched off": byProvider
}

/** The actions that a call has written. Every write has an audit entry. */
const written = Effect.fnUntraced(function* ({ headers }: Answer) {
  const entries = dataOf(yield* get(`/audit-events?requestId=${headers["x-request-id"]}`))
  return entries.map((entry) => Object(entry).action)
})

/** Ends the caller during a call, and fails unless the call is refused and has written nothing. */
const assertEnds = Effect.fnUntraced(function* (what: string, make: MakeDoomed, call: Call) {
  const service = yield* Service
  const { call: as, end, readBy, status } = yield* make
  yield* armed.arm(readBy, end)
  const refused = yield* service.call({ ...call, ...as, headers: { ...call.headers, ...as.headers } })
  yield* armed.assertFired
  const told = `${what}: ${refused.status} ${refused.text.slice(0, 200)}`
  assert.strictEqual(refused.status, status, told)
  if (status === 403) assert.match(refused.text, /is unauthorized to/, told)
  assert.deepStrictEqual(yield* written(refused), [], what)
})

/** The calls that only a session may make, which `EveryRoute` does not know. */
const ofUsers: Readonly<Record<string, { readonly status: number; readonly body?: object }>> = {
  "users.create": { status: 201, body: { email: `${crypto.randomUUID()}@example.org`, role: "Super Admin" } },
  "users.patch": { status: 200, body: { firstName: "Ended" } },
  "users.remove": { status: 204 },
  "users.activate": { status: 200 },
  "users.reinvite": { status: 200 },
  "users.resetSecondFactor": { status: 200 },
  "users.requireFactors": { status: 200, body: { from: "2999-01-31" } }
}

/** A call of an endpoint that writes, and its status. */
const writing = Effect.fnUntraced(function* (endpoint: Endpoint) {
  const { method, name, path } = endpoint
  const known = ofUsers[name]
  if (known === undefined)
    return { call: goodCall(endpoint, yield* subjectsFor(endpoint)), status: goodStatus(endpoint) }
  const { status, ...more } = known
  const call: Call = { method, path: path.replace(":id", accountIdOf((yield* tokenOf("Viewer")).urn)), ...more }
  return { call, status }
})

const writes = endpoints.filter((endpoint) => !isReading(endpoint) && endpoint.guard !== undefined)

layer(layerService(raisedLimits, armed.adapters, local), { excludeTestServices: true })(
  "threat 58: a caller whose access has ended",
  (it) => {
    it.effect.each(writes)("writes nothing by $name after a log-out", (endpoint) =>
      Effect.gen(function* () {
        const good = yield* writing(endpoint)
        yield* assertEnds(endpoint.name, byUser("session", "revoke"), good.call)
        // The same call succeeds for a caller whose access lasts, so nothing else refused it and nothing was changed before.
        const { call, session } = yield* Service
        const { headers } = yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn))
        assertStatus(yield* call({ ...good.call, token: null, headers }), good.status)
      })
    )

    it.effect.each(Object.entries(ways))("writes nothing by %s", ([name, way]) =>
      assertEnds(name, way, { method: "POST", path: `${root}/workers`, body: { identity: { displayName: "Ann" } } })
    )

    it.effect("writes nothing on the legacy surface, whose token was ended", () =>
      Effect.gen(function* () {
        const { call, tenant, users } = yield* Service
        const who = yield* person()
        const { bearer } = yield* login(who)
        const body = {
          type: "wwcc-nsw",
          identifier: "WWC1234567E",
          first_name: "Ann",
          surname: "Example",
          date_of_birth: "1990-04-17"
        }
        const scan = { method: "POST", path: `${legacyRoot}/scan`, token: null, body }
        yield* armed.arm("UserStore.findLegacyToken", Effect.orDie(users.endTokens(tenant.id, who.email, operator)))
        assertStatus(yield* call({ ...scan, headers: { authorization: bearer } }), 401)
        yield* armed.assertFired
        const again = yield* login(who)
        const answer = yield* call({ ...scan, headers: { authorization: again.bearer } })
        assert.isBelow(answer.status, 300, answer.text)
        // A token is for the password that was checked.
        yield* armed.arm(
          "UserStore.findByEmail",
          Effect.orDie(users.setPassword(tenant.id, who.email, Redacted.make("pass: another one"), operator))
        )
        const path = `${legacyRoot}/users/${again.number}/token`
        assertStatus(yield* call({ method: "POST", path, token: null, headers: { authorization: basic(who) } }), 401)
      })
    )
  }
)

const asProgram = { origin: "https://localhost", "sec-fetch-site": "same-origin", accept: "application/json" }
const password = "correct horse battery staple"

layer(layerService(undefined, armed.adapters), { excludeTestServices: true })("threat 58: a login in flight", (it) => {
  const login = { path: "/login", readBy: "UserStore.findByEmail" }
  const stepUp = { path: "/account/step-up", readBy: "SessionStore.findById" }
  const change = { path: "/account/password", readBy: "SessionStore.findById" }

  it.effect.each([
    { ...login, what: "the password changes" },
    { ...login, what: "the user is deactivated" },
    { ...stepUp, what: "all sessions end" },
    { ...stepUp, what: "the user is deactivated" },
    { ...change, what: "all sessions end" }
  ] as const)("starts and revives no session by $path if $what", ({ path, readBy, what }) =>
    Effect.gen(function* () {
      const { call, session, tenant, users } = yield* Service
      const { email, urn } = yield* tokenOf("Viewer")
      yield* Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(password), operator))
      const { headers } = yield* session(accountIdOf(urn))
      const meanwhile: Readonly<Record<typeof what, Effect.Effect<unknown, unknown>>> = {
        "the password changes": users.setPassword(tenant.id, email, Redacted.make(`${password}!`), operator),
        "the user is deactivated": users.setActive(tenant.id, email, false, operator),
        "all sessions end": users.endTokens(tenant.id, email, operator)
      }
      yield* armed.arm(readBy, Effect.orDie(meanwhile[what]))
      const body = { email, password, current: password, next: "another horse battery staple" }
      const sent = { ...(path === "/login" ? {} : headers), ...asProgram }
      const answer = yield* call({ method: "POST", path, token: null, body, headers: sent })
      yield* armed.assertFired
      assertStatus(answer, 401)
      assert.isUndefined(answer.headers["set-cookie"])
      const open = dataOf(yield* get("/sessions?pageSize=100")).map(Object)
      assert.isEmpty(open.filter(({ account }) => account === urn))
      assert.deepStrictEqual(yield* written(answer), [])
    })
  )
})
