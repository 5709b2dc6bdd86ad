import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, type Call, Service } from "../../Service.ts"
import { layerService } from "../../TestService.ts"

const list: Call = { method: "GET", path: "/openapi/v1/workers" }

/** The 401: a message without a code (AUT-06, AUT-07). */
const assertUnauthorized = (answer: Answer, what = "") => {
  assert.strictEqual(answer.status, 401, `${what} ${answer.text}`)
  assert.deepStrictEqual(answer.json, { message: "Unauthorized to perform this action" }, what)
  assert.strictEqual(answer.headers["www-authenticate"], 'Bearer realm="wcs"', what)
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/, what)
}

layer(layerService())("bearer tokens", (it) => {
  it.effect("AUT-02: a token outside that header is ignored", () =>
    Effect.gen(function* () {
      const { call, superAdmin } = yield* Service
      const elsewhere: ReadonlyArray<Partial<Call>> = [
        { path: `${list.path}?access_token=${superAdmin}` },
        { headers: { cookie: `access_token=${superAdmin}` } },
        { headers: { "x-authorization": `Bearer ${superAdmin}` } },
        { headers: { "proxy-authorization": `Bearer ${superAdmin}` } },
        { headers: { "x-api-key": superAdmin } }
      ]
      for (const more of elsewhere) assertUnauthorized(yield* call({ ...list, ...more, token: null }))
    })
  )
})
