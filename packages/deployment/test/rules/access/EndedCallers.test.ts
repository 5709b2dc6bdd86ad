import { afterAll, assert, layer } from "@effect/vitest"
import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import { accept, claimsOf, connectedTo, local } from "../../login/OidcConnection.ts"
import { startOidcProvider } from "../../login/OidcProvider.ts"
import { type Answer, accessToken, type Call, operator, Service, tokenOf } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { goodCall, goodStatus, isReading, routes, type Subjects, subjects } from "../EveryRoute.ts"
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

const byToken = (how: "revoke" | "deactivate" | "demote"): MakeDoomed =>
  Effect.gen(function* () {
    const { administration, tenant, users } = yield* Service
    const { email, id, token } = yield* tokenOf("Super Admin")
    const ends = {
      revoke: Effect.orDie(administration.revokeToken(tenant.id, id, operator)),
      deactivate: Effect.orDie(users.setActive(tenant.id, email, false, operator)),
      demote: Effect.orDie(users.update(tenant.id, email, { role: "Viewer" }, operator))
    }
    const status = how === "demote" ? 403 : 401
    return { call: { token }, readBy: "AccessStore.findPersonalToken", end: ends[how], status }
  })

const bySession = (how: "log out" | "deactivate" | "demote" | "new password"): MakeDoomed =>
  Effect.gen(function* () {
    const { call, session, tenant, users } = yield* Service
    const { email, urn } = yield* tokenOf("Super Admin")
    const { headers } = yield* session(accountIdOf(urn))
    const ends = {
      "log out": call({ method: "POST", path: "/logout", token: null, headers }),
      deactivate: Effect.orDie(users.setActive(tenant.id, email, false, operator)),
      demote: Effect.orDie(users.update(tenant.id, email, { role: "Viewer" }, operator)),
      "new password": Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(`pass: ${email}`), operator))
    }
    const status = how === "demote" ? 403 : 401
    return { call: { token: null, headers }, readBy: "SessionStore.find", end: ends[how], status }
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

const sessions = (["log out", "deactivate", "demote", "new password"] as const).map(bySession)
const tokens = [...(["revoke", "deactivate", "demote"] as const).map(byToken), byClient, byProvider]

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

/** The endpoints that only a session may call, whose bodies `EveryRoute` does not know. */
const ofUsers: Readonly<Record<string, { readonly status: number; readonly body?: () => unknown }>> = {
  "users.create": { status: 201, body: () => ({ email: `${crypto.randomUUID()}@example.org`, role: "Super Admin" }) },
  "users.patch": { status: 200, body: () => ({ firstName: "Ended" }) },
  "users.remove": { status: 204 },
  "users.activate": { status: 200 },
  "users.reinvite": { status: 200 }
}

const isWrite = (endpoint: Endpoint): boolean => !isReading(endpoint) && endpoint.guard !== undefined
const bySessionOnly = endpointsOf(NewerSurface).filter(
  (endpoint) => isWrite(endpoint) && endpoint.stepUp?.takesTokens === false
)

/** Who creates no tokens and no clients, and is told so first: service accounts, and users who did not log in here. */
const refused: ReadonlyArray<MakeDoomed> = [byClient, byProvider]
const refusing: ReadonlyArray<string> = ["accessTokens.create", "apiClients.create"]

