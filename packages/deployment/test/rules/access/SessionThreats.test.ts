import { assert, layer } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Effect, Redacted } from "effect"
import { Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus } from "../NewerSurface.ts"

const origin = "https://localhost"

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
