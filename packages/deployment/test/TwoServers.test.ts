import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { request } from "node:https"
import { assert, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import type { Role } from "@wcs/domain/access/Privilege"
import { Administration } from "@wcs/domain/token/Administration"
import { Users } from "@wcs/domain/user/Users"
import { Context, Effect, Layer, Redacted } from "effect"
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

  it.effect("OAU-13, threat 44: the tokens of a client that ends with the token that made it, and its requests", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const root = yield* userToken(servers, "Super Admin")
      const headers = bearer(root.secret)
      const options = { method: "POST", headers: { ...headers, "content-type": "application/json" } }
      const made = yield* Effect.provideContext(
        call("/openapi/v1/api-clients", { ...options, body: JSON.stringify({ name: "sync" }) }),
        servers.here
      )
      const { clientSecret: secret, id } = JSON.parse(made.text).data
      const token: string = JSON.parse((yield* grant(servers.there, { id, secret })).text).access_token
      const path = `/openapi/v1/access-tokens/${root.id}?cascade=true`
      const revoke = Effect.provideContext(call(path, { method: "DELETE", headers }), servers.here)
      yield* assertTakenAway(servers, (server) => statusAt(server, token), [200, 401], revoke)
      for (const server of [servers.here, servers.there]) {
        assert.strictEqual((yield* grant(server, { id, secret })).status, 401)
      }
    })
  )

  it.effect("threat 51: the session of a person who logs out", () =>
    Effect.gen(function* () {
      const servers = yield* Shared
      const { email } = yield* userToken(servers, "Viewer")
      const password = "correct horse battery staple"
      yield* doneHere(servers, (_, users, tenantId) =>
        users.setPassword(tenantId, email, Redacted.make(password), operator)
      )
      const originOf = (server: Server) =>
        Effect.provideContext(
          Effect.map(Serving, ({ port }) => `https://localhost:${port}`),
          server
        )
      const json = { accept: "application/json", "content-type": "application/json" }
      const headers = { origin: yield* originOf(servers.here), ...json }
      const options = { method: "POST", headers, body: JSON.stringify({ email, password }) }
      const answer = yield* Effect.provideContext(call("/login", options), servers.here)
      assert.strictEqual(answer.status, 200, answer.text)
      const cookies = [answer.headers["set-cookie"] ?? []].flat().map((line) => line.split(";")[0] ?? "")
      const session = cookies.flatMap((cookie) => /^__Host-wcs-\d+=(.+)$/.exec(cookie)?.[1] ?? [])[0]
      /** A call by a page at the server's own port. */
      const asked = (path: string, more: object = {}) =>
        Effect.fnUntraced(function* (server: Server) {
          const origin = yield* originOf(server)
          const cookie = `__Host-wcs-${new URL(origin).port}=${session}`
          const headers = { origin, cookie, "x-wcs-console": "1", accept: "application/json" }
          return (yield* Effect.provideContext(call(path, { ...more, headers }), server)).status
        })
      const logOut = asked("/logout", { method: "POST" })(servers.here)
      yield* assertTakenAway(servers, asked("/openapi/v1/workers"), [200, 401], logOut)
    })
  )
})
