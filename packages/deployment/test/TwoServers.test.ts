import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { request } from "node:https"
import { assert, describe, it, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import type { Role } from "@wcs/domain/access/Privilege"
import { Administration } from "@wcs/domain/token/Administration"
import { signingMillis } from "@wcs/domain/token/SigningKey"
import { Users } from "@wcs/domain/user/Users"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import * as MovedClock from "./MovedClock.ts"
import { operator } from "./Service.ts"
import { type Server, twoServers, until } from "./SharedDatabase.ts"
import { bearer, call, certificateFile } from "./TestServer.ts"
import { limitVariables, raisedLimits } from "./TestService.ts"

type TwoServers = Effect.Success<ReturnType<typeof twoServers>>

/** Two servers for all tests that change only users and clients of their own. */
class Shared extends Context.Service<Shared, TwoServers>()("@wcs/deployment/test/Shared") {
  static readonly layer = Layer.effect(Shared, twoServers(limitVariables(raisedLimits)))
}

/** Runs an administrator's command at the first server. */
const doneHere = Effect.fnUntraced(function* <A, E>(
  { here, tenantId }: TwoServers,
  what: (access: Administration["Service"], users: Users["Service"], tenantId: string) => Effect.Effect<A, E>
) {
  const access = yield* Effect.provideContext(Administration, here)
  const users = yield* Effect.provideContext(Users, here)
  return yield* what(access, users, tenantId)
})

const userToken = Effect.fnUntraced(function* (servers: TwoServers, role: Role) {
  const email = `${randomUUID()}@example.org`
  return yield* doneHere(
    servers,
    Effect.fnUntraced(function* (access, _, tenantId) {
      yield* access.createUser(tenantId, email, role, operator)
      const { secret, token } = yield* access.createToken(tenantId, email, "laptop", null, operator)
      return { id: token.id, email, secret: Redacted.value(secret) }
    })
  )
})

const grant = Effect.fnUntraced(function* (server: Server, client: { readonly id: string; readonly secret: string }) {
  const form = { grant_type: "client_credentials", client_id: client.id, client_secret: client.secret }
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const body = new URLSearchParams(form).toString()
  return yield* Effect.provideContext(call("/openapi/v1/oauth/token", { method: "POST", headers, body }), server)
})

const statusAt = (server: Server, token: string, options: Parameters<typeof call>[1] = {}) =>
  Effect.map(
    Effect.provideContext(
      call("/openapi/v1/workers", { ...options, headers: { ...bearer(token), ...options.headers } }),
      server
    ),
    ({ status }) => status
  )

/**
 * Revokes at the first server something that both have used. The first must refuse it from the next call on, the other
 * soon after, and both must keep refusing it. `PostgresEpoch.test.ts` proves how soon, with a clock of its own.
 */
const assertTakenAway = Effect.fnUntraced(function* <E>(
  { here, there }: TwoServers,
  asked: (server: Server) => Effect.Effect<number>,
  [before, after]: readonly [number, number],
  takeAway: Effect.Effect<unknown, E>
) {
  for (const server of [here, there, there]) assert.strictEqual(yield* asked(server), before)
  yield* takeAway
  assert.strictEqual(yield* asked(here), after)
  yield* until(asked(there), (status) => status !== before)
  const later = yield* Effect.replicateEffect(asked(there), 20)
  assert.deepStrictEqual([...new Set(later)], [after])
})

const demoted = { role: "Viewer" } as const

/** An administrator's command that ends a token. */
type Ending = (
  made: { readonly id: string; readonly email: string },
  tenantId: string,
  access: Administration["Service"],
  users: Users["Service"]
) => Effect.Effect<unknown, unknown>

/** Begins a create without its last byte. Returns the rest of the call, with its status. */
const heldCreate = (server: Server, secret: string) =>
  Effect.gen(function* () {
    const { port } = yield* Serving
    const ca = readFileSync(yield* certificateFile)
    const body = JSON.stringify({ identity: { displayName: "Ann Example" } })
    const headers = { ...bearer(secret), "content-type": "application/json", "content-length": body.length }
    const path = "/openapi/v1/workers"
    const held = request({ host: "localhost", port, ca, path, method: "POST", headers, agent: false })
    const status = new Promise<number>((resolve, reject) => {
      held.once("error", reject)
      held.once("response", (response) => resolve(response.resume().statusCode ?? 0))
    })
    held.write(body.slice(0, -1))
    return Effect.promise(() => {
      held.end(body.slice(-1))
      return status
    })
  }).pipe(Effect.provideContext(server))

layer(Shared.layer, { excludeTestServices: true })("a revocation at one server takes effect at the other", (it) => {
  it.effect.each([
    ["token is revoked", 401, ({ id }, tenantId, access) => access.revokeToken(tenantId, id, operator)],
    ["user is deactivated", 401, ({ email }, tenantId, _, users) => users.setActive(tenantId, email, false, operator)],
    ["user is demoted", 403, ({ email }, tenantId, _, users) => users.update(tenantId, email, demoted, operator)]
  ] as ReadonlyArray<readonly [string, number, Ending]>)(
    "threat 58: a call in flight at the other is refused when its %s",
    ([, status, end]) =>
      Effect.gen(function* () {
        const servers = yield* Shared
        const made = yield* userToken(servers, "Data Manager")
        assert.strictEqual(yield* statusAt(servers.there, made.secret), 200)
        const rest = yield* heldCreate(servers.there, made.secret)
        yield* statusAt(servers.there, made.secret) // so the held call is likely past its authentication
        yield* doneHere(servers, (access, users, tenantId) => Effect.orDie(end(made, tenantId, access, users)))
        assert.strictEqual(yield* rest, status)
      })
  )

  it.effect("AUT-12: a revoked personal token", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { id, secret } = yield* userToken(servers, "Viewer")
      const revoke = doneHere(servers, (access, _, tenantId) => access.revokeToken(tenantId, id, operator))
      yield* assertTakenAway(servers, (server) => statusAt(server, secret), [200, 401], revoke)
    })
  )

  it.effect("AUT-12: the tokens of a deactivated user", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { email, secret } = yield* userToken(servers, "Viewer")
      const deactivate = doneHere(servers, (_, users, tenantId) => users.setActive(tenantId, email, false, operator))
      yield* assertTakenAway(servers, (server) => statusAt(server, secret), [200, 401], deactivate)
    })
  )

  it.effect("a privilege (§5.2)", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { email, secret } = yield* userToken(servers, "Data Manager")
      const create = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
      const demote = doneHere(servers, (_, users, tenantId) =>
        users.update(tenantId, email, { role: "Viewer" }, operator)
      )
      yield* assertTakenAway(servers, (server) => statusAt(server, secret, create), [400, 403], demote)
    })
  )

  it.effect("OAU-13: the tokens of a revoked client, and its token requests", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { client, secret } = yield* doneHere(servers, (access, _, tenantId) =>
        access.createClient(tenantId, "sync", operator)
      )
      const known = { id: client.clientId, secret: Redacted.value(secret) }
      const token: string = JSON.parse((yield* grant(servers.there, known)).text).access_token
      const revoke = doneHere(servers, (access, _, tenantId) =>
        access.revokeClient(tenantId, client.clientId, operator)
      )
      yield* assertTakenAway(servers, (server) => statusAt(server, token), [200, 401], revoke)
      for (const server of [servers.here, servers.there]) assert.strictEqual((yield* grant(server, known)).status, 401)
    })
  )
})

