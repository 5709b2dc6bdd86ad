import { assert, layer } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import { Effect, Layer } from "effect"
import * as Deployment from "./Deployment.ts"

const root = "/openapi/v1"

const jsonCall = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { tokenOf } = yield* Deployment.Settled
  const answer = yield* Deployment.call({
    method,
    path: `${root}${path}`,
    token: yield* tokenOf("Super Admin"),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })
  assert.isBelow(answer.status, 300, answer.text)
  return Object(answer.json).data
})

const webhook = (events: ReadonlyArray<string>) =>
  Effect.map(
    jsonCall("POST", "/webhooks", { name: "HR", url: "https://receiver.invalid/", events }),
    ({ id }) => `/webhooks/${id}`
  )

/** The kinds of the webhook events of a create and an update of a credential. */
const kept = Effect.gen(function* () {
  const { tenant } = yield* Deployment.Settled
  const events = Effect.flatMap(EventStore, (store) => store.events(tenant.id, 0, 1000))
  const before = (yield* events).length
  const worker = yield* jsonCall("POST", "/workers", { identity: { displayName: "Ann" } })
  const attributes = { credentialType: "FIRST_AID", owners: { worker: worker.id } }
  const { id } = yield* jsonCall("POST", "/credentials", { attributes })
  yield* jsonCall("PATCH", `/credentials/${id}`, { attributes: { category: "Bronze" } })
  return (yield* events).slice(before).map(({ kind }) => kind)
})

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("the subscription of a webhook", (it) => {
  it.effect("starts with the create, changes with PUT and PATCH, and ends with the delete", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* kept, [])
      const path = yield* webhook(["credential.created"])
      assert.deepStrictEqual(yield* kept, ["credential.created"])
      yield* jsonCall("PATCH", path, { name: "Payroll" })
      assert.deepStrictEqual(yield* kept, ["credential.created"])
      yield* jsonCall("PATCH", path, { events: ["credential.updated", "webhook.test"] })
      assert.deepStrictEqual(yield* kept, ["credential.updated"])
      yield* jsonCall("PUT", path, {
        name: "HR",
        url: "https://receiver.invalid/",
        events: ["credential.updated", "credential.created"]
      })
      assert.deepStrictEqual(yield* kept, ["credential.created", "credential.updated"])
      yield* jsonCall("DELETE", path)
      assert.deepStrictEqual(yield* kept, [])
    })
  )

  it.effect("continues while the webhook is disabled and after a rotation, so events can be redriven", () =>
    Effect.gen(function* () {
      const path = yield* webhook(["credential.created"])
      yield* jsonCall("POST", `${path}/disable`)
      assert.deepStrictEqual(yield* kept, ["credential.created"])
      yield* jsonCall("POST", `${path}/rotate`)
      yield* jsonCall("POST", `${path}/enable`)
      assert.deepStrictEqual(yield* kept, ["credential.created"])
      yield* jsonCall("DELETE", path)
    })
  )
})

const developing = Layer.succeed(WebhookSettings, { allowsHttp: true, changeoverSeconds: 7 * 86_400, webhooksMax: 100 })

layer(Deployment.layer(Deployment.services().pipe(Layer.provide(developing))), { excludeTestServices: true })(
  "a deployment for development",
  (it) => {
    it.effect("accepts http URLs and keeps old secrets valid for the configured time", () =>
      Effect.gen(function* () {
        const fields = { name: "HR", url: "http://localhost:3000/", events: ["webhook.test"] }
        const { id, url } = yield* jsonCall("POST", "/webhooks", fields)
        assert.strictEqual(url, fields.url)
        const { delivery, updatedAt } = yield* jsonCall("POST", `/webhooks/${id}/rotate`)
        assert.strictEqual(Date.parse(delivery.previousSecretExpiresAt) - Date.parse(updatedAt), 7 * 86_400_000)
      })
    )
  }
)
