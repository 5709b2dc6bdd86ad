import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  apiClient,
  at,
  client,
  grant,
  grantForm,
  personalToken,
  Service,
  textAt,
  tokenFor,
  tokenOf
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, root } from "../NewerSurface.ts"

/** The calls of one bearer. */
const as = (token: string) => {
  const send = (method: string, path: string, body?: unknown) =>
    Service.use(({ call }) => call({ method, path: root + path, token, ...(body === undefined ? {} : { body }) }))
  return {
    makeToken: (body: Readonly<Record<string, unknown>> = {}) =>
      send("POST", "/access-tokens", { name: "made", ...body }),
    makeClient: () => send("POST", "/api-clients", { name: "made" }),
    get: (path: string) => send("GET", path),
    end: (path: string) => send("DELETE", path)
  }
}

const made = (answer: Answer) => {
  assertStatus(answer, 201)
  return { id: textAt(answer, "data.id"), token: textAt(answer, "data.token"), expiresAt: at(answer, "data.expiresAt") }
}

const madeClient = (answer: Answer) => {
  assertStatus(answer, 201)
  const clientId = textAt(answer, "data.id")
  return {
    id: clientId,
    expiresAt: at(answer, "data.expiresAt"),
    form: grantForm({ clientId, clientSecret: textAt(answer, "data.clientSecret") })
  }
}

type MadeClient = ReturnType<typeof madeClient>

const isGood = (token: string) => Effect.map(as(token).get("/access-tokens"), ({ status }) => status === 200)

/** Whether a client gets tokens. */
const isGranted = ({ form }: Pick<MadeClient, "form">) => Effect.map(grant(form), ({ status }) => status === 200)

/** An expiring token of a new Super Admin. */
const expiring = Effect.fnUntraced(function* (seconds: number) {
  const user = yield* tokenOf("Super Admin")
  return { ...user, ...(yield* tokenFor(user.email, seconds)) }
})

/** A Super Admin's token and its descendants: a token, a token of that one, a client of each. */
const family = Effect.gen(function* () {
  const user = yield* tokenOf("Super Admin")
  const child = made(yield* as(user.token).makeToken())
  const grandchild = made(yield* as(child.token).makeToken())
  const clients = [
    madeClient(yield* as(user.token).makeClient()),
    madeClient(yield* as(grandchild.token).makeClient())
  ] as const
  return { user, child, grandchild, clients }
})

/** The live members of a family: tokens from the eldest, then clients. */
const living = ({ child, clients, grandchild, user }: Effect.Success<typeof family>) =>
  Effect.all([...[user, child, grandchild].map(({ token }) => isGood(token)), ...clients.map((one) => isGranted(one))])