layer(Shared.layer, { excludeTestServices: true })("threat 51: a session ends at the other server within 1 s", (it) => {
  const password = "correct horse battery staple"

  const originOf = (server: Server) =>
    Effect.provideContext(
      Effect.map(Serving, ({ port }) => `https://localhost:${port}`),
      server
    )

  /** The session of a user who logged in with a password at the first server. */
  const sessionOf = Effect.fnUntraced(function* (servers: TwoServers, role: Role) {
    const { email } = yield* userToken(servers, role)
    yield* doneHere(servers, (_, users, tenantId) =>
      users.setPassword(tenantId, email, Redacted.make(password), operator)
    )
    const origin = yield* originOf(servers.here)
    const headers = { origin, accept: "application/json", "content-type": "application/json" }
    const options = { method: "POST", headers, body: JSON.stringify({ email, password }) }
    const answer = yield* Effect.provideContext(call("/login", options), servers.here)
    assert.strictEqual(answer.status, 200, answer.text)
    const cookies = [answer.headers["set-cookie"] ?? []].flat().map((line) => line.split(";")[0] ?? "")
    const session = cookies.flatMap((cookie) => /^__Host-wcs-\d+=(.+)$/.exec(cookie)?.[1] ?? [])[0]
    return { email, session: session ?? assert.fail(answer.text) }
  })

  /** The headers of a page at the server's own port. */
  const headersOf = (session: string, server: Server) =>
    Effect.map(originOf(server), (origin) => ({ origin, cookie: `__Host-wcs-${new URL(origin).port}=${session}` }))

  const asked =
    (session: string, options: Parameters<typeof call>[1] = {}) =>
    (server: Server) =>
      Effect.gen(function* () {
        const headers = { ...options.headers, ...(yield* headersOf(session, server)), "x-wcs-console": "1" }
        return (yield* Effect.provideContext(call("/openapi/v1/workers", { ...options, headers }), server)).status
      })

  it.effect("when its user is demoted", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { email, session } = yield* sessionOf(servers, "Data Manager")
      const create = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
      const demote = doneHere(servers, (_, users, tenantId) =>
        users.update(tenantId, email, { role: "Viewer" }, operator)
      )
      yield* assertTakenAway(servers, asked(session, create), [400, 403], demote)
    })
  )

  it.effect("when its user is deactivated", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { email, session } = yield* sessionOf(servers, "Viewer")
      const deactivate = doneHere(servers, (_, users, tenantId) => users.setActive(tenantId, email, false, operator))
      yield* assertTakenAway(servers, asked(session), [200, 401], deactivate)
    })
  )

  it.effect("when the person logs out", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { session } = yield* sessionOf(servers, "Viewer")
      const headers = { ...(yield* headersOf(session, servers.here)), accept: "application/json" }
      const logOut = Effect.provideContext(call("/logout", { method: "POST", headers }), servers.here)
      yield* assertTakenAway(servers, asked(session), [200, 401], logOut)
    })
  )
})

