import { assert, layer } from "@effect/vitest"
import { standardParts } from "@wcs/http-node/Serve"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import {
  at,
  credential,
  otherHost,
  Service,
  textAt,
  tokenOf,
  verifiable,
  verified,
  webhookFields,
  worker
} from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, put, root } from "../NewerSurface.ts"
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

layer(layerService(raisedLimits, standardParts, settings), { excludeTestServices: true })("deliveries", (it) => {
  it.effect(
    "EVT-01, EVT-02, EVT-15, threat 39: create and verify each send credential.verified with their correlation id",
    () =>
      Effect.gen(function* () {
        const { id: webhook, take } = yield* subscribed()
        const holder = yield* worker()
        const attributes = {
          ...verifiable,
          holder: { firstName: "Ann", lastName: "Example" },
          owners: { worker: holder }
        }
        const made = yield* post("/credentials", { attributes })
        const id = textAt(made, "data.id")
        const [byCreate] = yield* take((one) => ofKind("credential.verified")(one))
        assert.strictEqual(byCreate?.body["correlationId"], at(made, "meta.correlationId"))
        const answer = yield* post(`/credentials/${id}/verify`, { forceRefresh: true, correlationId: "mine" })
        const [byVerify] = yield* take(({ body }) => body["correlationId"] === "mine")
        assert.isDefined(byVerify)
        const log = yield* deliveries(webhook)
        assert.includeMembers(
          log.map((one) => one["correlationId"]),
          [at(made, "meta.correlationId"), "mine"]
        )
        const { data, deliveryId, eventId, sequence, timestamp, ...rest } = Object(byVerify?.body)
        assert.deepStrictEqual(rest, { type: "credential.verified", correlationId: "mine" })
        assert.match(deliveryId, /^dlv_[0-9A-Za-z]{16}$/)
        assert.match(eventId, /^evt_[0-9A-Za-z]{16}$/)
        assert.isAbove(sequence, Object(byCreate?.body)["sequence"])
        assert.isNotNaN(Date.parse(timestamp))
        assert.deepStrictEqual(data.credential, {
          id,
          type: "credential",
          credentialType: "WWCC_NSW",
          owners: { worker: holder, applicant: null }
        })
        const { verifiedAt, ...verification } = data.verification
        assert.isNotNaN(Date.parse(verifiedAt))
        assert.deepStrictEqual(verification, {
          eligibility: "MAY_ENGAGE",
          statusDetail: "VALID",
          expiryDate: at(answer, "data.expiryDate"),
          errorMessage: null,
          requestId: answer.headers["x-request-id"],
          trigger: "verify"
        })
        for (const secret of ["Ann", "Example", verifiable.identifier]) assert.notInclude(byVerify?.text ?? "", secret)
      })
  )

  it.effect("sends credential.verified with the correlation id of the PATCH when the card changes", () =>
    Effect.gen(function* () {
      const id = yield* verified({ worker: yield* worker() }, { ...verifiable, identifier: "WWC0000010E" }, "EXPIRED")
      const { take } = yield* subscribed({ events: ["credential.updated", "credential.verified"] })
      const answer = yield* patch(`/credentials/${id}`, { attributes: { identifier: "WWC0000001E" } })
      const correlationId = textAt(answer, "meta.correlationId")
      const both = yield* take(({ body }) => body["correlationId"] === correlationId, 2)
      const [updated, byUpdate] = both.toSorted(
        (one, two) => Number(one.body["sequence"]) - Number(two.body["sequence"])
      )
      assert.strictEqual(updated?.body["type"], "credential.updated")
      assert.strictEqual(byUpdate?.body["type"], "credential.verified")
      const { verifiedAt: _, ...verification } = Object(byUpdate?.body["data"]).verification
      assert.deepStrictEqual(verification, {
        eligibility: "MAY_ENGAGE",
        statusDetail: "VALID",
        expiryDate: null,
        errorMessage: null,
        requestId: answer.headers["x-request-id"],
        trigger: "update"
      })
    })
  )

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

  it.effect("EVT-10, threat 16: a retry after a rotation is signed with both secrets, and each verifies", () =>
    Effect.gen(function* () {
      const { answering, id, secret, take } = yield* subscribed({ events: ["credential.created"] })
      yield* answering((_, earlier) => ({ status: earlier < 1 ? 500 : 200 }))
      yield* credential({ worker: yield* worker() })
      yield* take(() => true)
      const rotated = textAt(yield* act(`/webhooks/${id}/rotate`), "data.signingSecret")
      yield* take(() => true, 2)
      yield* credential({ worker: yield* worker() })
      const last = (yield* take(() => true, 3)).at(-1) as Received
      assert.lengthOf(String(last.headers["webhook-signature"]).split(" "), 2)
      assert.isTrue(verifies(rotated, last))
      assert.isTrue(verifies(secret, last))
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
      const { id, take } = yield* subscribed({ events: ["credential.created"] })
      const other = yield* subscribed()
      yield* credential({ worker: yield* worker() })
      const [sent] = yield* take(() => true)
      const [entry] = yield* logged(id, ([one]) => one?.["state"] === "DELIVERED")
      const path = `/webhooks/${id}/deliveries/${entry?.["id"]}`
      const answer = yield* get(path)
      assertStatus(answer, 200)
      assert.deepStrictEqual(at(answer, "data"), { ...entry, body: sent?.text })
      assertRefused(yield* get(`/webhooks/${other.id}/deliveries/${entry?.["id"]}`), "NOT_FOUND", String(entry?.["id"]))
      assertRefused(yield* get(`/webhooks/${id}/deliveries/dlv_0000000000000000`), "NOT_FOUND")
      assertRefused(yield* get(`/webhooks/${id}/deliveries/nonsense`), "INVALID_ARGUMENT", "deliveryId")
      assertRefused(yield* get(`${path}?include=body`), "INVALID_ARGUMENT", "include")
      const { token } = yield* tokenOf("Super Admin", true)
      const theirs = yield* call({ method: "GET", path: root + path, token, host: otherHost })
      assertRefused(theirs, "NOT_FOUND")
    })
  )

  it.effect("the log filters by state, in the order of writing, and shows no secret", () =>
    Effect.gen(function* () {
      const { id, secret, take } = yield* subscribed({ events: ["credential.created"] })
      const holder = yield* worker()
      for (const _ of [1, 2, 3]) yield* credential({ worker: holder })
      const came = (yield* take(() => true, 3)).map(idOf)
      const log = yield* logged(id, (all) => all.every(({ state }) => state === "DELIVERED"))
      assert.sameMembers(
        log.map((one) => String(one["id"])),
        came
      )
      assert.lengthOf(yield* deliveries(id, "?state=DELIVERED&pageSize=2"), 2)
      assert.isEmpty(yield* deliveries(id, "?state=EXHAUSTED"))
      assertRefused(yield* get(`/webhooks/${id}/deliveries?state=done`), "INVALID_ARGUMENT", "state")
      assert.notInclude(JSON.stringify(log), secret.slice(6))
    })
  )
})

layer(layerService(), { excludeTestServices: true })("the address guard", (it) => {
  const hostile = [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.0.0.1./",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[fe80::1]/",
    "https://[fd00::1]/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://metadata.google.internal/"
  ]

  it.effect.each(hostile)(
    "threat 14: %s is 400 by create, PUT and PATCH, and its destination is not disclosed",
    (url) =>
      Effect.gen(function* () {
        const made = yield* post("/webhooks", webhookFields)
        const path = `/webhooks/${textAt(made, "data.id")}`
        for (const refused of [
          yield* post("/webhooks", { ...webhookFields, url }),
          yield* put(path, { ...webhookFields, url }),
          yield* patch(path, { url })
        ]) {
          assertRefused(refused, "INVALID_ARGUMENT", "url")
          assert.notInclude(refused.text, "127.0.0.1")
        }
        assert.strictEqual(at(yield* get(path), "data.url"), webhookFields.url)
      })
  )
})