layer(layerService(raisedLimits, armed.adapters, local), { excludeTestServices: true })(
  "threat 58: a caller who has ended",
  (it) => {
    it.effect.each(routes.filter(isWrite))("writes nothing by $name, however it ended", (route) =>
      Effect.gen(function* () {
        const of: Subjects = yield* subjects
        const ways = [...sessions, ...tokens].filter((way) => !refused.includes(way) || !refusing.includes(route.name))
        for (const [index, way] of ways.entries()) {
          yield* assertEnds(`${route.name} (${index})`, way, goodCall(route, of))
        }
        // The same call succeeds for a caller who stands, so nothing else refused it and nothing was changed before.
        const { call } = yield* Service
        assertStatus(yield* call(goodCall(route, of)), goodStatus(route))
      })
    )

    it.effect.each(bySessionOnly)("writes nothing by $name, however the session ended", ({ method, name, path }) =>
      Effect.gen(function* () {
        const { call, session } = yield* Service
        const known = ofUsers[name] ?? assert.fail(`no call is known for ${name}`)
        const subject = accountIdOf((yield* tokenOf("Viewer")).urn)
        const body = known.body?.()
        const good = {
          method,
          path: path.replace(":id", subject),
          ...(body === undefined ? {} : { body })
        }
        for (const [index, way] of sessions.entries()) yield* assertEnds(`${name} (${index})`, way, good)
        const standing = yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn))
        assertStatus(yield* call({ ...good, token: null, headers: standing.headers }), known.status)
      })
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
        const scan = {
          method: "POST",
          path: `${legacyRoot}/scan`,
          token: null,
          body,
          headers: { authorization: bearer }
        }
        yield* armed.arm("UserStore.findLegacyToken", Effect.orDie(users.endTokens(tenant.id, who.email, operator)))
        assertStatus(yield* call(scan), 401)
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

const origin = "https://localhost"
const asProgram = { origin, "sec-fetch-site": "same-origin", accept: "application/json" }
const password = "correct horse battery staple"

const sessionsOf = (account: string) =>
  Effect.map(get("/sessions?pageSize=100"), (answer) =>
    dataOf(answer)
      .map(Object)
      .filter((one) => one.account === account)
  )

layer(layerService(undefined, armed.adapters), { excludeTestServices: true })("threat 58: a login in flight", (it) => {
  /** A user with a password, and what an operator can do to the user meanwhile. */
  const somebody = Effect.gen(function* () {
    const { tenant, users } = yield* Service
    const { email, urn } = yield* tokenOf("Viewer")
    yield* Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(password), operator))
    const meanwhile = {
      "the password changes": Effect.orDie(
        users.setPassword(tenant.id, email, Redacted.make(`${password}!`), operator)
      ),
      "the user is deactivated": Effect.orDie(users.setActive(tenant.id, email, false, operator)),
      "all sessions end": Effect.orDie(users.endTokens(tenant.id, email, operator))
    }
    return { email, urn, meanwhile }
  })

  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    Service.use(({ call }) => call({ method: "POST", path, token: null, body, headers: { ...headers, ...asProgram } }))

  it.effect.each(["the password changes", "the user is deactivated"] as const)("starts no session if %s", (what) =>
    Effect.gen(function* () {
      const { email, meanwhile, urn } = yield* somebody
      assertStatus(yield* post("/login", { email, password }), 200)
      yield* armed.arm("UserStore.findByEmail", meanwhile[what])
      const answer: Answer = yield* post("/login", { email, password })
      yield* armed.assertFired
      assertStatus(answer, 401)
      assert.isUndefined(answer.headers["set-cookie"])
      assert.deepStrictEqual(yield* sessionsOf(urn), [])
    })
  )

  const steps = [
    ["/account/step-up", { password }],
    ["/account/password", { current: password, next: "another horse battery staple" }]
  ] as const

  it.effect.each(
    steps.flatMap(([path, body]) =>
      (["the user is deactivated", "all sessions end"] as const).map((what) => ({ path, body, what }))
    )
  )("revives no session by $path if $what", ({ body, path, what }) =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const { meanwhile, urn } = yield* somebody
      const { headers } = yield* session(accountIdOf(urn))
      yield* armed.arm("SessionStore.findById", meanwhile[what])
      const answer = yield* post(path, body, headers)
      yield* armed.assertFired
      assertStatus(answer, 401)
      assert.isUndefined(answer.headers["set-cookie"])
      assert.deepStrictEqual(yield* sessionsOf(urn), [])
      assert.deepStrictEqual(yield* written(answer), [])
    })
  )

  it.effect("ended tokens stay ended when a deactivated user is activated", () =>
    Effect.gen(function* () {
      const { call, tenant, users } = yield* Service
      const { email, token, urn } = yield* tokenOf("Super Admin")
      const { headers } = yield* Service.use(({ session }) => session(accountIdOf(urn)))
      const made = yield* call({ method: "POST", path: `${root}/api-clients`, body: { name: "theirs" }, token })
      assertStatus(made, 201)
      const client = Object(made.json).data
      yield* Effect.orDie(users.setActive(tenant.id, email, false, operator))
      yield* Effect.orDie(users.setActive(tenant.id, email, true, operator))
      assertStatus(yield* call({ method: "GET", path: `${root}/me`, token }), 401)
      assertStatus(yield* call({ method: "GET", path: `${root}/me`, token: null, headers }), 401)
      const shown = yield* get(`/api-clients/${client.id}?includeDeleted=true`)
      assert.isString(Object(shown.json).data.revokedAt)
    })
  )
})