layer(Shared.layer, { excludeTestServices: true })(
  "threat 44: descendants of a token end at the other in 1 s",
  (it) => {
    /** A Super Admin's token, and a client that it created at the first server. */
    const clientOfUser = Effect.fnUntraced(function* (servers: TwoServers) {
      const root = yield* userToken(servers, "Super Admin")
      const headers = { ...bearer(root.secret), "content-type": "application/json" }
      const options = { method: "POST", headers, body: JSON.stringify({ name: "sync" }) }
      const made = yield* Effect.provideContext(call("/openapi/v1/api-clients", options), servers.here)
      const { clientSecret: secret, id } = JSON.parse(made.text).data
      const token: string = JSON.parse((yield* grant(servers.there, { id, secret })).text).access_token
      return { root, client: { id, secret }, token }
    })

    it.effect("when the token is revoked with cascade", () =>
      Effect.gen(function* () {
        const servers = yield* Shared
        const { client, root, token } = yield* clientOfUser(servers)
        const path = `/openapi/v1/access-tokens/${root.id}?cascade=true`
        const headers = bearer(root.secret)
        const revoke = Effect.provideContext(call(path, { method: "DELETE", headers }), servers.here)
        yield* assertTakenAway(servers, (server) => statusAt(server, token), [200, 401], revoke)
        assert.strictEqual((yield* grant(servers.there, client)).status, 401)
      })
    )

    it.effect("when its user loses the privilege to create clients", () =>
      Effect.gen(function* () {
        const servers = yield* Shared
        const { client, root, token } = yield* clientOfUser(servers)
        const demote = doneHere(servers, (_, users, tenantId) =>
          users.update(tenantId, root.email, { role: "Admin" }, operator)
        )
        yield* assertTakenAway(servers, (server) => statusAt(server, token), [200, 401], demote)
        assert.strictEqual((yield* grant(servers.there, client)).status, 401)
      })
    )
  }
)

const kidsAt = (server: Server) =>
  Effect.map(Effect.provideContext(call("/.well-known/jwks.json"), server), ({ text }) =>
    JSON.parse(text).keys.map(({ kid }: { readonly kid: string }) => kid)
  )

it.live("uses and publishes a key that the other server has rotated within 1 second", () =>
  Effect.gen(function* () {
    const { advance, clock } = yield* MovedClock.make
    yield* Effect.gen(function* () {
      const servers = yield* twoServers()
      const { here, there } = servers
      const { client, secret } = yield* doneHere(servers, (access, _, tenantId) =>
        access.createClient(tenantId, "sync", operator)
      )
      const known = { id: client.clientId, secret: Redacted.value(secret) }
      const [first] = yield* kidsAt(there)
      yield* advance(signingMillis / 1000)
      const token: string = JSON.parse((yield* grant(here, known)).text).access_token
      yield* until(statusAt(there, token), (status) => status === 200)
      const [second, ...rest] = yield* kidsAt(there)
      assert.notStrictEqual(second, first)
      assert.deepStrictEqual([second, ...rest], yield* kidsAt(here))
      // The other creates no key of its own.
      const again: string = JSON.parse((yield* grant(there, known)).text).access_token
      const kidOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()).kid
      assert.deepStrictEqual([kidOf(token), kidOf(again)], [second, second])
    }).pipe(Effect.provideService(Clock.Clock, clock))
  })
)

describe("a limit that two servers share", () => {
  const limit = 100

  it.live("RTL-04: allows no more than one server would, with any number of concurrent calls", () =>
    Effect.gen(function* () {
      const servers = yield* twoServers({ WCS_RATE_STANDARD: String(limit) })
      const { secret } = yield* userToken(servers, "Viewer")
      const [here, there] = yield* Effect.forEach(
        [servers.here, servers.there],
        (server) => Effect.replicateEffect(statusAt(server, secret), 2 * limit, { concurrency: 32 }),
        { concurrency: 2 }
      )
      const granted = (statuses: ReadonlyArray<number> = []) => statuses.filter((status) => status === 200).length
      assert.sameMembers([...new Set([...(here ?? []), ...(there ?? [])])], [200, 429])
      assert.isAtMost(granted(here) + granted(there), limit)
      // Only unused permits of a block are lost: no server keeps all to itself.
      assert.isAtLeast(granted(here) + granted(there), limit * 0.8)
      for (const statuses of [here, there]) assert.isAbove(granted(statuses), 0)
    })
  )
})
