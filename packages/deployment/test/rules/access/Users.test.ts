import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import type { PrivilegeName, Role } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { accessToken, at, Service, textAt, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, root } from "../NewerSurface.ts"

/** A logged-in person of the first tenant, who also has a token. */
const person = Effect.fnUntraced(function* (role: Role | ReadonlyArray<PrivilegeName>) {
  const { call, session } = yield* Service
  const user = yield* tokenOf(role)
  const id = accountIdOf(user.urn)
  const { headers } = yield* session(id)
  const send = (method: string, path: string, body?: unknown) =>
    call({ method, path: `${root}${path}`, token: null, headers, ...(body === undefined ? {} : { body }) })
  return { ...user, id, tokenId: user.id, headers, send }
})

const freshEmail = () => `${randomUUID()}@example.org`

const stateOf = (id: string) => Effect.map(get(`/users/${id}?includeDeleted=true`), (answer) => at(answer, "data"))

layer(layerService(), { excludeTestServices: true })("/users", (it) => {
  it.effect("invites a user with an email, a name and a role, and shows the link once", () =>
    Effect.gen(function* () {
      const admin = yield* person("Super Admin")
      const email = freshEmail()
      const body = { email: ` ${email.toUpperCase()}`, firstName: "Zoë", surname: "Ng", role: "Viewer", extra: 1 }
      const made = yield* admin.send("POST", "/users", body)
      assertStatus(made, 201)
      const { inviteUrl, ...shown } = Object(at(made, "data"))
      assert.match(inviteUrl, /^https:\/\/localhost\/invite\/[0-9A-Za-z]{43}$/)
      assert.include(String(at(made, "meta.warnings")), "extra")
      assert.strictEqual(made.headers["location"], `${root}/users/${shown.id}`)
      const expected = {
        email,
        firstName: "Zoë",
        surname: "Ng",
        role: "Viewer",
        hasPassword: false,
        joinedAt: null,
        invitedBy: admin.urn,
        deactivatedAt: null
      }
      for (const [field, value] of Object.entries(expected)) assert.deepStrictEqual(shown[field], value, field)
      const days = (Date.parse(shown.inviteExpiresAt) - Date.parse(shown.createdAt)) / 86_400_000
      assert.approximately(days, 7, 0.01)
      assert.deepStrictEqual(at(yield* get(`/users/${shown.id}`), "data"), shown)
      const secret = inviteUrl.split("/").at(-1)
      for (const path of [
        `/users/${shown.id}`,
        "/users?sort=createdAt:desc&pageSize=100",
        `/audit-events?entityId=${shown.id}`
      ]) {
        const answer = yield* get(path)
        assertStatus(answer, 200)
        assert.include(answer.text, shown.id)
        assert.notInclude(answer.text, secret)
      }
      const [entry] = dataOf(yield* get(`/audit-events?entityId=${shown.id}`)).map(Object)
      assert.deepStrictEqual([entry.account, entry.action, entry.bearer.kind], [admin.urn, "invite", "session"])
    })
  )

  it.effect("refuses a taken or malformed email, an unknown role and a name of two lines", () =>
    Effect.gen(function* () {
      const admin = yield* person("Super Admin")
      const good = { email: freshEmail(), role: "Viewer" }
      assertRefused(yield* admin.send("POST", "/users", { ...good, email: admin.email }), "UNPROCESSABLE", admin.email)
      for (const wrong of [
        { email: "nobody" },
        { email: 1 },
        { role: "Owner" },
        { role: ["worker:EAT"] },
        { firstName: "a\nb" }
      ]) {
        assertRefused(yield* admin.send("POST", "/users", { ...good, ...wrong }), "INVALID_ARGUMENT")
      }
      assertRefused(yield* admin.send("POST", "/users", { role: "Viewer" }), "INVALID_ARGUMENT", "email")
      assertStatus(yield* admin.send("POST", "/users", good), 201)
    })
  )

  it.effect(
    "no token can create a login: every write is 422 for personal tokens and OAuth clients, and changes nothing",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const superAdmin = yield* tokenOf("Super Admin")
        const client = yield* accessToken()
        const user = yield* person("Viewer")
        const before = yield* stateOf(user.id)
        const writes = [
          { method: "POST", path: "/users", body: { email: freshEmail(), role: "Viewer" } },
          { method: "PATCH", path: `/users/${user.id}`, body: { role: "Super Admin" } },
          { method: "DELETE", path: `/users/${user.id}` },
          { method: "POST", path: `/users/${user.id}/activate` },
          { method: "POST", path: `/users/${user.id}/invite` }
        ]
        for (const { token } of [superAdmin, client]) {
          for (const { path, ...write } of writes) {
            assertRefused(yield* call({ ...write, path: root + path, token }), "UNPROCESSABLE", "logged-in user")
          }
        }
        assert.deepStrictEqual(yield* stateOf(user.id), before)
        const admin = yield* person("Super Admin")
        assertStatus(yield* admin.send("PATCH", `/users/${user.id}`, { role: "Data Manager" }), 200)
      })
  )

  it.effect(
    "threat 52: an administrator cannot create or change a user with privileges that the administrator lacks",
    () =>
      Effect.gen(function* () {
        const admin = yield* person("Admin")
        const target = yield* person("Super Admin")
        const before = yield* stateOf(target.id)
        const email = freshEmail()
        for (const role of ["Super Admin", ["auditEvent:READ"]]) {
          assertRefused(yield* admin.send("POST", "/users", { email, role }), "FORBIDDEN", admin.urn)
          assertRefused(yield* admin.send("PATCH", `/users/${admin.id}`, { role }), "FORBIDDEN", admin.urn)
        }
        for (const [method, path, body] of [
          ["PATCH", `/users/${target.id}`, { role: "Viewer" }],
          ["PATCH", `/users/${target.id}`, { firstName: "Mallory" }],
          ["DELETE", `/users/${target.id}`],
          ["POST", `/users/${target.id}/activate`],
          ["POST", `/users/${target.id}/invite`]
        ] as const) {
          assertRefused(yield* admin.send(method, path, body), "FORBIDDEN", `${admin.urn} is unauthorized to`)
        }
        assert.deepStrictEqual(yield* stateOf(target.id), before)
        assertStatus(yield* admin.send("POST", "/users", { email, role: "Admin" }), 201)
      })
  )

  it.effect("changes role and name, and the role applies to the user's next call", () =>
    Effect.gen(function* () {
      const admin = yield* person("Super Admin")
      const user = yield* person("Super Admin")
      assertStatus(yield* user.send("GET", "/audit-events"), 200)
      const changed = yield* admin.send("PATCH", `/users/${user.id}`, { role: ["worker:READ"], surname: "Ng" })
      assertStatus(changed, 200)
      assert.deepStrictEqual([at(changed, "data.role"), at(changed, "data.surname")], [["worker:READ"], "Ng"])
      assertRefused(yield* user.send("GET", "/audit-events"), "FORBIDDEN")
      assertStatus(yield* user.send("GET", "/workers"), 200)
    })
  )

  it.effect(
    "DELETE deactivates a user and ends every session and token; a repetition is 204; activate revives the account alone",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const admin = yield* person("Super Admin")
        const user = yield* person("Viewer")
        const byToken = call({ method: "GET", path: `${root}/me`, token: user.token })
        for (let count = 0; count < 2; count++) {
          assertStatus(yield* admin.send("DELETE", `/users/${user.id}`), 204)
          assertStatus(yield* user.send("GET", "/me"), 401)
          assertStatus(yield* byToken, 401)
        }
        assertRefused(yield* get(`/users/${user.id}`), "NOT_FOUND")
        const listed = "/users?sort=createdAt:desc&pageSize=100"
        assert.notInclude(idsOf(yield* get(listed)), user.id)
        assert.include(idsOf(yield* get(`${listed}&includeDeleted=true`)), user.id)
        assertStatus(yield* admin.send("POST", `/users/${user.id}/activate`), 200)
        // A revocation is never undone (threat 58).
        assertStatus(yield* byToken, 401)
        assertStatus(yield* user.send("GET", "/me"), 401)
      })
  )

  it.effect("renews the invite of a user who has not joined, and of nobody else", () =>
    Effect.gen(function* () {
      const admin = yield* person("Super Admin")
      const made = yield* admin.send("POST", "/users", { email: freshEmail(), role: "Viewer" })
      const id = textAt(made, "data.id")
      const renewed = yield* admin.send("POST", `/users/${id}/invite`)
      assertStatus(renewed, 200)
      assert.notStrictEqual(at(renewed, "data.inviteUrl"), at(made, "data.inviteUrl"))
      assertStatus(yield* admin.send("DELETE", `/users/${id}`), 204)
      assertRefused(yield* admin.send("POST", `/users/${id}/invite`), "UNPROCESSABLE")
    })
  )

  it.effect("threat 1: users of another tenant are 404", () =>
    Effect.gen(function* () {
      const admin = yield* person("Super Admin")
      const other = accountIdOf((yield* tokenOf("Viewer", true)).urn)
      for (const id of [other, "acc_0000000000000000"]) {
        assertRefused(yield* admin.send("GET", `/users/${id}`), "NOT_FOUND", id)
        assertRefused(yield* admin.send("PATCH", `/users/${id}`, { role: "Viewer" }), "NOT_FOUND", id)
        assertRefused(yield* admin.send("DELETE", `/users/${id}`), "NOT_FOUND", id)
        assertRefused(yield* admin.send("POST", `/users/${id}/activate`), "NOT_FOUND", id)
        assertRefused(yield* admin.send("POST", `/users/${id}/invite`), "NOT_FOUND", id)
      }
      assertRefused(yield* admin.send("DELETE", "/users/nonsense"), "INVALID_ARGUMENT")
    })
  )
})

