import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessToken, at, Service, textAt, tokenFor, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, post, remove, root } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

const collection = "access-tokens"

/** The token operations of one user. */
const as = (token: string) => ({
  make: (body: unknown) =>
    Service.use(({ call }) => call({ method: "POST", path: `${root}/${collection}`, token, body })),
  see: (path = "") => Service.use(({ call }) => call({ method: "GET", path: `${root}/${collection}${path}`, token })),
  end: (id: string) => Service.use(({ call }) => call({ method: "DELETE", path: `${root}/${collection}/${id}`, token }))
})

/** Whether a bearer is valid here. */
const isGood = Effect.fnUntraced(function* (token: string) {
  const { status } = yield* as(token).see()
  assert.include([200, 401], status)
  return status === 200
})

layer(layerService(), { excludeTestServices: true })("access tokens", (it) => {
  it.effect("AUT-09: a token has exactly its user's privileges, even if a request asks for more", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const user = yield* tokenOf(["worker:READ"])
      const made = yield* as(user.token).make({ name: "more", role: "Super Admin", privileges: ["worker:CREATE"] })
      assertStatus(made, 201)
      assert.include(String(at(made, "meta.warnings")), "role")
      const token = textAt(made, "data.token")
      assertStatus(yield* call({ method: "GET", path: `${root}/workers`, token }), 200)
      const body = { identity: { displayName: "Ann Example" } }
      assertRefused(yield* call({ method: "POST", path: `${root}/workers`, token, body }), "FORBIDDEN", user.urn)
      assertRefused(yield* call({ method: "GET", path: `${root}/api-clients`, token }), "FORBIDDEN")
    })
  )

  it.effect(
    "AUT-12: DELETE revokes exactly that token immediately; a repetition is 204; lists show revoked tokens on request",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const user = yield* tokenOf("Viewer")
        const [one, two] = [yield* as(user.token).make({ name: "one" }), yield* as(user.token).make({ name: "two" })]
        const id = textAt(one, "data.id")
        const [ended, other] = [textAt(one, "data.token"), textAt(two, "data.token")]
        assert.isTrue(yield* isGood(ended))
        const done = yield* as(user.token).end(id)
        assertStatus(done, 204)
        assert.strictEqual(done.text, "")
        assert.isFalse(yield* isGood(ended))
        assert.isTrue(yield* isGood(other))
        assertRefused(yield* as(user.token).see(`/${id}`), "NOT_FOUND", id)
        const shown = yield* as(user.token).see(`/${id}?includeDeleted=true`)
        assertStatus(shown, 200)
        assert.isString(at(shown, "data.lastUsedAt"))
        const revokedAt = textAt(shown, "data.revokedAt")
        assert.isAtLeast(Date.parse(revokedAt), Date.parse(textAt(shown, "data.createdAt")))
        assertStatus(yield* as(user.token).end(id), 204)
        const again = yield* as(user.token).see(`/${id}?includeDeleted=true`)
        assert.strictEqual(at(again, "data.revokedAt"), revokedAt)
        assert.notInclude(idsOf(yield* as(user.token).see()), id)
        assert.include(idsOf(yield* as(user.token).see("?includeDeleted=true")), id)
        const history = dataOf(yield* get(`/audit-events?entityId=${id}`)).map(Object)
        assert.deepStrictEqual(
          history.map(({ account, action, entityType, operation }) => [account, operation, action, entityType]),
          [
            [user.urn, "DELETE", "revoke", "accessToken"],
            [user.urn, "CREATE", "create", "accessToken"]
          ]
        )
        // A token may revoke itself.
        assertStatus(
          yield* call({ method: "DELETE", path: `${root}/${collection}/${user.id}`, token: user.token }),
          204
        )
        assert.isFalse(yield* isGood(user.token))
      })
  )

  it.effect("PRV-01: without the privilege users see and revoke their own tokens only; others' are 404", () =>
    Effect.gen(function* () {
      const victim = yield* tokenOf("Super Admin")
      const nothing = "pat_0000000000000000"
      for (const role of ["Admin", "Data Manager", "Viewer", []] as const) {
        const user = yield* tokenOf(role)
        const second = yield* tokenFor(user.email)
        assert.deepStrictEqual(idsOf(yield* as(user.token).see()), [user.id, second.id])
        assert.strictEqual(at(yield* as(user.token).see("?includeTotal=true"), "meta.total"), 2)
        for (const path of [victim.id, `${victim.id}?includeDeleted=true`]) {
          const answer = yield* as(user.token).see(`/${path}`)
          assertRefused(answer, "NOT_FOUND")
          const ofNothing = yield* as(user.token).see(`/${path.replace(victim.id, nothing)}`)
          const words = textAt(ofNothing, "error.message").replace(nothing, victim.id)
          assert.strictEqual(at(answer, "error.message"), words)
        }
        assertRefused(yield* as(user.token).end(victim.id), "NOT_FOUND")
        assert.isTrue(yield* isGood(victim.token))
        assertStatus(yield* as(user.token).end(second.id), 204)
      }
      assert.deepStrictEqual(dataOf(yield* get(`/audit-events?entityId=${victim.id}`)).length, 1)
    })
  )

  it.effect(
    "PRV-05: READ shows other people's tokens, DELETE revokes them, CREATE creates none for them; Super Admin has all",
    () =>
      Effect.gen(function* () {
        const victim = yield* tokenOf("Viewer")
        const reader = yield* tokenOf(["accessToken:READ"])
        assertStatus(yield* as(reader.token).see(`/${victim.id}`), 200)
        assert.include(idsOf(yield* as(reader.token).see("?sort=createdAt:desc&pageSize=100")), victim.id)
        assertRefused(yield* as(reader.token).end(victim.id), "NOT_FOUND")
        const creator = yield* tokenOf(["accessToken:CREATE"])
        const made = yield* as(creator.token).make({ name: "mine", account: victim.urn, accountId: victim.urn })
        assert.strictEqual(at(made, "data.account"), creator.urn)
        assertRefused(yield* as(creator.token).see(`/${victim.id}`), "NOT_FOUND")
        assertRefused(yield* as(creator.token).end(victim.id), "NOT_FOUND")
        assert.isTrue(yield* isGood(victim.token))
        const ender = yield* tokenOf(["accessToken:DELETE"])
        assertRefused(yield* as(ender.token).see(`/${victim.id}`), "NOT_FOUND")
        assertStatus(yield* as(ender.token).end(victim.id), 204)
        assert.isFalse(yield* isGood(victim.token))
        const other = yield* tokenOf("Viewer")
        assertStatus(yield* get(`/${collection}/${other.id}`), 200)
        assertStatus(yield* remove(`/${collection}/${other.id}`), 204)
        assert.isFalse(yield* isGood(other.token))
      })
  )

  it.effect("ENV-05: the limits of names and lifetimes of tokens and clients are those of the command line", () =>
    Effect.gen(function* () {
      const user = as((yield* tokenOf("Super Admin")).token)
      const longest = 10 * 366 * 24 * 3600
      for (const name of ["", "   ", "a\nb", "a\0", "\ud800"]) {
        assertRefused(yield* user.make({ name }), "INVALID_ARGUMENT", "name")
        assertRefused(yield* post("/api-clients", { name }), "INVALID_ARGUMENT", "name")
      }
      for (const expiresInSeconds of [0, -1, 1.5, "60", longest + 1]) {
        assertRefused(yield* user.make({ name: "a", expiresInSeconds }), "INVALID_ARGUMENT", "expiresInSeconds")
      }
      const ours = { id: "pat_0123456789abcdef", tokenHash: "0" }
      const made = yield* user.make({ name: "ä".repeat(200), expiresInSeconds: longest, ...ours })
      assertStatus(made, 201)
      assert.notStrictEqual(at(made, "data.id"), ours.id)
    })
  )

  it.effect(
    "OAU-18: an OAuth client is not a user: 422 to create a token or a client; it can read every user's tokens",
    () =>
      Effect.gen(function* () {
        const oauth = yield* accessToken()
        const victim = yield* tokenOf("Viewer")
        const before = yield* ids("api-clients", { includeDeleted: "true" })
        assertRefused(yield* as(oauth.token).make({ name: "mine" }), "UNPROCESSABLE", "Only users")
        const byClient = { method: "POST", path: `${root}/api-clients`, token: oauth.token, body: { name: "mine" } }
        assertRefused(yield* Service.use(({ call }) => call(byClient)), "UNPROCESSABLE", "Only users")
        assertRefused(yield* as(oauth.token).make({ name: "" }), "INVALID_ARGUMENT", "name")
        assert.deepStrictEqual(yield* ids("api-clients", { includeDeleted: "true" }), before)
        assertStatus(yield* as(oauth.token).see(`/${victim.id}`), 200)
        assertStatus(yield* as(oauth.token).end(victim.id), 204)
        assert.isFalse(yield* isGood(victim.token))
      })
  )
})
