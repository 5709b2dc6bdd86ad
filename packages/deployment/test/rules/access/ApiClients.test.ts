import { assert, layer } from "@effect/vitest"
import { everyPrivilege } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { at, grant, grantForm, Service, textAt, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, post, remove, root } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

const collection = "api-clients"

/** Creates a client; returns its id and secret in the form of a grant. */
const make = Effect.fnUntraced(function* (name: string) {
  const answer = yield* post(`/${collection}`, { name })
  assertStatus(answer, 201)
  const made = { clientId: textAt(answer, "data.id"), clientSecret: textAt(answer, "data.clientSecret") }
  return { ...made, answer, form: grantForm(made) }
})

layer(layerService(), { excludeTestServices: true })("API clients", (it) => {
  it.effect("OAU-13: DELETE revokes exactly that client and its tokens immediately; a repetition is 204", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [one, two] = [yield* make("one"), yield* make("two")]
      const tokens = [
        textAt(yield* grant(one.form), "access_token"),
        textAt(yield* grant(two.form), "access_token")
      ] as const
      const path = `/${collection}/${one.clientId}`
      const uses = (token: string) => call({ method: "GET", path: `${root}/workers`, token })
      for (const token of tokens) assertStatus(yield* uses(token), 200)
      assertStatus(yield* remove(path), 204)
      assertStatus(yield* uses(tokens[0]), 401)
      assertStatus(yield* uses(tokens[1]), 200)
      const refused = yield* grant(one.form)
      assert.deepStrictEqual([refused.status, at(refused, "error")], [401, "invalid_client"])
      assertStatus(yield* grant(two.form), 200)
      assertRefused(yield* get(path), "NOT_FOUND", one.clientId)
      const revokedAt = textAt(yield* get(`${path}?includeDeleted=true`), "data.revokedAt")
      assertStatus(yield* remove(path), 204)
      assert.strictEqual(at(yield* get(`${path}?includeDeleted=true`), "data.revokedAt"), revokedAt)
      assert.notInclude(yield* ids(collection, {}), one.clientId)
      assert.include(yield* ids(collection, { includeDeleted: "true" }), one.clientId)
      const history = dataOf(yield* get(`/audit-events?entityId=${one.clientId}`)).map(Object)
      assert.deepStrictEqual(
        history.map(({ action, entityType, operation }) => [operation, action, entityType]),
        [
          ["DELETE", "revoke", "apiClient"],
          ["CREATE", "create", "apiClient"]
        ]
      )
    })
  )

  it.effect("PRV-05: clients need a Super Admin or the privilege; an OAuth client may revoke itself", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { clientId, form } = yield* make("guarded")
      const others = everyPrivilege.filter((name) => !name.startsWith("apiClient:"))
      const path = `${root}/${collection}`
      for (const role of ["Admin", "Data Manager", "Viewer", others] as const) {
        const { token } = yield* tokenOf(role)
        const body = { name: "mine" }
        assertRefused(yield* call({ method: "GET", path, token }), "FORBIDDEN", "READ API clients")
        assertRefused(yield* call({ method: "POST", path, token, body }), "FORBIDDEN", "CREATE API clients")
        assertRefused(yield* call({ method: "GET", path: `${path}/${clientId}`, token }), "FORBIDDEN")
        const ended = yield* call({ method: "DELETE", path: `${path}/${clientId}`, token })
        assertRefused(ended, "FORBIDDEN", "DELETE API clients")
      }
      const token = textAt(yield* grant(form), "access_token")
      assertStatus(yield* call({ method: "DELETE", path: `${path}/${clientId}`, token }), 204)
      assertStatus(yield* call({ method: "GET", path, token }), 401)
    })
  )
})
