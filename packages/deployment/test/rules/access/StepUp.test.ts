import { assert, layer } from "@effect/vitest"
import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import {
  type Call,
  identityProvider,
  identityProviderFields,
  Service,
  tokenOf,
  webhook,
  webhookFields
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, dataOf, get, root } from "../NewerSurface.ts"

/** Every endpoint with a step-up annotation. */
const annotated: ReadonlyArray<Endpoint> = endpointsOf(NewerSurface).filter(({ stepUp }) => stepUp !== undefined)

let count = 0

const byOperator = { account: "urn:wcs:operator", bearer: null, requestId: "test" }

/** The body of a valid call; none if the endpoint takes none. */
const bodies: Readonly<Record<string, () => unknown>> = {
  "accessTokens.create": () => ({ name: "step-up" }),
  "apiClients.create": () => ({ name: "step-up" }),
  "webhooks.create": () => ({ ...webhookFields, name: "step-up" }),
  "users.create": () => ({ email: `step-up${++count}@example.org`, role: "Viewer" }),
  "users.patch": () => ({ firstName: "Stepped" }),
  "identityProviders.create": () => identityProviderFields,
  "identityProviders.replace": () => ({ ...identityProviderFields, name: "Stepped" }),
  "identityProviders.patch": () => ({ name: "Stepped" })
}

/** A valid call of an endpoint, with new subjects. */
const goodCall = Effect.fnUntraced(function* ({ method, name, path }: Endpoint) {
  const { administration, tenant } = yield* Service
  const subjects: Readonly<Record<string, Effect.Effect<string, never, Service>>> = {
    webhooks: webhook(),
    identityProviders: identityProvider,
    users: Effect.map(
      Effect.orDie(administration.createUser(tenant.id, `subject${++count}@example.org`, "Viewer", byOperator)),
      ({ id }) => id
    )
  }
  const id = yield* subjects[name.split(".")[0] ?? ""] ?? Effect.succeed("")
  const body = bodies[name]?.()
  const call: Call = { method, path: path.replace(":id", id), token: null }
  return body === undefined ? call : { ...call, body }
})

/** Everything that the annotated endpoints create or change, and the audit log. */
const everything = Effect.gen(function* () {
  const lists = ["access-tokens", "api-clients", "webhooks", "users", "identity-providers"].map(
    (name) => `/${name}?sort=createdAt:desc&pageSize=100&includeDeleted=true`
  )
  const pages = yield* Effect.forEach([...lists, "/audit-events?pageSize=20"], (path) => get(path))
  // The last use of the reading token changes with the minute.
  return pages.map((page) => dataOf(page).map((row) => ({ ...Object(row), lastUsedAt: null })))
})

layer(layerService(), { excludeTestServices: true })("step-up", (it) => {
  it.effect(
    "is required by every call that creates or rotates a secret, and by every write of users and identity providers",
    () =>
      Effect.sync(() => {
        assert.sameMembers(
          annotated.map(({ name }) => name),
          [
            ...["accessTokens.create", "apiClients.create", "webhooks.create", "webhooks.rotate"],
            ...["create", "replace", "patch", "remove", "verifyDomains"].map((name) => `identityProviders.${name}`),
            ...["users.create", "users.patch", "users.remove", "users.activate", "users.reinvite"]
          ]
        )
      })
  )

  it.effect.each(annotated)(
    "RFC 9470: $name is 401 with max_age for a session whose proof is 15 minutes old, and creates nothing",
    (endpoint) =>
      Effect.gen(function* () {
        const { call, session } = yield* Service
        const account = accountIdOf((yield* tokenOf("Super Admin")).urn)
        const good = yield* goodCall(endpoint)
        const [old, fresh] = [yield* session(account, 15 * 60), yield* session(account, 14 * 60)]
        const before = yield* everything
        const refused = yield* call({ ...good, headers: old.headers })
        assertStatus(refused, 401)
        assert.deepStrictEqual(refused.json, { message: "Unauthorized to perform this action" })
        assert.strictEqual(
          refused.headers["www-authenticate"],
          'Session error="insufficient_user_authentication", max_age=900'
        )
        assert.deepStrictEqual(yield* everything, before)
        assertStatus(yield* call({ method: "GET", path: `${root}/me`, token: null, headers: old.headers }), 200)
        const done = yield* call({ ...good, headers: fresh.headers })
        assert.include([200, 201, 204], done.status, done.text)
      })
  )

  it.effect("a new proof on the account's page renews the session, and the refused call succeeds", () =>
    Effect.gen(function* () {
      const { call, session, tenant, users } = yield* Service
      const user = yield* tokenOf("Viewer")
      const password = "correct horse battery staple"
      yield* Effect.orDie(users.setPassword(tenant.id, user.email, Redacted.make(password), byOperator))
      const { headers } = yield* session(accountIdOf(user.urn), 3600)
      const mint = (cookie: string) =>
        call({
          method: "POST",
          path: `${root}/access-tokens`,
          token: null,
          body: { name: "step-up" },
          headers: { ...headers, cookie }
        })
      const old = headers["cookie"] ?? ""
      assertStatus(yield* mint(old), 401)
      const prove = (proof: string) =>
        call({
          method: "POST",
          path: "/account/step-up",
          token: null,
          body: { password: proof },
          headers: { ...headers, accept: "application/json" }
        })
      const wrong = yield* prove("wrong horse battery staple")
      assertStatus(wrong, 401)
      assert.isUndefined(wrong.headers["set-cookie"])
      assertStatus(yield* mint(old), 401)
      const right = yield* prove(password)
      assertStatus(right, 200)
      const [renewed = ""] = (right.headers["set-cookie"] ?? "").split(";")
      assert.match(renewed, /^__Host-wcs=[0-9A-Za-z]{43}$/)
      assertStatus(yield* mint(renewed), 201)
      assertStatus(yield* mint(old), 401)
    })
  )

  it.effect("a call without its privilege is 403 before a step-up is required", () =>
    Effect.gen(function* () {
      const { call, session } = yield* Service
      const { headers } = yield* session(accountIdOf((yield* tokenOf("Viewer")).urn), 3600)
      for (const endpoint of annotated.filter(({ guard }) => guard?.privileges.length !== 0)) {
        assertStatus(yield* call({ ...(yield* goodCall(endpoint)), headers }), 403)
      }
    })
  )

  it.effect("tokens need no step-up for calls that accept tokens", () =>
    Effect.gen(function* () {
      const { call, superAdmin } = yield* Service
      for (const endpoint of annotated.filter(({ stepUp }) => stepUp?.takesTokens)) {
        const done = yield* call({ ...(yield* goodCall(endpoint)), token: superAdmin })
        assert.include([200, 201, 204], done.status, done.text)
      }
    })
  )
})
