import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, otherHost, textAt, tokenOf, webhookFields, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertStatus, dataOf, get, post } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { webhookReceiver } from "./WebhookReceiver.ts"

const settings = {
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
  WCS_WEBHOOK_RETRIES: "50ms,50ms"
}

/** A new webhook with its own receiver, and the signing secret. */
const subscribed = Effect.gen(function* () {
  const receiver = yield* webhookReceiver
  const made = yield* post("/webhooks", { ...webhookFields, url: receiver.url, events: ["credential.created"] })
  assertStatus(made, 201)
  const id = textAt(made, "data.id")
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

  it.effect("410 disables the webhook and skips later events; enable resets the failures; a redrive sends all", () =>
    Effect.gen(function* () {
      const { answering, path, take } = yield* subscribed
      yield* answering(() => ({ status: 410 }))
      const holder = yield* worker()
      yield* credential({ worker: holder })
      const status = Effect.map(get(path), (shown) => at(shown, "data.status"))
      yield* Effect.repeat(status, { until: (text) => text === "AUTO_DISABLED" })
      yield* credential({ worker: holder })
      yield* logged(path, (log) => log.some(({ state }) => state === "SKIPPED_DISABLED"))
      yield* answering(() => ({ status: 200 }))
      yield* Row.run([
        { call: `POST ${path}/ping`, expect: { "data.state": "DELIVERED" } },
        { call: `GET ${path}`, expect: { "data.delivery.consecutiveFailures": 1 } },
        { call: `POST ${path}/enable`, expect: { "data.delivery.consecutiveFailures": 0 } },
        { call: `POST ${path}/redrive`, expect: { "data.redriven": 2 } }
      ])
      assert.lengthOf(yield* take(({ body }) => body["type"] !== "webhook.test", 3), 3)
    })
  )

  it.effect("a single delivery reads as in the log, with the sent bytes, under its own webhook and tenant only", () =>
    Effect.gen(function* () {
      const { path, secret, take } = yield* subscribed
      const other = yield* subscribed
      yield* credential({ worker: yield* worker() })
      const [sent] = yield* take(() => true)
      const [entry] = yield* logged(path, ([one]) => one?.["state"] === "DELIVERED")
      const { token } = yield* tokenOf("Super Admin", true)
      const call = `GET ${path}/deliveries/${entry?.["id"]}`
      const [answer] = yield* Row.run([
        { call, expect: { data: { ...entry, body: sent?.text } } },
        { call: `GET ${path}/deliveries?state=DELIVERED`, expect: { "data.length": 1 } },
        { call: `GET ${path}/deliveries?state=EXHAUSTED`, expect: { data: [] } },
        { call: call.replace(path, other.path), expect: `NOT_FOUND: ${entry?.["id"]}` },
        { call: `GET ${path}/deliveries/nonsense`, expect: "INVALID_ARGUMENT: deliveryId" },
        { call: `${call}?include=body`, expect: "INVALID_ARGUMENT: include" },
        { call, as: token, host: otherHost, expect: "NOT_FOUND" }
      ])
      assert.notInclude(answer.text, secret.slice(6))
    })
  )
})
