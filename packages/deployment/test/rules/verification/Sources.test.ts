import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { local } from "../../login/OidcConnection.ts"
import { credential, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { answering } from "../../telemetry/Collector.ts"
import * as Row from "../Row.ts"

const sources = "/verification-sources"
const secret = "the-secret-of-the-gateway"
const card = { credentialType: "WWCC_SA", identifier: "1234567", holder: { lastName: "Example" } }

/** The id of a new source of a gateway, and the removal of the source. */
const sourceAt = Effect.fnUntraced(function* (url: string) {
  const body = { credentialType: "WWCC_SA", url, secret }
  const [made] = yield* Row.run([
    { call: `POST ${sources}`, body, expect: { "data.state": "OK", "data.hasSecret": true, "data.intervalDays": 7 } }
  ])
  const id = textAt(made, "data.id")
  return { id, made, remove: Row.run([{ call: `DELETE ${sources}/${id}`, expect: 204 }]) }
})

/** The status detail of a credential, once it is this one. */
const reads = (id: string, statusDetail: string) =>
  Effect.repeat(
    Service.use(({ call }) => call({ method: "GET", path: `/openapi/v1/credentials/${id}` })),
    { until: ({ text }) => text.includes(`"statusDetail":"${statusDetail}"`) }
  )

layer(layerService(raisedLimits, {}, local), { excludeTestServices: true })("a verification source", (it) => {
  it.effect("is asked with the secret about the cards of its type, and never returns the secret", () =>
    Effect.gen(function* () {
      const gateway = yield* answering('{"statusDetail":"SUSPENDED"}')
      const { id, made, remove } = yield* sourceAt(gateway.url)
      const held = yield* credential({ worker: yield* worker() }, card)
      yield* reads(held, "SUSPENDED")
      const [question] = gateway.requests
      assert.strictEqual(question?.headers.authorization, `Bearer ${secret}`)
      assert.deepInclude(JSON.parse(question?.text ?? ""), { credentialType: "WWCC_SA", identifier: "1234567" })
      const shown = yield* Row.run([
        { call: `GET ${sources}/${id}`, expect: { "data.state": "OK", "data.lastFault": null } },
        { call: `GET ${sources}?credentialType=WWCC_SA&state=OK`, expect: { "data.0.id": id } },
        { call: `PATCH ${sources}/${id}`, body: { intervalDays: 1 }, expect: { "data.hasSecret": true } },
        { call: `GET ${sources}/registers`, expect: 200 },
        { call: `GET /audit-events?entityId=${id}`, expect: 200 }
      ])
      for (const { text } of [made, ...shown]) assert.notInclude(text, secret)
      yield* remove
    })
  )

  it.effect("lets verifications wait while it is paused", () =>
    Effect.gen(function* () {
      const gateway = yield* answering('{"statusDetail":"VALID"}')
      const { id, remove } = yield* sourceAt(gateway.url)
      yield* Row.run([{ call: `POST ${sources}/${id}/pause`, expect: { "data.state": "PAUSED" } }])
      const held = yield* credential({ worker: yield* worker() }, card)
      yield* Row.run([
        {
          call: `POST /credentials/${held}/verify`,
          expect: { "data.eligibility": "IN_PROGRESS", "data.statusDetail": "PENDING" }
        },
        { call: `POST ${sources}/${id}/resume`, expect: { "data.state": "OK" } }
      ])
      assert.deepStrictEqual(gateway.requests, [])
      yield* Service.use(({ advance }) => advance(900))
      yield* reads(held, "VALID")
      yield* remove
    })
  )

  it.effect.each([
    ["OK", 200, '{"statusDetail":"NOT_FOUND"}', "OK"],
    ["SECRET_REFUSED", 401, "{}", "REFUSED"],
    ["SECRET_REFUSED", 403, "{}", "REFUSED"],
    ["OK", 400, "{}", "OK"],
    ["OK", 422, "<html>", "OK"],
    ["WRONG_ADDRESS", 404, "{}", "REFUSED"],
    ["WRONG_ADDRESS", 405, "{}", "REFUSED"],
    ["WRONG_ADDRESS", 410, "{}", "REFUSED"],
    ["WRONG_ADDRESS", 302, "{}", "REFUSED"],
    ["WRONG_ADDRESS", 200, "<html>", "REFUSED"],
    ["WRONG_ADDRESS", 200, `"${"x".repeat(17_000)}"`, "REFUSED"],
    ["UNREADABLE_ANSWER", 200, "{}", "REFUSED"],
    ["UNREADABLE_ANSWER", 415, "{}", "REFUSED"],
    ["UNREACHABLE", 200, `"${"x".repeat(300_000)}"`, "AWAY"],
    ["UNREACHABLE", 503, "{}", "AWAY"],
    ["TIMEOUT", 504, "{}", "AWAY"]
  ] as const)("tells %s in a test for the status %d and %.20s", ([result, status, body, state]) =>
    Effect.gen(function* () {
      const gateway = yield* answering(body, status)
      const { id, remove } = yield* sourceAt(gateway.url)
      yield* Row.run([
        { call: `POST ${sources}/${id}/test`, expect: { "data.result": result, "data.state": state } },
        { call: `GET ${sources}/${id}`, expect: { "data.state": state } }
      ])
      assert.lengthOf(gateway.requests, 1)
      assert.notInclude(JSON.stringify(JSON.parse(gateway.requests[0]?.text ?? "").holder), "Example")
      yield* remove
    })
  )

  it.effect("keeps its secret from another url", () =>
    Effect.gen(function* () {
      const { id, remove } = yield* sourceAt("https://gateway.invalid/")
      const url = "https://elsewhere.invalid/"
      yield* Row.run([
        { call: `PATCH ${sources}/${id}`, body: { url }, expect: "INVALID_ARGUMENT: secret must be given again" },
        { call: `PATCH ${sources}/${id}`, body: { url, secret: "another" }, expect: { "data.url": url } },
        { call: `PATCH ${sources}/${id}`, body: { secret: null }, expect: "INVALID_ARGUMENT: secret" },
        {
          call: `PATCH ${sources}/${id}`,
          body: { credentialType: "WWCC_VIC" },
          expect: "INVALID_ARGUMENT: credentialType"
        }
      ])
      yield* remove
    })
  )

  it.effect("shows every register and the way to it; a second source of a type waits for its turn", () =>
    Effect.gen(function* () {
      const first = yield* sourceAt("https://gateway.invalid/")
      const second = yield* sourceAt("https://gateway.invalid/")
      assert.include(second.made.text, `${first.id} is asked about WWCC_SA, until it is deleted`)
      const { token } = yield* tokenOf("Viewer")
      const [before] = yield* Row.run([{ call: `GET ${sources}/registers`, as: token, expect: 200 }])
      const [schedules] = yield* Row.run([{ call: "GET /monitoring", as: token, expect: 200 }])
      const scheduled: ReadonlyArray<Record<string, unknown>> = JSON.parse(schedules.text).data
      assert.deepStrictEqual(
        scheduled.map(({ sourceId, credentialTypes: types }) => [sourceId, String(types).includes("WWCC_SA")]),
        [
          [first.id, true],
          [null, false]
        ]
      )
      yield* first.remove
      const [after] = yield* Row.run([{ call: `GET ${sources}/registers`, as: token, expect: 200 }])
      for (const [{ text }, id] of [
        [before, first.id],
        [after, second.id]
      ] as const) {
        const rows: ReadonlyArray<Record<string, unknown>> = JSON.parse(text).data
        const waysOf = Object.fromEntries(rows.map((row) => [row["credentialType"], [row["askedBy"], row["sourceId"]]]))
        assert.deepStrictEqual(waysOf["WWCC_SA"], ["TENANT", id])
        assert.deepStrictEqual(waysOf["WWCC_VIC"], ["DEPLOYMENT", null])
        assert.notProperty(waysOf, "WWVP_ACT")
      }
      yield* Row.run([{ call: `POST ${sources}`, as: token, body: {}, expect: "FORBIDDEN" }])
      yield* second.remove
    })
  )
})

layer(layerService(), { excludeTestServices: true })("threat 60: a gateway that a tenant chooses", (it) => {
  it.effect.each([
    "http://gateway.example.org/",
    "https://10.0.0.1/",
    "https://127.0.0.1/",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "https://user:pass@gateway.example.org/"
  ])("is not at %s", (url) =>
    Row.run([
      { call: `POST ${sources}`, body: { credentialType: "WWCC_SA", url, secret }, expect: "INVALID_ARGUMENT: url" }
    ])
  )
})
