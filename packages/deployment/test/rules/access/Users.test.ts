import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect } from "effect"
import { accessToken, at, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, idsOf, root } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

/** A logged-in user of the first tenant, who also has a token. */
const person = Effect.fnUntraced(function* (role: Parameters<typeof tokenOf>[0]) {
  const { session } = yield* Service
  const user = yield* tokenOf(role)
  const id = accountIdOf(user.urn)
  const { headers } = yield* session(id)
  return { ...user, id, by: { as: null, headers } }
})

const freshEmail = () => `${randomUUID()}@example.org`

const stateOf = (id: string) => Effect.map(get(`/users/${id}?includeDeleted=true`), (answer) => at(answer, "data"))

/** The writes of one user, and the invite of another. */
const writesOf = (id: string) => [
  { call: "POST /users", body: { email: freshEmail(), role: "Super Admin" } },
  { call: `PATCH /users/${id}`, body: { role: "Super Admin" } },
  { call: `PATCH /users/${id}`, body: { firstName: "Mallory" } },
  { call: `DELETE /users/${id}` },
  { call: `POST /users/${id}/activate` },
  { call: `POST /users/${id}/invite` }
]

layer(layerService(), { excludeTestServices: true })("/users", (it) => {
  it.effect("invites a user with an email, a name and a role, and shows the link once", () =>
    Effect.gen(function* () {
      const admin = yield* person("Super Admin")
      const email = freshEmail()
      const body = { email: ` ${email.toUpperCase()}`, firstName: "Zoë", surname: "Ng", role: "Viewer", extra: 1 }
      const [made] = yield* Row.run([{ call: "POST /users", ...admin.by, body, expect: 201 }])
      const { inviteUrl, ...shown } = Object(at(made, "data"))
      assert.match(inviteUrl, /^https:\/\/localhost\/invite\/[0-9A-Za-z]{43}$/)
      assert.include(String(at(made, "meta.warnings")), "extra")
      assert.strictEqual(made.headers["location"], `${root}/users/${shown.id}`)
      const days = (Date.parse(shown.inviteExpiresAt) - Date.parse(shown.createdAt)) / 86_400_000
      assert.approximately(days, 7, 0.01)
      const expected = { email, firstName: "Zoë", surname: "Ng", role: "Viewer", hasPassword: false, joinedAt: null }
      assert.deepInclude(shown, { ...expected, invitedBy: admin.urn, deactivatedAt: null })
      const later = yield* Row.run([
        { call: `GET /users/${shown.id}`, expect: { data: shown } },
        { call: "GET /users?sort=createdAt:desc&pageSize=100", expect: 200 },
        { call: `GET /audit-events?entityId=${shown.id}`, expect: 200 }
      ])
      for (const { text } of later) {
        assert.include(text, shown.id)
        assert.notInclude(text, inviteUrl.split("/").at(-1))
      }
      const [entry] = dataOf(later[2]).map(Object)
      assert.deepStrictEqual([entry.account, entry.action, entry.bearer.kind], [admin.urn, "invite", "session"])
    })
  )

  it.effect("threats 1, 52: refuses bad fields, every token, missing privileges and other tenants", () =>
    Effect.gen(function* () {
      const [superior, admin] = [yield* person("Super Admin"), yield* person("Admin")]
      const tokens = [superior.token, (yield* accessToken()).token]
      const foreign = accountIdOf((yield* tokenOf("Viewer", true)).urn)
      const before = yield* stateOf(superior.id)
      const good = { email: freshEmail(), role: "Viewer" }
      const invite = { call: "POST /users", ...superior.by }
      yield* Row.run([
        { ...invite, body: { ...good, email: superior.email }, expect: `UNPROCESSABLE: ${superior.email}` },
        { ...invite, body: { role: "Viewer" }, expect: "INVALID_ARGUMENT: email" },
        { ...invite, body: { ...good, email: "nobody" }, expect: "INVALID_ARGUMENT: email" },
        { ...invite, body: { ...good, role: "Owner" }, expect: "INVALID_ARGUMENT: role" },
        { ...invite, body: { ...good, role: ["worker:EAT"] }, expect: "INVALID_ARGUMENT: role" },
        { ...invite, body: { ...good, firstName: "a\nb" }, expect: "INVALID_ARGUMENT: firstName" },
        { call: "DELETE /users/nonsense", ...superior.by, expect: "INVALID_ARGUMENT" },
        ...tokens.flatMap((as) =>
          writesOf(admin.id).map((write) => ({ ...write, as, expect: "UNPROCESSABLE: logged-in user" }))
        ),
        ...writesOf(superior.id).map((write) => ({ ...write, ...admin.by, expect: `FORBIDDEN: ${admin.urn}` })),
        { call: `PATCH /users/${admin.id}`, ...admin.by, body: { role: ["auditEvent:READ"] }, expect: "FORBIDDEN" },
        ...writesOf(foreign)
          .slice(1)
          .map((write) => ({ ...write, ...superior.by, expect: `NOT_FOUND: ${foreign}` })),
        { call: `GET /users/${foreign}`, expect: `NOT_FOUND: ${foreign}` },
        { call: "POST /users", ...admin.by, body: good, expect: 201 }
      ])
      assert.deepStrictEqual(yield* stateOf(superior.id), before)
    })
  )

  it.effect("threat 52: resets the app of another user of no higher rank, ends the sessions, and tells the user", () =>
    Effect.gen(function* () {
      const { session, withApp } = yield* Service
      const [superior, admin, user] = [yield* person("Super Admin"), yield* person("Admin"), yield* person("Viewer")]
      for (const { id } of [superior, user]) yield* withApp(id)
      const reset = (id: string) => ({ call: `POST /users/${id}/reset-second-factor` })
      const app = { since: "2026-01-31T00:00:00.000Z", lastUsedAt: "2026-02-01T00:00:00.000Z" }
      const hidden = { "data.secondFactor": undefined, "data.lastLogin": undefined }
      const [first] = yield* Row.run([
        { call: `GET /users/${user.id}`, expect: { "data.secondFactor": app, "data.lastLogin.method": "password" } },
        { call: `GET /users/${user.id}`, as: user.token, expect: { "data.secondFactor": app } },
        { call: `GET /users/${superior.id}`, as: user.token, expect: hidden },
        {
          call: `GET /users/${superior.id}`,
          as: (yield* tokenOf("Auditor")).token,
          expect: { "data.secondFactor": app }
        },
        { ...reset(superior.id), ...admin.by, expect: `FORBIDDEN: ${admin.urn}` },
        { ...reset(admin.id), ...admin.by, expect: "INVALID_ARGUMENT: id" },
        { ...reset("nonsense"), ...admin.by, expect: "INVALID_ARGUMENT: id" },
        { ...reset("acc_0000000000000000"), ...admin.by, expect: "NOT_FOUND" },
        { ...reset(user.id), as: superior.token, expect: "UNPROCESSABLE: logged-in user" },
        { call: "GET /me", ...user.by, expect: { "data.secondFactorResetAt": undefined } },
        { ...reset(user.id), ...admin.by, expect: { "data.secondFactor": null } },
        { ...reset(user.id), ...admin.by, expect: { "data.secondFactor": null } },
        { call: "GET /me", ...user.by, expect: 401 },
        { call: `GET /users/${superior.id}`, expect: { "data.secondFactor": app } }
      ])
      const entries = dataOf(yield* get(`/audit-events?entityId=${user.id}&entityType=secondFactor`)).map(Object)
      assert.deepStrictEqual(
        entries.map(({ account, action }) => [account, action]),
        [[admin.urn, "reset"]]
      )
      const { headers } = yield* session(user.id)
      yield* Row.run([
        { call: "GET /me", as: null, headers, expect: { "data.secondFactorResetAt": entries[0].createdAt } },
        { call: "GET /me", as: user.token, expect: { "data.secondFactorResetAt": undefined } }
      ])
      assert.isAtMost(Date.parse(String(at(first, "data.lastLogin.at"))), Date.now())
    })
  )

  it.effect("a Super Admin with a fresh login sets the day from which an organization needs an app of everybody", () =>
    Effect.gen(function* () {
      const { session, tenant } = yield* Service
      const [superior, admin, viewer] = [yield* person("Super Admin"), yield* person("Admin"), yield* person("Viewer")]
      const stale = (yield* session(superior.id, 16 * 60)).headers
      const put = { call: "PUT /second-factor-requirement", body: { from: "2020-01-31" } }
      const off = { "data.from": null, "data.inForce": false }
      yield* Row.run([
        { call: "GET /second-factor-requirement", as: viewer.token, expect: off },
        { ...put, ...admin.by, expect: "FORBIDDEN: UPDATE identity providers" },
        { ...put, as: superior.token, expect: "UNPROCESSABLE: logged-in user" },
        { ...put, as: null, headers: stale, expect: 401 },
        { ...put, ...superior.by, body: { from: "2020-02-30" }, expect: "INVALID_ARGUMENT: from" },
        { ...put, ...superior.by, body: {}, expect: "INVALID_ARGUMENT: from" },
        { ...put, ...superior.by, expect: { "data.from": "2020-01-31", "data.inForce": true } },
        { ...put, ...superior.by, body: { from: "2999-01-31" }, expect: { "data.inForce": false } },
        // Another administrator saw the day before.
        { ...put, ...superior.by, body: { from: null, previous: "2020-01-31" }, expect: "UNPROCESSABLE: 2999-01-31" },
        { ...put, ...superior.by, body: { from: "2999-01-31", previous: null }, expect: 200 },
        { call: "GET /second-factor-requirement", expect: { "data.from": "2999-01-31" } },
        { ...put, ...superior.by, body: { from: null, previous: "2999-01-31" }, expect: off },
        { call: "GET /second-factor-requirement", expect: off }
      ])
      const entries = dataOf(yield* get(`/audit-events?entityId=${tenant.id}&account=${superior.urn}`)).map(Object)
      const actions = entries.map(({ action }) => action)
      assert.deepStrictEqual(actions, [
        "do not require second factors",
        "require second factors from 2999-01-31",
        "require second factors from 2020-01-31"
      ])
    })
  )

  it.effect("a changed role applies to the next call; DELETE ends sessions and tokens, and activate revives none", () =>
    Effect.gen(function* () {
      const [admin, user] = [yield* person("Super Admin"), yield* person("Super Admin")]
      const [call, body] = [`/users/${user.id}`, { role: ["worker:READ"], surname: "Ng" }]
      yield* Row.run([
        { call: "GET /audit-events", ...user.by, expect: 200 },
        { call: `PATCH ${call}`, ...admin.by, body, expect: { "data.role": ["worker:READ"], "data.surname": "Ng" } },
        { call: "GET /audit-events", ...user.by, expect: "FORBIDDEN" },
        { call: "GET /workers", ...user.by, expect: 200 },
        { call: `DELETE ${call}`, ...admin.by, expect: 204 },
        { call: `DELETE ${call}`, ...admin.by, expect: 204 },
        { call: "GET /me", ...user.by, expect: 401 },
        { call: "GET /me", as: user.token, expect: 401 },
        { call: `GET ${call}`, expect: "NOT_FOUND" },
        { call: `POST ${call}/invite`, ...admin.by, expect: "UNPROCESSABLE" },
        { call: `POST ${call}/activate`, ...admin.by, expect: 200 },
        // A revocation is never undone (threat 58).
        { call: "GET /me", as: user.token, expect: 401 },
        { call: "GET /me", ...user.by, expect: 401 }
      ])
      const listed = "/users?sort=createdAt:desc&pageSize=100"
      yield* Row.run([{ call: `DELETE ${call}`, ...admin.by, expect: 204 }])
      assert.notInclude(idsOf(yield* get(listed)), user.id)
      assert.include(idsOf(yield* get(`${listed}&includeDeleted=true`)), user.id)
    })
  )
})
