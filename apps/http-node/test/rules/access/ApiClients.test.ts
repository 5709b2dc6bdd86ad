import { assert, layer } from "@effect/vitest"
import { everyPrivilege } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { apiClient, at, grant, grantForm, Service, textAt, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, put, remove, root } from "../NewerSurface.ts"
import { ids, list, type Parameters, pathOf, walk } from "../resource/Listing.ts"

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

  it.effect("ENV-05: a body without a name is 400 and creates nothing; unknown fields are ignored and named", () =>
    Effect.gen(function* () {
      const before = yield* ids(collection, { includeDeleted: "true" })
      for (const body of [{}, { name: "" }, { name: 7 }, { name: "a\0" }, { name: "a".repeat(201) }, [], null, "a"]) {
        assertRefused(yield* post(`/${collection}`, body), "INVALID_ARGUMENT")
      }
      assert.deepStrictEqual(yield* ids(collection, { includeDeleted: "true" }), before)
      const body = { name: "a", id: "wcs_oauth_0123456789abcdef", clientSecret: "mine", role: "Viewer" }
      const made = yield* post(`/${collection}`, body)
      assertStatus(made, 201)
      for (const field of ["id", "clientSecret"]) assert.notStrictEqual(at(made, `data.${field}`), Object(body)[field])
      assert.strictEqual(Object(at(made, "meta.warnings")).length, 3)
    })
  )

  it.effect("ENV-07: lists in creation order, both ways, page by page; checks ids and parameters", () =>
    Effect.gen(function* () {
      const own: Array<string> = []
      for (const name of ["one", "two", "three"]) own.push(yield* apiClient(name))
      const all = yield* ids(collection, {})
      assert.deepStrictEqual(all.slice(-3), own)
      for (const pageSize of ["1", "2"]) assert.deepStrictEqual((yield* walk(collection, { pageSize })).flat(), all)
      const falling = (yield* walk(collection, { pageSize: "2", sort: "createdAt:desc" })).flat()
      assert.deepStrictEqual(falling, all.toReversed())
      assert.strictEqual(at(yield* list(collection, { includeTotal: "true" }), "meta.total"), all.length)
      const tokensCursor = textAt(
        yield* list("access-tokens", { pageSize: "1", includeDeleted: "true" }),
        "meta.nextCursor"
      )
      const refused: ReadonlyArray<readonly [Parameters, string]> = [
        [{ sort: "name" }, "sort"],
        [{ page: "1" }, "page"],
        [{ includeDeleted: "yes" }, "includeDeleted"],
        [{ cursor: tokensCursor }, "cursor"]
      ]
      for (const [parameters, hint] of refused) {
        assertRefused(yield* get(pathOf(collection, parameters)), "INVALID_ARGUMENT", hint)
      }
      for (const id of ["nonsense", "pat_0123456789abcdef", "wcs_oauth_", "wcs_oauth_0123456789abcdeg0"]) {
        assertRefused(yield* get(`/${collection}/${id}`), "INVALID_ARGUMENT", "id")
        assertRefused(yield* remove(`/${collection}/${id}`), "INVALID_ARGUMENT", "id")
      }
      for (const write of [put, patch])
        assertRefused(yield* write(`/${collection}/${own[0]}`, {}), "METHOD_NOT_ALLOWED")
    })
  )
})
