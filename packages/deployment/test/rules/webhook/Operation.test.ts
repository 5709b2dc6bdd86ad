import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, identityProvider, otherHost, textAt, tokenOf, webhookFields, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertStatus, get, post } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { webhookReceiver } from "./WebhookReceiver.ts"

const settings = {
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
  WCS_WEBHOOK_RETRIES: "1h"
}
const operation = { call: "GET /operation" }

layer(layerService(raisedLimits, {}, settings), { excludeTestServices: true })("the operation of a tenant", (it) => {
  it.effect("shows what waits and fails, and how old the secrets are, to nobody of another tenant", () =>
    Effect.gen(function* () {
      const receiver = yield* webhookReceiver
      yield* receiver.answering(() => ({ status: 503 }))
      const made = yield* post("/webhooks", {
        ...webhookFields,
        ...{ name: "Rosters", url: receiver.url, events: ["credential.created"] }
      })
      assertStatus(made, 201)
      const id = textAt(made, "data.id")
      yield* credential({ worker: yield* worker() })
      const log = get(`/webhooks/${id}/deliveries`)
      yield* Effect.repeat(log, { until: (answer) => at(answer, "data.0.state") === "FAILED_RETRYABLE" })
      assertStatus(yield* post(`/webhooks/${id}/rotate`), 200)
      const [own] = yield* Row.run([
        {
          ...operation,
          expect: { "data.failingWebhooks": 1, "data.deadLetters": { retrying: 0, dead: 0 }, "data.leftOut": [] }
        }
      ])
      const { queues, secrets, version } = Object(own.json).data
      assert.match(version, /^\d+\.\d+\.\d+/)
      const deliveries = queues.find(({ queue }: { readonly queue: string }) => queue === "deliveries")
      assert.deepStrictEqual(deliveries, { queue: "deliveries", waiting: 1, since: null })
      const secret = secrets.find((one: { readonly id: string }) => one.id === id)
      assert.deepInclude(secret, { kind: "WEBHOOK_SECRET", name: "Rosters", expiresAt: null, age: "OK" })
      assert.isNotNull(secret.overlapUntil)
      assert.notInclude(own.text, "whsec_")
      const { token } = yield* tokenOf("Super Admin", true)
      const elsewhere = { as: token, host: otherHost }
      const [other] = yield* Row.run([{ ...operation, ...elsewhere, expect: { "data.failingWebhooks": 0 } }])
      assert.notInclude(other.text, id)
    })
  )

  it.effect("leaves out the secrets that the caller may not read, and says so", () =>
    Effect.gen(function* () {
      yield* identityProvider
      const { token: as } = yield* tokenOf(["webhook:READ"])
      const { token: none } = yield* tokenOf(["worker:READ"])
      const [limited] = yield* Row.run([
        { ...operation, as, expect: { "data.leftOut": ["identityProvider", "apiClient"] } },
        { ...operation, as: none, expect: "FORBIDDEN: READ webhooks" },
        { call: "GET /operation?sort=id", expect: "INVALID_ARGUMENT: sort" }
      ])
      const kinds = Object(limited.json).data.secrets.map(({ kind }: { readonly kind: string }) => kind)
      assert.notInclude(kinds, "CERTIFICATE")
      assert.notInclude(kinds, "API_CLIENT")
    })
  )
})
