import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessToken, at, grant, grantForm, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { root } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { ids } from "../resource/Listing.ts"

/** A token or client that a bearer creates, and whether it is valid. */
const issue = Effect.fnUntraced(function* (kind: "access-tokens" | "api-clients", as: string) {
  const [answer] = yield* Row.run([{ call: `POST /${kind}`, as, body: { name: "made" }, expect: 201 }])
  const { clientSecret, createdBy, id, token } = Object(at(answer, "data"))
  const used =
    kind === "access-tokens"
      ? Service.use(({ call }) => call({ method: "GET", path: `${root}/me`, token }))
      : grant(grantForm({ clientId: id, clientSecret }))
  const isValid = Effect.map(used, ({ status }) => status === 200)
  return { id: String(id), path: `/${kind}/${id}`, token: String(token), createdBy, isValid }
})

const longest = 10 * 366 * 24 * 3600

layer(layerService(), { excludeTestServices: true })("issued tokens and clients", (it) => {
  it.effect.each(["access-tokens", "api-clients"] as const)(
    "AUT-12, OAU-13: DELETE revokes one of the %s alone and immediately; a repetition is 204; lists show it on request",
    (kind) =>
      Effect.gen(function* () {
        const { id, token: as, urn } = yield* tokenOf("Super Admin")
        const [one, other] = [yield* issue(kind, as), yield* issue(kind, as)]
        assert.deepStrictEqual(one.createdBy, { account: urn, bearer: { kind: "personal", id } })
        assert.deepStrictEqual([yield* one.isValid, yield* other.isValid], [true, true])
        const [, , shown] = yield* Row.run([
          { call: `DELETE ${one.path}`, as, expect: 204 },
          { call: `GET ${one.path}`, expect: `NOT_FOUND: ${one.id}` },
          { call: `GET ${one.path}?includeDeleted=true`, expect: 200 },
          { call: `DELETE ${one.path}`, as, expect: 204 }
        ])
        assert.deepStrictEqual([yield* one.isValid, yield* other.isValid], [false, true])
        const revokedAt = at(shown, "data.revokedAt")
        assert.isString(revokedAt)
        yield* Row.run([{ call: `GET ${one.path}?includeDeleted=true`, expect: { "data.revokedAt": revokedAt } }])
        assert.notInclude(yield* ids(kind, {}), one.id)
        assert.include(yield* ids(kind, { includeDeleted: "true" }), one.id)
      })
  )

  it.effect("PRV-01, PRV-05: another user's token is 404 without READ or DELETE; CREATE creates only one's own", () =>
    Effect.gen(function* () {
      const victim = yield* tokenOf("Viewer")
      const path = `/access-tokens/${victim.id}`
      const { token: admin } = yield* tokenOf("Admin")
      const { token: reader } = yield* tokenOf(["accessToken:READ"])
      const { token: creator, urn } = yield* tokenOf(["accessToken:CREATE"])
      const { token: ender } = yield* tokenOf(["accessToken:DELETE"])
      const mine = { name: "mine", account: victim.urn, accountId: victim.urn }
      yield* Row.run([
        { call: "GET /access-tokens?includeTotal=true", as: admin, expect: { "meta.total": 1 } },
        { call: `GET ${path}`, as: admin, expect: "NOT_FOUND" },
        { call: `GET ${path}?includeDeleted=true`, as: admin, expect: "NOT_FOUND" },
        { call: `DELETE ${path}`, as: admin, expect: "NOT_FOUND" },
        { call: `GET ${path}`, as: reader, expect: { "data.account": victim.urn } },
        { call: `DELETE ${path}`, as: reader, expect: "NOT_FOUND" },
        { call: "POST /access-tokens", as: creator, body: mine, expect: { "data.account": urn } },
        { call: `GET ${path}`, as: creator, expect: "NOT_FOUND" },
        { call: `GET ${path}`, as: ender, expect: "NOT_FOUND" },
        { call: "GET /me", as: victim.token, expect: 200 },
        { call: `DELETE ${path}`, as: ender, expect: 204 },
        { call: "GET /me", as: victim.token, expect: 401 }
      ])
    })
  )

  it.effect("ENV-05, OAU-18: refuses bad names, lifetimes and parameters; an OAuth client is not a user", () =>
    Effect.gen(function* () {
      const { clientId, token: oauth } = yield* accessToken()
      const { path } = yield* issue("access-tokens", (yield* tokenOf("Viewer")).token)
      const before = yield* ids("api-clients", { includeDeleted: "true" })
      const own = { id: "pat_0123456789abcdef", tokenHash: "0" }
      const [made] = yield* Row.run([
        {
          call: "POST /access-tokens",
          body: { name: "ä".repeat(200), expiresInSeconds: longest, ...own },
          expect: 201
        },
        ...["", "   ", "a\nb", "a\0", "\ud800"].flatMap((name) =>
          ["access-tokens", "api-clients"].map((kind) => ({
            call: `POST /${kind}`,
            body: { name },
            expect: "INVALID_ARGUMENT: name"
          }))
        ),
        ...[0, -1, 1.5, "60", longest + 1].map((expiresInSeconds) => ({
          call: "POST /access-tokens",
          body: { name: "a", expiresInSeconds },
          expect: "INVALID_ARGUMENT: expiresInSeconds"
        })),
        { call: "POST /access-tokens", as: oauth, body: { name: "mine" }, expect: "UNPROCESSABLE: Only users" },
        { call: "POST /api-clients", as: oauth, body: { name: "mine" }, expect: "UNPROCESSABLE: Only users" },
        { call: `DELETE ${path}?cascade=yes`, expect: "INVALID_ARGUMENT: cascade" },
        { call: `DELETE ${path}?cascade=true&cascade=true`, expect: "INVALID_ARGUMENT: cascade" },
        { call: `DELETE ${path}?includeDeleted=true`, expect: "INVALID_ARGUMENT: includeDeleted" },
        {
          call: `GET /api-clients/${clientId}`,
          expect: { "data.createdBy": { account: "urn:wcs:operator", bearer: null } }
        },
        { call: `DELETE ${path}`, as: oauth, expect: 204 }
      ])
      assert.notStrictEqual(at(made, "data.id"), own.id)
      assert.deepStrictEqual(yield* ids("api-clients", { includeDeleted: "true" }), before)
    })
  )

  it.effect("PRV-06: cascade needs apiClient DELETE if it would revoke a client, and changes nothing without", () =>
    Effect.gen(function* () {
      const elder = yield* tokenOf("Super Admin")
      const child = yield* issue("access-tokens", elder.token)
      const family = [child, yield* issue("api-clients", child.token), yield* issue("api-clients", elder.token)]
      const valid = Effect.forEach(family, ({ isValid }) => isValid)
      const { token: ender, urn } = yield* tokenOf(["accessToken:DELETE"])
      const { token: both } = yield* tokenOf(["accessToken:DELETE", "apiClient:DELETE"])
      const call = `DELETE /access-tokens/${elder.id}?cascade=true`
      yield* Row.run([{ call, as: ender, expect: `FORBIDDEN: ${urn} is unauthorized to DELETE API clients.` }])
      assert.deepStrictEqual(yield* valid, [true, true, true])
      yield* Row.run([{ call, as: both, expect: 204 }])
      assert.deepStrictEqual(yield* valid, [false, false, false])
    })
  )
})
