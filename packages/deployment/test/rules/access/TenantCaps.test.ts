import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect } from "effect"
import { Service, textAt, tokenOf, webhookFields } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, root } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const settings = { WCS_CLIENTS_MAX: "5", WCS_TOKENS_MAX: "4", WCS_USERS_MAX: "6", WCS_WEBHOOKS_MAX: "20" }

/** Each cap, and how many more fit beside the token of the caller, and beside the caller and the Super Admin. */
const caps = [
  { path: "/api-clients", body: () => ({ name: "payroll" }), more: 5, hint: "The limit of 5 API clients" },
  { path: "/access-tokens", body: () => ({ name: "ci" }), more: 3, hint: "The limit of 4 access tokens" },
  { path: "/webhooks", body: () => webhookFields, more: 20, hint: "20 webhooks" },
  {
    path: "/users",
    body: () => ({ email: `${randomUUID()}@example.org`, role: "Viewer" }),
    more: 4,
    hint: "The limit of 6 users"
  }
]

layer(layerService(undefined, {}, settings), { excludeTestServices: true })("the caps of a tenant", (it) => {
  it.effect("EVT-14, threat 43: concurrent creates stop at the cap, and a deletion frees one place", () =>
    Effect.gen(function* () {
      const { call, session } = yield* Service
      const { headers } = yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn))
      const by = { as: null, headers }
      for (const { body, hint, more, path } of caps) {
        const create = () => call({ method: "POST", path: root + path, token: null, headers, body: body() })
        const answers = yield* Effect.all(Array.from({ length: more + 8 }, create), { concurrency: 16 })
        const [created, refused] = [201, 422].map((due) => answers.filter(({ status }) => status === due))
        assert.deepStrictEqual([created?.length, refused?.length], [more, 8], path)
        for (const answer of refused ?? []) assertRefused(answer, "UNPROCESSABLE", hint)
        const [id, other] = (created ?? []).map((answer) => textAt(answer, "data.id"))
        yield* Row.run([
          { call: `DELETE ${path}/${id}`, ...by, expect: 204 },
          { call: `POST ${path}`, ...by, body: body(), expect: 201 },
          { call: `POST ${path}`, ...by, body: body(), expect: `UNPROCESSABLE: ${hint}` },
          ...(path === "/users"
            ? [
                { call: `POST ${path}/${id}/activate`, ...by, expect: `UNPROCESSABLE: ${hint}` },
                { call: `DELETE ${path}/${other}`, ...by, expect: 204 },
                { call: `POST ${path}/${id}/activate`, ...by, expect: 200 }
              ]
            : [])
        ])
      }
    })
  )
})