layer(layerService(), { excludeTestServices: true })("/me and /sessions", (it) => {
  it.effect("/me shows every bearer its account, role, privileges, tenant and kind", () =>
    Effect.gen(function* () {
      const { call, tenant } = yield* Service
      const user = yield* person(["worker:READ", "ban:READ"])
      const expected = {
        type: "me",
        account: user.urn,
        email: user.email,
        role: ["worker:READ", "ban:READ"],
        privileges: ["worker:READ", "ban:READ"],
        tenant: { id: tenant.id, name: tenant.name, timeZone: "Australia/Sydney" }
      }
      const bySession = Object(at(yield* user.send("GET", "/me"), "data"))
      assert.strictEqual(bySession.bearer.kind, "session")
      assert.isAtMost(Math.abs(Date.parse(bySession.authenticatedAt) - Date.now()), 60_000)
      const byToken = Object(at(yield* call({ method: "GET", path: `${root}/me`, token: user.token }), "data"))
      assert.deepStrictEqual(byToken, {
        ...expected,
        bearer: { kind: "personal", id: user.tokenId },
        authenticatedAt: null
      })
      const { clientId, token } = yield* accessToken()
      const byClient = yield* call({ method: "GET", path: `${root}/me`, token })
      assert.deepStrictEqual(at(byClient, "data.bearer"), { kind: "oauth", id: clientId })
      assert.deepStrictEqual([at(byClient, "data.email"), at(byClient, "data.role")], [null, "Super Admin"])
    })
  )

  it.effect("users read and end their own sessions, and a Super Admin those of all users", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const [user, other, admin] = [yield* person("Admin"), yield* person("Viewer"), yield* person("Super Admin")]
      const second = yield* session(user.id)
      const own = yield* user.send("GET", "/sessions")
      assert.lengthOf(idsOf(own), 2)
      assert.notInclude(own.text, "tokenHash")
      const [foreign = ""] = idsOf(yield* other.send("GET", "/sessions"))
      assertRefused(yield* user.send("GET", `/sessions/${foreign}`), "NOT_FOUND", foreign)
      assertRefused(yield* user.send("DELETE", `/sessions/${foreign}`), "NOT_FOUND", foreign)
      assertStatus(yield* other.send("GET", "/me"), 200)
      assertStatus(yield* user.send("DELETE", `/sessions/${second.id}`), 204)
      assertStatus(yield* user.send("DELETE", `/sessions/${second.id}`), 204)
      assert.lengthOf(idsOf(yield* user.send("GET", "/sessions")), 1)
      assert.lengthOf(idsOf(yield* user.send("GET", "/sessions?includeDeleted=true")), 2)
      assert.include(idsOf(yield* admin.send("GET", "/sessions?pageSize=100")), foreign)
      assertStatus(yield* admin.send("DELETE", `/sessions/${foreign}`), 204)
      assertStatus(yield* other.send("GET", "/me"), 401)
    })
  )
})
