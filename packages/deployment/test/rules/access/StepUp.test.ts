import { assert, layer } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import { operator, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as Row from "../Row.ts"

const password = "correct horse battery staple"

layer(layerService(), { excludeTestServices: true })("step-up", (it) => {
  it.effect(
    "is required by every call that creates or rotates a secret, and by every write of users and identity providers",
    () =>
      Effect.sync(() => {
        assert.sameMembers(
          endpointsOf(NewerSurface).flatMap(({ name, stepUp }) => (stepUp === undefined ? [] : [name])),
          [
            ...["accessTokens.create", "apiClients.create", "webhooks.create", "webhooks.rotate"],
            ...["create", "replace", "patch", "remove", "verifyDomains"].map((name) => `identityProviders.${name}`),
            ...["create", "replace", "patch"].map((name) => `verificationSources.${name}`),
            ...["users.create", "users.patch", "users.remove", "users.activate", "users.reinvite"],
            ...["users.resetSecondFactor", "users.requireFactors"],
            "erasures.erase"
          ]
        )
      })
  )

  it.effect("RFC 9470: a proof of 15 minutes ago is 401 with max_age, and a new proof renews the session", () =>
    Effect.gen(function* () {
      const { call, session, tenant, users } = yield* Service
      const { email, urn } = yield* tokenOf("Viewer")
      yield* Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(password), operator))
      const [old, fresh] = [yield* session(accountIdOf(urn), 15 * 60), yield* session(accountIdOf(urn), 14 * 60)]
      const create = { call: "POST /access-tokens", as: null, body: { name: "step-up" } }
      const prove = (text: string) =>
        call({
          method: "POST",
          path: "/account/step-up",
          token: null,
          body: { password: text },
          headers: { ...old.headers, accept: "application/json" }
        })
      const wrong = yield* prove("wrong horse battery staple")
      assert.deepStrictEqual([wrong.status, wrong.headers["set-cookie"]], [401, undefined])
      const [refused] = yield* Row.run([
        { ...create, headers: old.headers, expect: 401 },
        { call: "GET /access-tokens?includeTotal=true", as: null, headers: old.headers, expect: { "meta.total": 1 } },
        // The privilege is checked first.
        { ...create, call: "POST /api-clients", headers: old.headers, expect: "FORBIDDEN: CREATE API clients" },
        { ...create, headers: fresh.headers, expect: 201 }
      ])
      const challenge = 'Session error="insufficient_user_authentication", max_age=900'
      assert.strictEqual(refused.headers["www-authenticate"], challenge)
      const right = yield* prove(password)
      const [renewed = ""] = (right.headers["set-cookie"] ?? "").split(";")
      assert.match(renewed, /^__Host-wcs=[0-9A-Za-z]{43}$/)
      yield* Row.run([
        { ...create, headers: { ...old.headers, cookie: renewed }, expect: 201 },
        { ...create, headers: old.headers, expect: 401 }
      ])
    })
  )
})
