import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { credential, otherHost, textAt, tokenOf, webhookFields, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertStatus, dataOf, get, post } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { webhookReceiver } from "./WebhookReceiver.ts"

const settings = {
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
  WCS_WEBHOOK_RETRIES: "50ms,50ms"
}

/** A webhook with its own receiver, until the test ends, and the signing secret. */
const subscribed = Effect.gen(function* () {
  const receiver = yield* webhookReceiver
  const made = yield* post("/webhooks", { ...webhookFields, url: receiver.url, events: ["credential.created"] })
  assertStatus(made, 201)
  const id = textAt(made, "data.id")
  yield* Effect.addFinalizer(() => Row.run([{ call: `DELETE /webhooks/${id}`, expect: 204 }]))
  return { ...receiver, id, path: `/webhooks/${id}`, secret: textAt(made, "data.signingSecret") }
})

/** The log of a webhook once it meets a condition. */
const logged = (path: string, isSo: (log: ReadonlyArray<Record<string, unknown>>) => boolean) => {
  const log = Effect.map(get(`${path}/deliveries`), (answer) => dataOf(answer).map(Object))
  return Effect.repeat(log, { until: isSo })
}

layer(layerService(raisedLimits, {}, settings), { excludeTestServices: true })("deliveries", (it) => {
  it.effect("a redrive selects by state, time and id; a preview sends and records nothing; bad ones are refused", () =>
    Effect.gen(function* () {
      const { id, path, take } = yield* subscribed
      const holder = yield* worker()
      for (const _ of [1, 2, 3]) yield* credential({ worker: holder })
      const [first] = yield* take(() => true, 3)
      const log = yield* logged(path, (all) => all.every(({ state }) => state === "DELIVERED"))
      const from = new Date(Date.parse(String(first?.body["timestamp"])) - 60_000).toISOString()
      const states = ["DELIVERED"]
      const redrive = (body: object) => ({ call: `POST ${path}/redrive`, body })
      const none = { type: "redrive", webhookId: id, redriven: 0, hasMore: false }
      yield* Row.run([
        ...(
          [
            [3, { states, from }],
            [0, { states, to: from }],
            [0, {}],
            [1, { deliveryIds: [log[0]?.["id"]] }]
          ] as const
        ).map(([matching, body]) => ({
          ...redrive({ preview: true, ...body }),
          expect: { data: { ...none, matching } }
        })),
        { call: `GET /audit-events?entityId=${id}&action=redrive`, expect: { data: [] } },
        { call: `GET ${path}/deliveries`, expect: { data: log } },
        ...(
          [
            [{ states: [] }, "states"],
            [{ states: ["nonsense"] }, "states"],
            [{ states: ["DELIVERED", "DELIVERED"] }, "states"],
            [{ from: "yesterday" }, "from"],
            [{ to: "2026-02-30T00:00:00Z" }, "to"],
            [{ deliveryIds: ["nonsense"] }, "deliveryIds"],
            [{ deliveryIds: Array(501).fill("dlv_0000000000000000") }, "deliveryIds"],
            [{ preview: "yes" }, "preview"]
          ] as const
        ).map(([body, field]) => ({ ...redrive(body), expect: `INVALID_ARGUMENT: ${field}` })),
        { call: `POST ${path}/disable`, expect: 200 },
        { ...redrive({ states }), expect: "UNPROCESSABLE: Enable the webhook first" },
        { ...redrive({ states, preview: true }), expect: { "data.matching": 3 } },
        { call: `POST ${path}/enable`, expect: 200 },
        { ...redrive({ states, from, preview: false }), expect: { data: { ...none, redriven: 3 } } },
        { call: `GET /audit-events?entityId=${id}&action=redrive`, expect: { "data.length": 1 } }
      ])
    })
  )

  it.effect("a webhook that fails is found, with the reason, what waits and what was given up", () =>
    Effect.gen(function* () {
      const [{ answering, id, path }, healthy] = [yield* subscribed, yield* subscribed]
      yield* answering(() => ({ status: 503 }))
      yield* credential({ worker: yield* worker() })
      yield* logged(path, ([one]) => one?.["state"] === "EXHAUSTED")
      yield* logged(healthy.path, ([one]) => one?.["state"] === "DELIVERED")
      const [failing] = yield* Row.run([
        { call: "GET /webhooks?failing=true", expect: { "data.length": 1, "data.0.id": id } },
        { call: "GET /webhooks?failing=true&status=DISABLED", expect: { data: [] } },
        { call: "GET /webhooks?failing=yes", expect: "INVALID_ARGUMENT: failing" },
        { call: "GET /webhooks?failing=true&failing=true", expect: "INVALID_ARGUMENT: failing" },
        { call: `GET ${healthy.path}`, expect: { "data.delivery.lastFailure": null, "data.delivery.exhausted": 0 } }
      ])
      const { delivery } = Object(dataOf(failing)[0])
      assert.deepInclude(delivery, { consecutiveFailures: 3, lastFailure: "HTTP_503", waiting: 0, exhausted: 1 })
      yield* Row.run([{ call: `GET ${path}`, expect: { "data.delivery": delivery } }])
      yield* answering(() => ({ status: 204 }))
      yield* Row.run([{ call: `POST ${path}/redrive`, expect: { "data.redriven": 1 } }])
      yield* logged(path, ([one]) => one?.["state"] === "DELIVERED")
      yield* Row.run([
        { call: "GET /webhooks?failing=true", expect: { data: [] } },
        { call: `GET ${path}`, expect: { "data.delivery.exhausted": 0, "data.delivery.lastFailure": "HTTP_503" } }
      ])
    })
  )

  it.effect("a single delivery reads as in the log, with the sent bytes, under its own webhook and tenant only", () =>
    Effect.gen(function* () {
      const { answering, path, secret, take } = yield* subscribed
      yield* answering(() => ({ status: 204, headers: { server: "once", "set-cookie": "session=1" } }))
      const other = yield* subscribed
      yield* credential({ worker: yield* worker() })
      const [sent] = yield* take(() => true)
      const [entry] = yield* logged(path, ([one]) => one?.["state"] === "DELIVERED")
      const headers = Object.entries(sent?.headers ?? {}).filter(
        ([name]) => !/^(host|connection|content-length)$/.test(name)
      )
      const signature = String(sent?.headers["webhook-signature"])
      const { token } = yield* tokenOf("Super Admin", true)
      const call = `GET ${path}/deliveries/${entry?.["id"]}`
      const [answer] = yield* Row.run([
        { call, expect: { "data.body": sent?.text, "data.state": entry?.["state"], "data.id": entry?.["id"] } },
        { call: `GET ${path}/deliveries?state=DELIVERED`, expect: { "data.length": 1 } },
        { call: `GET ${path}/deliveries?state=EXHAUSTED`, expect: { data: [] } },
        { call: call.replace(path, other.path), expect: `NOT_FOUND: ${entry?.["id"]}` },
        { call: `GET ${path}/deliveries/nonsense`, expect: "INVALID_ARGUMENT: deliveryId" },
        { call: `${call}?include=body`, expect: "INVALID_ARGUMENT: include" },
        { call, as: token, host: otherHost, expect: "NOT_FOUND" }
      ])
      const [exchange, ...others] = Object(answer.json).data.exchanges
      assert.deepStrictEqual(others, [])
      assert.sameDeepMembers(
        exchange.requestHeaders,
        headers.map(([name, value]) => ({
          name,
          value: name === "webhook-signature" ? `${signature.slice(0, 11)}…` : value
        }))
      )
      assert.deepInclude(exchange, { number: 1, responseBody: "" })
      assert.includeDeepMembers(exchange.responseHeaders, [{ name: "server", value: "once" }])
      // threat 69: nothing that signs, and no cookie.
      for (const text of [secret.slice(6), signature, "session=1"]) assert.notInclude(answer.text, text)
    })
  )
})