layer(layerService(), { excludeTestServices: true })("descendants of a token", (it) => {
  it.effect(
    "threat 44: expire no later than their maker: a longer lifetime is 422; without a lifetime they expire with the maker",
    () =>
      Effect.gen(function* () {
        const maker = yield* expiring(3600)
        const shown = yield* as(maker.token).get(`/access-tokens/${maker.id}`)
        for (const expiresInSeconds of [3601, 7200, null]) {
          const refused = yield* as(maker.token).makeToken({ expiresInSeconds })
          assertRefused(refused, "UNPROCESSABLE", "expiresInSeconds")
          assert.match(textAt(refused, "error.message"), /at most 3(600|59\d) seconds/)
        }
        assert.deepStrictEqual(idsOf(yield* as(maker.token).get("/access-tokens?sort=createdAt:desc"))[0], maker.id)
        const child = made(yield* as(maker.token).makeToken())
        assert.strictEqual(child.expiresAt, at(shown, "data.expiresAt"))
        const short = made(yield* as(maker.token).makeToken({ expiresInSeconds: 60 }))
        assertRefused(yield* as(short.token).makeToken({ expiresInSeconds: 120 }), "UNPROCESSABLE")
        assert.strictEqual(made(yield* as(short.token).makeToken()).expiresAt, short.expiresAt)
        yield* Service.use(({ advance }) => advance(3601))
        for (const { token } of [maker, child, short]) assert.isFalse(yield* isGood(token))
      })
  )

  it.effect("show who created each token and client, with which bearer", () =>
    Effect.gen(function* () {
      const user = yield* tokenOf("Super Admin")
      const byOperator = { account: "urn:wcs:operator", bearer: null }
      const byUser = { account: user.urn, bearer: { kind: "personal", id: user.id } }
      const token = yield* as(user.token).makeToken()
      const maker = yield* as(user.token).makeClient()
      assert.deepStrictEqual(at(token, "data.createdBy"), byUser)
      assert.deepStrictEqual(at(maker, "data.createdBy"), byUser)
      for (const [path, id, expected] of [
        ["/access-tokens", user.id, byOperator],
        ["/access-tokens", textAt(token, "data.id"), byUser],
        ["/api-clients", (yield* client()).clientId, byOperator],
        ["/api-clients", textAt(maker, "data.id"), byUser]
      ] as const) {
        assert.deepStrictEqual(at(yield* get(`${path}/${id}`), "data.createdBy"), expected)
        const listed = dataOf(yield* get(`${path}?sort=createdAt:desc&pageSize=100`)).map(Object)
        assert.deepStrictEqual(listed.find((one) => one.id === id)?.createdBy, expected)
      }
    })
  )
})

layer(layerService(), { excludeTestServices: true })("revoking descendants of a token", (it) => {
  it.effect("PRV-06: cascade needs apiClient DELETE if it would revoke a client, and changes nothing without", () =>
    Effect.gen(function* () {
      const all = yield* family
      const text = "DELETE API clients"
      const ender = yield* tokenOf(["accessToken:DELETE"])
      const path = `/access-tokens/${all.user.id}?cascade=true`
      assertRefused(yield* as(ender.token).end(path), "FORBIDDEN", `${ender.urn} is unauthorized to ${text}.`)
      assert.deepStrictEqual(yield* living(all), [true, true, true, true, true])
      const maker = yield* tokenOf(["apiClient:CREATE"])
      const child = made(yield* as(maker.token).makeToken())
      const clientOfChild = madeClient(yield* as(child.token).makeClient())
      assertRefused(yield* as(maker.token).end(`/access-tokens/${child.id}?cascade=true`), "FORBIDDEN", text)
      assert.isTrue(yield* isGood(child.token))
      assert.isTrue(yield* isGranted(clientOfChild))
      // The owner of a token without clients can revoke it without a privilege.
      const viewer = yield* tokenOf("Viewer")
      const [first] = [made(yield* as(viewer.token).makeToken())]
      const second = made(yield* as(first.token).makeToken())
      assertStatus(yield* as(viewer.token).end(`/access-tokens/${first.id}?cascade=true`), 204)
      assert.deepStrictEqual([yield* isGood(first.token), yield* isGood(second.token)], [false, false])
      const both = yield* tokenOf(["accessToken:DELETE", "apiClient:DELETE"])
      assertStatus(yield* as(both.token).end(path), 204)
      assert.deepStrictEqual(yield* living(all), [false, false, false, false, false])
    })
  )

  it.effect("ENV-05: cascade must be true or false, and given once; DELETE has no other parameter", () =>
    Effect.gen(function* () {
      for (const path of [`/access-tokens/${yield* personalToken()}`, `/api-clients/${yield* apiClient()}`]) {
        for (const [query, field] of [
          ["cascade=yes", "cascade"],
          ["cascade=", "cascade"],
          ["cascade=true&cascade=true", "cascade"],
          ["includeDeleted=true", "includeDeleted"]
        ] as const) {
          const answer = yield* Service.use(({ call }) => call({ method: "DELETE", path: `${root}${path}?${query}` }))
          assertRefused(answer, "INVALID_ARGUMENT", field)
        }
        assertStatus(yield* get(path), 200)
      }
    })
  )
})
