import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Service } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertLegacyError, basic, login, person, send } from "./LegacySurface.ts"

layer(layerService(), { excludeTestServices: true })("the legacy surface: authentication", (it) => {
  it.effect("TRN-03, LEG-26: an unknown path is 404 in the surface's shape, with any method", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      for (const [method, path] of [
        ["GET", "/users"],
        ["DELETE", "/users/me"],
        ["POST", "/organizations/me"],
        ["GET", "/scan"],
        ["POST", "/constituents"],
        ["GET", "/v1/users/me"],
        ["GET", "/users/%zz"],
        ["GET", "/"]
      ] as const) {
        assertLegacyError(yield* send(method, path, bearer), 404)
      }
    })
  )
})

const limits = {
  standard: 1000,
  intensive: 1000,
  tenantStandard: 1000,
  tenantIntensive: 1000,
  unauthenticated: 1000,
  tokenFailures: 2,
  addressFailures: 6,
  networkFailures: 24,
  loginFailures: 3,
  tokensIssued: 2
}

layer(layerService(limits), { excludeTestServices: true })("the legacy surface: throttling", (it) => {
  it.effect("LEG-18: failures of one user name from any address lock it for the rest of the minute", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const who = yield* person()
      const wrong = basic({ ...who, password: "wrong" })
      for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
        assertLegacyError(yield* send("GET", "/users/me", wrong, { address }), 401, "authentication")
      }
      for (const authorization of [wrong, basic(who)]) {
        const locked = yield* send("GET", "/users/me", authorization, { address: "127.0.0.5" })
        assertLegacyError(locked, 429)
        assert.match(locked.headers["retry-after"] ?? "", /^\d+$/)
      }
      assert.strictEqual((yield* send("GET", "/users/me", basic(yield* person()))).status, 200, "and nobody else")
      yield* advance(61)
      assert.strictEqual((yield* send("GET", "/users/me", basic(who))).status, 200)
    })
  )
})
