import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import { accessToken, at, operator, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, idsOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const origin = "https://localhost"

/** The cookie of a half login: the password was right, the code is missing. */
const halfLogin = Effect.gen(function* () {
  const { call, tenant, users } = yield* Service
  const { email } = yield* tokenOf("Super Admin")
  const password = "correct horse battery staple"
  yield* Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(password), operator))
  const headers = { origin, "sec-fetch-site": "same-origin", accept: "application/json" }
  const answer = yield* call({ method: "POST", path: "/login", token: null, body: { email, password }, headers })
  assertStatus(answer, 200)
  const [, token] = /^__Host-wcs-login=([^;]+)/.exec(answer.headers["set-cookie"] ?? "") ?? []
  return token ?? assert.fail("no half login")
})

/** A user with a token and a session. */
const person = Effect.fnUntraced(function* (role: Parameters<typeof tokenOf>[0]) {
  const { session } = yield* Service
  const user = yield* tokenOf(role)
  const { headers } = yield* session(accountIdOf(user.urn))
  return { ...user, by: { as: null, headers } }
})

layer(layerService(), { excludeTestServices: true })("the caller", (it) => {
  it.effect("AUT-02, threat 51: ignores a token outside Authorization, and a half login in either cookie", () =>
    Effect.gen(function* () {
      const { superAdmin } = yield* Service
      const half = yield* halfLogin
      const own = { origin, "sec-fetch-site": "same-origin", "x-wcs-console": "1" }
      const nobody = { call: "GET /workers", as: null, expect: 401 }
      yield* Row.run([
        { ...nobody, call: `GET /workers?access_token=${superAdmin}` },
        { ...nobody, headers: { cookie: `access_token=${superAdmin}` } },
        { ...nobody, headers: { "x-authorization": `Bearer ${superAdmin}` } },
        { ...nobody, headers: { "proxy-authorization": `Bearer ${superAdmin}` } },
        { ...nobody, headers: { "x-api-key": superAdmin } },
        { ...nobody, headers: { ...own, cookie: `__Host-wcs=${half}` } },
        { ...nobody, headers: { ...own, cookie: `__Host-wcs-login=${half}` } },
        { ...nobody, call: "POST /workers", body: {}, headers: { ...own, cookie: `__Host-wcs=${half}` } }
      ])
    })
  )

  it.effect("/me shows every bearer its account, role, privileges, tenant and kind", () =>
    Effect.gen(function* () {
      const { tenant } = yield* Service
      const role = ["worker:READ", "ban:READ"] as const
      const user = yield* person(role)
      const { clientId, token } = yield* accessToken()
      const [byToken, bySession] = yield* Row.run([
        { call: "GET /me", as: user.token, expect: 200 },
        { call: "GET /me", ...user.by, expect: { "data.bearer.kind": "session", "data.account": user.urn } },
        {
          call: "GET /me",
          as: token,
          expect: { "data.bearer": { kind: "oauth", id: clientId }, "data.email": null, "data.role": "Super Admin" }
        }
      ])
      assert.deepStrictEqual(at(byToken, "data"), {
        type: "me",
        account: user.urn,
        email: user.email,
        units: null,
        role,
        worker: null,
        privileges: role,
        tenant: { id: tenant.id, name: tenant.name, timeZone: "Australia/Sydney" },
        bearer: { kind: "personal", id: user.id },
        authenticatedAt: null
      })
      assert.isString(at(bySession, "data.authenticatedAt"))
    })
  )

  it.effect("users read and end their own sessions, and a Super Admin those of all users", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const [user, other, admin] = [yield* person("Admin"), yield* person("Viewer"), yield* person("Super Admin")]
      const second = yield* session(accountIdOf(user.urn))
      const [own, others] = yield* Row.run([
        { call: "GET /sessions", ...user.by, expect: 200 },
        { call: "GET /sessions", ...other.by, expect: 200 }
      ])
      assert.lengthOf(idsOf(own), 2)
      assert.notInclude(own.text, "tokenHash")
      const [foreign = ""] = idsOf(others)
      const [, , , , left, all] = yield* Row.run([
        { call: `GET /sessions/${foreign}`, ...user.by, expect: `NOT_FOUND: ${foreign}` },
        { call: `DELETE /sessions/${foreign}`, ...user.by, expect: `NOT_FOUND: ${foreign}` },
        { call: `DELETE /sessions/${second.id}`, ...user.by, expect: 204 },
        { call: `DELETE /sessions/${second.id}`, ...user.by, expect: 204 },
        { call: "GET /sessions", ...user.by, expect: 200 },
        { call: "GET /sessions?includeDeleted=true", ...user.by, expect: 200 },
        { call: "GET /me", ...other.by, expect: 200 },
        { call: `DELETE /sessions/${foreign}`, ...admin.by, expect: 204 },
        { call: "GET /me", ...other.by, expect: 401 }
      ])
      assert.deepStrictEqual([idsOf(left).length, idsOf(all).length], [1, 2])
    })
  )
})
