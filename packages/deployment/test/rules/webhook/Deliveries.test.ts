import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { at, credential, otherHost, Service, textAt, tokenOf, verified, webhookFields, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, root } from "../NewerSurface.ts"
import { type Received, webhookReceiver } from "./WebhookReceiver.ts"

const settings = {
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
  WCS_WEBHOOK_RETRIES: "50ms,50ms"
}

const events = ["credential.created", "credential.verified"]

/** A new webhook with its own receiver, and the signing secret. */
const subscribed = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>> = {}) {
  const receiver = yield* webhookReceiver
  const made = yield* post("/webhooks", { ...webhookFields, url: receiver.url, events, ...fields })
  assertStatus(made, 201)
  return { ...receiver, id: textAt(made, "data.id"), secret: textAt(made, "data.signingSecret") }
})

const ofKind =
  (kind: string) =>
  ({ headers }: Received): boolean =>
    headers["x-service-event"] === kind

const idOf = ({ headers }: Received): string => String(headers["x-service-delivery"])

/** Whether a secret verifies a delivery, by the public library. */
const verifies = (secret: string, { headers, text }: Received): boolean => {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

const act = (path: string, body?: unknown) =>
  Service.use(({ call }) => call({ method: "POST", path: root + path, ...(body === undefined ? {} : { body }) }))

const deliveries = Effect.fnUntraced(function* (webhook: string, query = "") {
  const answer = yield* get(`/webhooks/${webhook}/deliveries${query}`)
  assertStatus(answer, 200)
  return dataOf(answer).map(Object)
})

/** The log of a webhook once it meets a condition. */
const logged = (webhook: string, isSo: (log: ReadonlyArray<Record<string, unknown>>) => boolean) =>
  Effect.repeat(deliveries(webhook), { until: isSo })

layer(layerService(raisedLimits, {}, settings), { excludeTestServices: true })("deliveries", (it) => {
  it.effect("SIL-25: a verify that reuses an outcome sends its event too", () =>
    Effect.gen(function* () {
      const id = yield* verified({ worker: yield* worker() })
      const { take } = yield* subscribed()
      yield* post(`/credentials/${id}/verify`, { correlationId: "again" })
      const [received] = yield* take(({ body }) => body["correlationId"] === "again")
      assert.isDefined(received)
    })
  )

  it.effect("a redrive selects by time and state, refuses malformed selections, and a disabled webhook", () =>
    Effect.gen(function* () {
      const { id, take } = yield* subscribed({ events: ["credential.created"] })
      yield* credential({ worker: yield* worker() })
      const [first] = yield* take(() => true)
      const sent = Date.parse(String(first?.body["timestamp"]))
      yield* logged(id, ([one]) => one?.["state"] === "DELIVERED")
      const redrive = (body: unknown) => act(`/webhooks/${id}/redrive`, body)
      const timeAt = (millis: number) => new Date(millis).toISOString()
      const states = ["DELIVERED"]
      for (const [count, body] of [
        [0, { states: ["EXHAUSTED"] }],
        [0, { states, from: timeAt(sent + 60_000) }],
        [0, { states, to: timeAt(sent - 60_000) }],
        [1, { states, from: timeAt(sent - 60_000), to: timeAt(sent + 60_000) }]
      ] as const) {
        assert.strictEqual(at(yield* redrive(body), "data.redriven"), count, JSON.stringify(body))
      }
      for (const [body, field] of [
        [{ states: [] }, "states"],
        [{ states: ["nonsense"] }, "states"],
        [{ states: ["DELIVERED", "DELIVERED"] }, "states"],
        [{ from: "yesterday" }, "from"],
        [{ to: "2026-02-30T00:00:00Z" }, "to"],
        [{ deliveryIds: ["nonsense"] }, "deliveryIds"],
        [{ deliveryIds: Array(501).fill("dlv_0000000000000000") }, "deliveryIds"]
      ] as const) {
        assertRefused(yield* redrive(body), "INVALID_ARGUMENT", field)
      }
      assertRefused(yield* redrive({ preview: "yes" }), "INVALID_ARGUMENT", "preview")
      assertStatus(yield* act(`/webhooks/${id}/disable`), 200)
      assertRefused(yield* redrive({ states }), "UNPROCESSABLE", "Enable the webhook first")
    })
  )

  it.effect("ping sends webhook.test without a subscription, also if disabled, and returns the result", () =>
    Effect.gen(function* () {
      const { answering, id, secret, take } = yield* subscribed({ events: ["credential.updated"] })
      const pinged = yield* act(`/webhooks/${id}/ping`)
      assertStatus(pinged, 200)
      const [received] = yield* take(ofKind("webhook.test"))
      assert.strictEqual(at(pinged, "data.id"), received?.headers["x-service-delivery"])
      assert.strictEqual(at(pinged, "data.state"), "DELIVERED")
      assert.isTrue(verifies(secret, received as Received))
      assertStatus(yield* act(`/webhooks/${id}/disable`), 200)
      yield* answering(() => ({ status: 500 }))
      assert.strictEqual(at(yield* act(`/webhooks/${id}/ping`), "data.state"), "EXHAUSTED")
      assert.strictEqual(at(yield* get(`/webhooks/${id}`), "data.delivery.consecutiveFailures"), 0)
    })
  )

  it.effect("a refused enable keeps the failures, and an accepted one resets them", () =>
    Effect.gen(function* () {
      const { answering, id } = yield* subscribed({ events: ["credential.created"] })
      yield* answering(() => ({ status: 410 }))
      yield* credential({ worker: yield* worker() })
      const status = Effect.map(get(`/webhooks/${id}`), (shown) => at(shown, "data.status"))
      yield* Effect.repeat(status, { until: (text) => text === "AUTO_DISABLED" })
      assertStatus(yield* patch(`/webhooks/${id}`, { events: ["webhook.test"] }), 200)
      const { token } = yield* tokenOf(["webhook:READ", "webhook:UPDATE"])
      const { call } = yield* Service
      const refused = yield* call({ method: "POST", path: `${root}/webhooks/${id}/enable`, token })
      assertStatus(refused, 403)
      assert.strictEqual(at(yield* get(`/webhooks/${id}`), "data.delivery.consecutiveFailures"), 1)
      assert.strictEqual(at(yield* act(`/webhooks/${id}/enable`), "data.delivery.consecutiveFailures"), 0)
      assert.strictEqual(at(yield* get(`/webhooks/${id}`), "data.delivery.consecutiveFailures"), 0)
    })
  )

  it.effect("410 disables the webhook; later events are kept, and a redrive sends them once it is enabled", () =>
    Effect.gen(function* () {
      const { answering, id, take } = yield* subscribed({ events: ["credential.created"] })
      yield* answering(() => ({ status: 410 }))
      yield* credential({ worker: yield* worker() })
      const status = Effect.map(get(`/webhooks/${id}`), (shown) => at(shown, "data.status"))
      yield* Effect.repeat(status, { until: (text) => text === "AUTO_DISABLED" })
      yield* credential({ worker: yield* worker() })
      yield* logged(id, (log) => log.some(({ state }) => state === "SKIPPED_DISABLED"))
      yield* answering(() => ({ status: 200 }))
      assertStatus(yield* act(`/webhooks/${id}/enable`), 200)
      assert.strictEqual(at(yield* act(`/webhooks/${id}/redrive`), "data.redriven"), 2)
      assert.lengthOf(new Set((yield* take(() => true, 3)).map(idOf)), 2)
      const entries = yield* get(`/audit-events?entityId=${id}&sort=createdAt:desc`)
      assert.include(JSON.stringify(at(entries, "data")), '"action":"auto-disable"')
    })
  )

  it.effect("a preview of a redrive counts its deliveries, and sends and records nothing", () =>
    Effect.gen(function* () {
      const { id, take } = yield* subscribed({ events: ["credential.created"] })
      const holder = yield* worker()
      for (const _ of [1, 2, 3]) yield* credential({ worker: holder })
      const [first] = yield* take(() => true, 3)
      const log = yield* logged(id, (all) => all.every(({ state }) => state === "DELIVERED"))
      const sent = Date.parse(String(first?.body["timestamp"]))
      const entries = get(`/audit-events?entityId=${id}&action=redrive`)
      const states = ["DELIVERED"]
      const from = new Date(sent - 60_000).toISOString()
      const preview = (body: object) => act(`/webhooks/${id}/redrive`, { preview: true, ...body })
      for (const [matching, body] of [
        [3, { states, from }],
        [0, { states, to: from }],
        [0, {}],
        [1, { deliveryIds: [String(log[0]?.["id"])] }]
      ] as const) {
        const answer = yield* preview(body)
        assertStatus(answer, 200)
        const expected = { type: "redrive", webhookId: id, redriven: 0, matching, hasMore: false }
        assert.deepStrictEqual(at(answer, "data"), expected)
      }
      assert.isEmpty(dataOf(yield* entries))
      assert.deepStrictEqual(yield* deliveries(id), log)
      assertStatus(yield* act(`/webhooks/${id}/disable`), 200)
      assert.strictEqual(at(yield* preview({ states }), "data.matching"), 3)
      assertStatus(yield* act(`/webhooks/${id}/enable`), 200)
      const done = yield* act(`/webhooks/${id}/redrive`, { states, from, preview: false })
      assert.deepStrictEqual(at(done, "data"), { type: "redrive", webhookId: id, redriven: 3, hasMore: false })
      assert.lengthOf(dataOf(yield* entries), 1)
    })
  )

  it.effect("a single delivery reads as in the log, with the sent bytes, under its own webhook only", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { id, secret, take } = yield* subscribed({ events: ["credential.created"] })
      const other = yield* subscribed()
      yield* credential({ worker: yield* worker() })
      const [sent] = yield* take(() => true)
      const [entry] = yield* logged(id, ([one]) => one?.["state"] === "DELIVERED")
      const path = `/webhooks/${id}/deliveries/${entry?.["id"]}`
      const answer = yield* get(path)
      assertStatus(answer, 200)
      assert.deepStrictEqual(at(answer, "data"), { ...entry, body: sent?.text })
      assert.notInclude(answer.text, secret.slice(6))
      assert.lengthOf(yield* deliveries(id, "?state=DELIVERED"), 1)
      assert.isEmpty(yield* deliveries(id, "?state=EXHAUSTED"))
      assertRefused(yield* get(`/webhooks/${other.id}/deliveries/${entry?.["id"]}`), "NOT_FOUND", String(entry?.["id"]))
      assertRefused(yield* get(`/webhooks/${id}/deliveries/dlv_0000000000000000`), "NOT_FOUND")
      assertRefused(yield* get(`/webhooks/${id}/deliveries/nonsense`), "INVALID_ARGUMENT", "deliveryId")
      assertRefused(yield* get(`${path}?include=body`), "INVALID_ARGUMENT", "include")
      const { token } = yield* tokenOf("Super Admin", true)
      const theirs = yield* call({ method: "GET", path: root + path, token, host: otherHost })
      assertRefused(theirs, "NOT_FOUND")
    })
  )
})
