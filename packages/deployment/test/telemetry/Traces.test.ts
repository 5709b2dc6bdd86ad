import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { post, root } from "../rules/NewerSurface.ts"
import { webhookReceiver } from "../rules/webhook/WebhookReceiver.ts"
import { Service, verifiable, verified, webhookFields, worker } from "../Service.ts"
import { temporaryDirectory } from "../Temporary.ts"
import { layerService, raisedLimits } from "../TestService.ts"
import { answering, collector, type Exported } from "./Collector.ts"

/** The trace of the caller. It says that the caller does not sample it, which no server of ours follows. */
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const callerSpan = "00f067aa0ba902b7"
const traceparent = `00-${traceId}-${callerSpan}-00`

const correlationId = "hire-4711"
const workerName = "Ann Nonymous"
const secretQuery = "8f3b2c-secret"

/** The name of a verify call's span, and of a statement's. */
const request = "POST /openapi/v1/credentials/:id/verify"
const statement = /^(sqlite|[\w.]*postgres\w*|.*:\d+)/

/** A card of a register that needs no account, so that the gateway of the settings is asked. */
const victorian = { ...verifiable, credentialType: "WWCC_VIC", identifier: "1234567A-01" } as const

/** A verify call of a traced caller, its register and its webhook. The server has ended when this returns. */
const verifyOnce = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const gateway = yield* answering('{"statusDetail":"VALID"}')
  const receiver = yield* webhookReceiver
  const exports = yield* collector
  const settings = {
    WCS_REGISTER: "http",
    WCS_REGISTER_URL: gateway.url,
    WCS_WEBHOOK_HTTP: "allow",
    WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
    WCS_OTLP_URL: exports.url,
    ...environment
  }
  const received = yield* Effect.gen(function* () {
    const { call } = yield* Service
    yield* post("/webhooks", { ...webhookFields, url: receiver.url, events: ["credential.verified"] })
    const id = yield* verified({ worker: yield* worker({ identity: { displayName: workerName } }) }, victorian)
    const path = `${root}/credentials/${id}/verify`
    yield* call({ method: "POST", path, body: { correlationId, forceRefresh: true }, headers: { traceparent } })
    return yield* receiver.take(({ body }) => body["correlationId"] === correlationId)
  }).pipe(Effect.provide(layerService(raisedLimits, {}, settings), { local: true }))
  return { gateway: gateway.requests, received, exports: exports.requests, spans: exports.spans() }
})

/** The names of the spans from the first of a trace to this one. */
const pathOf = (spans: ReadonlyArray<Exported>, span: Exported): ReadonlyArray<string> => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [...(parent === undefined ? [] : pathOf(spans, parent)), span.name]
}

