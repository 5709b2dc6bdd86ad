import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, type Call, client, grant, grantForm, tokenPath } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as Row from "../Row.ts"

const limit = 16 * 1024

/** A form of a good grant. */
const goodForm = Effect.map(client(), (made) => new URLSearchParams(grantForm(made)).toString())

/** Paths that a brokering deployment would use (§4.2), and paths that look like the token endpoint. */
const others = [
  "/oauth",
  "/oauth/recruiter/authorize",
  "/oauth/recruiter/callback?code=abc&state=def",
  "/oauth/police-check/token",
  "/oauth/token/recruiter",
  "/oauth/token//",
  "/oauth//token",
  "/oauth/Token",
  "/oauth/token;v=1",
  "/oauth/token%2f",
  "/oauth%2ftoken",
  "/oauth/%ff/callback"
]

layer(layerService(), { excludeTestServices: true })("the token endpoint", (it) => {
  it.effect("OAU-15, SIL-15: refuses repeated parameters, large or malformed forms, queries and other methods", () =>
    Effect.gen(function* () {
      const good = yield* goodForm
      const padded = (length: number) => `${good}&more=${"a".repeat(length - good.length - 6)}`
      const query = { path: `${tokenPath}?${good}` }
      const rows: ReadonlyArray<readonly [form: string, more: Partial<Call>, status: number, error?: string]> = [
        [`${good}&scope=all`, {}, 200],
        [padded(limit), {}, 200],
        [padded(limit + 1), {}, 413, "invalid_request"],
        ["", { rawBody: new Uint8Array([...Buffer.from(good), 0xc3, 0x28]) }, 400, "invalid_request"],
        [`${good}&client_secret=`, {}, 400, "invalid_request"],
        [`${good}&scope=a&scope=a`, {}, 400, "invalid_request"],
        ["", query, 400, "unsupported_grant_type"],
        ...["GET", "PUT", "PATCH", "DELETE", "OPTIONS"].map(
          (method) => ["", { ...query, method }, 405, "invalid_request"] as const
        )
      ]
      for (const [form, more, status, error] of rows) {
        const answer = yield* grant(form, more)
        assert.deepStrictEqual([answer.status, at(answer, "error")], [status, error], answer.text)
        assert.strictEqual(answer.headers["allow"], status === 405 ? "POST" : undefined)
      }
    })
  )

  it.effect.each(others)("OAU-22: a good grant at %s is 401 without a token, and 404 with one", (path) =>
    Effect.gen(function* () {
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      const call = { call: `POST ${path}`, rawBody: yield* goodForm, headers }
      yield* Row.run([
        { ...call, as: null, expect: 401 },
        { ...call, expect: "NOT_FOUND" }
      ])
    })
  )
})
