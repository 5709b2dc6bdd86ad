import { assert, layer } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import { at, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, get, root } from "../NewerSurface.ts"

const origin = "https://localhost"

/** The origin of a request, in a browser's headers, and whether the console's script sent it. */
const places: ReadonlyArray<readonly [place: string, headers: Readonly<Record<string, string>>]> = [
  ["a sibling host", { origin: "https://other.localhost", "sec-fetch-site": "same-site", "x-wcs-console": "1" }],
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site", "x-wcs-console": "1" }],
  ["an opaque origin", { origin: "null", "sec-fetch-site": "cross-site", "x-wcs-console": "1" }],
  ["our origin over plain HTTP", { origin: "http://localhost", "x-wcs-console": "1" }],
  ["another port of our host", { origin: `${origin}:1`, "sec-fetch-site": "same-site", "x-wcs-console": "1" }],
  ["a client that is not a current browser", { "x-wcs-console": "1" }],
  ["our origin, without the console's script", { origin, "sec-fetch-site": "same-origin" }],
  ["a navigation", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "x-wcs-console": "1" }]
]

const workers = Effect.map(get("/workers?includeTotal=true"), (answer) => at(answer, "meta.total"))

/** The cookie of a half login: the password was right, the code is missing. */
const halfLogin = Effect.gen(function* () {
  const { call, tenant, users } = yield* Service
  const user = yield* tokenOf("Super Admin")
  const password = "correct horse battery staple"
  const byOperator = { account: "urn:wcs:operator", bearer: null, requestId: "test" }
  yield* Effect.orDie(users.setPassword(tenant.id, user.email, Redacted.make(password), byOperator))
  const answer = yield* call({
    method: "POST",
    path: "/login",
    token: null,
    body: { email: user.email, password },
    headers: { origin, "sec-fetch-site": "same-origin", accept: "application/json" }
  })
  assertStatus(answer, 200)
  const [pair = ""] = (answer.headers["set-cookie"] ?? "").split(";")
  const [name, token = ""] = pair.split("=")
  assert.strictEqual(name, "__Host-wcs-login")
  assert.isNotEmpty(token)
  return token
})

layer(layerService(), { excludeTestServices: true })("sessions under attack", (it) => {
  it.effect.each(places)("threat 50: a session's cookie from %s is 401, and nothing is written", ([, headers]) =>
    Effect.gen(function* () {
      const { call, session } = yield* Service
      const known = yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn))
      const post = (sent: Readonly<Record<string, string>>) =>
        call({
          method: "POST",
          path: `${root}/workers`,
          token: null,
          body: { identity: { displayName: "A" } },
          headers: sent
        })
      const before = yield* workers
      const cookie = known.headers["cookie"] ?? ""
      const refused = yield* post({ ...headers, cookie })
      assertStatus(refused, 401)
      assert.deepStrictEqual(refused.json, { message: "Unauthorized to perform this action" })
      assert.strictEqual(yield* workers, before)
      assertStatus(yield* post(known.headers), 201)
    })
  )

  it.effect("threat 51: a half login is 401 on every route, in its own cookie and in the session's", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const half = yield* halfLogin
      const own = { origin, "sec-fetch-site": "same-origin", "x-wcs-console": "1" }
      const endpoints = endpointsOf(NewerSurface).filter(({ guard }) => guard !== undefined)
      assert.isAbove(endpoints.length, 60)
      for (const { method, path } of endpoints) {
        for (const cookie of [`__Host-wcs=${half}`, `__Host-wcs-login=${half}`]) {
          const call_ = { method, path: path.replaceAll(/:\w+/g, "none"), token: null, headers: { ...own, cookie } }
          const answer = yield* call(method === "GET" || method === "DELETE" ? call_ : { ...call_, body: {} })
          assert.strictEqual(answer.status, 401, `${method} ${path}`)
        }
      }
    })
  )
})