describe("traces", () => {
  it.live("show every hop of a verify, but no idle loops, and are exported with the headers of the file", () =>
    Effect.gen(function* () {
      const headersFile = join(yield* temporaryDirectory, "headers")
      writeFileSync(headersFile, "\uFEFFAPI-Key: abc\r\nx-scope: wcs: one\r\n", { mode: 0o600 })
      const { exports, gateway, received, spans } = yield* verifyOnce({ WCS_OTLP_HEADERS_FILE: headersFile })
      const trace = spans.filter((span) => span.traceId === traceId)
      const paths = trace.map((span) => pathOf(trace, span))
      const shown = paths.map((path) => path.join(" > ")).join("\n")
      const assertPath = (...names: ReadonlyArray<string>) =>
        assert.include(shown.split("\n"), names.join(" > "), shown)
      const assertStatementBelow = (name: string) =>
        assert.isTrue(
          paths.some((path) => path.includes(name) && path.at(-1)?.match(statement)),
          `no statement below ${name}:\n${shown}`
        )
      const verification = [request, "Verifications.verify", "verification"]
      const event = [...verification, "event credential.verified"]
      assertStatementBelow("Verifications.verify")
      assertPath(...verification, "register", "HttpRegister.ask", "register request")
      assertStatementBelow("verification")
      assertPath(...event, "delivery")
      const of = (name: string) => trace.find((span) => span.name === name)
      assert.strictEqual(of(request)?.parentSpanId, callerSpan)
      assert.strictEqual(of(request)?.attributes["http.response.status_code"], 200)
      assert.strictEqual(of("delivery")?.attributes["http.response.status_code"], 204)
      assert.deepStrictEqual([...new Set(spans.map(({ service }) => service))], ["wcs"])
      // The gateway of the operator continues the trace. Receivers of webhooks get no trace context.
      const traced = gateway.map(({ headers }) => headers["traceparent"]).filter((text) => text?.includes(traceId))
      assert.deepStrictEqual(traced, [`00-${traceId}-${of("register request")?.spanId}-01`])
      assert.isUndefined(received[0]?.headers["traceparent"])

      const ids = new Set(spans.map(({ spanId }) => spanId))
      const first = spans.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId))
      assert.isAbove(first.length, 3)
      for (const { name } of first) assert.match(name, /^(GET|POST|HEAD) /)

      assert.sameMembers([...new Set(exports.map(({ path }) => path))], ["/v1/metrics", "/v1/traces"])
      for (const { headers } of exports) {
        assert.deepStrictEqual([headers["api-key"], headers["x-scope"]], ["abc", "wcs: one"])
      }
      const metrics = exports.filter(({ path }) => path === "/v1/metrics").map(({ text }) => text)
      assert.include(metrics.join(), "http_requests_total")
    }).pipe(Effect.scoped)
  )

  it.live("have no names, identifiers, tokens, queries and error messages (threat 55)", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const exports = yield* collector
      yield* Effect.gen(function* () {
        const { call, superAdmin } = yield* Service
        seen.push(superAdmin)
        const id = yield* worker({ identity: { displayName: workerName } })
        yield* call({ method: "GET", path: `${root}/workers?externalId=${secretQuery}` })
        yield* call({ method: "GET", path: `${root}/workers/${id}?include=${secretQuery}` })
        yield* call({ method: "POST", path: `${root}/workers`, body: { identity: { displayName: secretQuery, x: 1 } } })
        yield* call({ method: "GET", path: `/setup/${secretQuery}`, token: null })
        yield* call({ method: "GET", path: `/nowhere/${secretQuery}`, token: null })
      }).pipe(Effect.provide(layerService(raisedLimits, {}, { WCS_OTLP_URL: exports.url }), { local: true }))
      const text = exports
        .spans()
        .map((span) => span.text)
        .join("\n")
      // The control: these requests are traced.
      for (const name of ["GET /openapi/v1/workers/:id", "GET (unknown path)"]) {
        assert.isTrue(text.includes(name), name)
      }
      for (const secret of [...seen, workerName, secretQuery]) assert.isFalse(text.includes(secret), secret)
    }).pipe(Effect.scoped)
  )

  it.live("are sampled by the ratio alone: a caller can neither force nor prevent a trace", () =>
    Effect.gen(function* () {
      // `verifyOnce` sends a trace that is marked as not sampled, and the first test finds it.
      const { exports, gateway, spans } = yield* verifyOnce({ WCS_TRACE_RATIO: "0" })
      assert.deepStrictEqual(spans, [])
      assert.isTrue(exports.every(({ path }) => path === "/v1/metrics"))
      assert.isTrue(gateway.every(({ headers }) => headers["traceparent"] === undefined))
    }).pipe(Effect.scoped)
  )

  it.live("are not exported without a collector", () =>
    Effect.gen(function* () {
      const { exports, gateway } = yield* verifyOnce({ WCS_OTLP_URL: "" })
      assert.deepStrictEqual(exports, [])
      assert.isTrue(gateway.every(({ headers }) => headers["traceparent"] === undefined))
    }).pipe(Effect.scoped)
  )
})
