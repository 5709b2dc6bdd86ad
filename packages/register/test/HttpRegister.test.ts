import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Register } from "@wcs/domain/verification/Register"
import { saidDetails } from "@wcs/register/GatewayContract"
import * as GatewayUrl from "@wcs/register/GatewayUrl"
import * as HttpRegister from "@wcs/register/HttpRegister"
import type { HttpRegisterOptions } from "@wcs/register/HttpRegisterOptions"
import { Deferred, Effect, Fiber, Logger, Option, Redacted, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { localServer } from "./LocalServer.ts"
import { askedOf, questionAbout } from "./Questions.ts"
import { block } from "./Readme.ts"

const urlOf = (text: string) => Option.getOrThrow(GatewayUrl.fromText(text))
const token = "tok_VerySecret"

const registerAt = (url: string, options: Partial<HttpRegisterOptions> = {}) =>
  HttpRegister.layer({
    url: urlOf(url),
    access: { _tag: "Bearer", token: Redacted.make(token) },
    tries: 1,
    ...options
  })

const json = (response: ServerResponse, body: string, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(body)

const question = questionAbout("WWC1234567E")

/** The result of a query that gets this response. */
const outcomeOf = (answer: (response: ServerResponse) => void, options?: Partial<HttpRegisterOptions>) =>
  Effect.gen(function* () {
    const { received, url } = yield* localServer(answer)
    return { outcome: yield* askedOf(registerAt(url, options), question), received }
  })

const notUnderstood = { fault: "INTERNAL_ERROR", isTransient: false }
const unavailable = { fault: "SOURCE_UNAVAILABLE", isTransient: true }
const late = { fault: "SOURCE_TIMEOUT", isTransient: true }

describe("a query to a gateway", () => {
  it.effect("contains personal data in the body only", () =>
    Effect.gen(function* () {
      const { received } = yield* outcomeOf((response) => json(response, block("answer")))
      const [one] = received
      assert.isDefined(one)
      assert.lengthOf(received, 1)
      assert.deepStrictEqual(JSON.parse(one.body), JSON.parse(block("question")))
      assert.deepStrictEqual([one.method, one.path], ["POST", "/ask"])
      assert.strictEqual(one.headers["content-type"], "application/json")
      assert.strictEqual(one.headers.authorization, `Bearer ${token}`)
      assert.notMatch(inspect([one.path, one.headers]), /Ann|Example|1234567|1990/)
    })
  )

  it.effect.each([
    [{ _tag: "Basic", user: "wcs", password: Redacted.make("p:w") }, `Basic ${btoa("wcs:p:w")}`],
    [{ _tag: "Anonymous" }, undefined]
  ] as const)("is sent with the configured authentication: %j", ([access, authorization]) =>
    Effect.gen(function* () {
      const { received } = yield* outcomeOf((response) => json(response, block("answer")), { access })
      assert.strictEqual(received[0]?.headers.authorization, authorization)
    })
  )
})

describe("an answer of a gateway", () => {
  for (const statusDetail of saidDetails) {
    it.effect(`may be ${statusDetail}`, () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ statusDetail, expiryDate: "2028-02-29", caseNumber: 7 })
        const { outcome } = yield* outcomeOf((response) => json(response, body))
        const found = { _tag: "Found", statusDetail, expiryDate: "2028-02-29" }
        assert.deepStrictEqual(outcome, statusDetail === "QUEUED_MANUAL" ? { _tag: "Queued" } : found)
      })
    )
  }

  for (const body of ['{"statusDetail":"VALID"}', '{"statusDetail":"VALID","expiryDate":null}']) {
    it.effect(`may have no expiry date: ${body}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* outcomeOf((response) => json(response, body))
        assert.deepStrictEqual(outcome, { _tag: "Found", statusDetail: "VALID", expiryDate: null })
      })
    )
  }

  it.effect("may have exactly 16 KiB", () =>
    Effect.gen(function* () {
      const { outcome } = yield* outcomeOf((response) => json(response, '{"statusDetail":"VALID"}'.padEnd(16_384)))
      assert.deepInclude(outcome, { statusDetail: "VALID" })
    })
  )
})

const hostileBodies: Readonly<Record<string, string | Uint8Array>> = {
  "an HTML page": "<!doctype html><title>Log in</title>",
  empty: "",
  null: "null",
  "a list": '[{"statusDetail":"VALID"}]',
  "no word": "{}",
  "an unknown word": '{"statusDetail":"FINE"}',
  "a word in lower case": '{"statusDetail":"valid"}',
  "a word for a pending verdict": '{"statusDetail":"PENDING"}',
  "a word for a fault": '{"statusDetail":"SOURCE_UNAVAILABLE"}',
  "a word in a list": '{"statusDetail":["VALID"]}',
  "a word in the prototype": '{"__proto__":{"statusDetail":"VALID"}}',
  "a date that does not exist": '{"statusDetail":"VALID","expiryDate":"2026-02-29"}',
  "a time instead of a date": '{"statusDetail":"VALID","expiryDate":"2028-01-01T00:00:00Z"}',
  "a number instead of a date": '{"statusDetail":"VALID","expiryDate":20280101}',
  "text instead of a date": '{"statusDetail":"VALID","expiryDate":"never"}',
  "two answers": '{"statusDetail":"VALID"}{"statusDetail":"VALID"}',
  "bytes that are not UTF-8": Buffer.from('{"statusDetail":"VALID","note":"\xff"}', "latin1"),
  "one byte too many": '{"statusDetail":"VALID"}'.padEnd(16_385),
  "deep nesting": "[".repeat(8000)
}

describe("an invalid answer", () => {
  for (const [name, body] of Object.entries(hostileBodies)) {
    it.effect(`is a configuration error and not retried: ${name}`, () =>
      Effect.gen(function* () {
        const { outcome, received } = yield* outcomeOf(
          (response) => response.writeHead(200, { "content-type": "application/json" }).end(body),
          { tries: 3 }
        )
        assert.deepStrictEqual(outcome, notUnderstood)
        assert.lengthOf(received, 1)
      })
    )
  }

  for (const status of [201, 204, 304, 400, 401, 403, 404, 408, 409, 422, 451]) {
    it.effect(`is any other status: ${status}`, () =>
      Effect.gen(function* () {
        const { outcome, received } = yield* outcomeOf(
          (response) => json(response, '{"statusDetail":"VALID"}', status),
          {
            tries: 3
          }
        )
        assert.deepStrictEqual(outcome, notUnderstood)
        assert.lengthOf(received, 1)
      })
    )
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it.effect(`is a redirect, which is not followed: ${status}`, () =>
      Effect.gen(function* () {
        const elsewhere = yield* localServer((response) => json(response, '{"statusDetail":"VALID"}'))
        const { outcome } = yield* outcomeOf((response) =>
          response.writeHead(status, { location: elsewhere.url }).end()
        )
        assert.deepStrictEqual(outcome, notUnderstood)
        assert.deepStrictEqual(elsewhere.received, [])
      })
    )
  }

  for (const encoding of ["identity", "gzip"] as const) {
    it.effect(`of 10 MB is not read to its end: ${encoding}`, () =>
      Effect.gen(function* () {
        const whole = Buffer.from('{"statusDetail":"VALID"}'.padEnd(10_000_000))
        const { outcome } = yield* outcomeOf((response) =>
          response.writeHead(200, { "content-encoding": encoding }).end(encoding === "gzip" ? gzipSync(whole) : whole)
        )
        assert.deepStrictEqual(outcome, notUnderstood)
      })
    )
  }

  it.effect("ends the connection, even when more data would follow", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<boolean>()
      const { outcome } = yield* outcomeOf((response) => {
        response.on("close", () => Deferred.doneUnsafe(closed, Effect.succeed(response.writableFinished)))
        response.write(Buffer.alloc(20_000, " ")) // and never ends
      })
      assert.deepStrictEqual(outcome, notUnderstood)
      assert.isFalse(yield* Deferred.await(closed))
    })
  )
})

describe("a gateway that fails", () => {
  for (const [status, outcome] of Object.entries({
    429: unavailable,
    500: unavailable,
    502: unavailable,
    503: unavailable,
    504: late,
    599: unavailable
  })) {
    it.effect(`may answer ${status}`, () =>
      Effect.gen(function* () {
        const found = yield* outcomeOf((response) => json(response, '{"statusDetail":"VALID"}', Number(status)))
        assert.deepStrictEqual(found.outcome, outcome)
      })
    )
  }

  it.effect("is unavailable when nothing listens", () =>
    Effect.gen(function* () {
      const { close, url } = yield* localServer(() => undefined)
      yield* Effect.promise(close)
      assert.deepStrictEqual(yield* askedOf(registerAt(url), question), unavailable)
    })
  )

  for (const [name, broken] of Object.entries<(response: ServerResponse) => void>({
    before: (response) => response.destroy(),
    during: (response) =>
      response.writeHead(200, { "content-length": "100" }).write('{"statusDetail":', () => response.destroy())
  })) {
    it.effect(`is unavailable when the connection breaks ${name} the answer`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* outcomeOf(broken)).outcome, unavailable)
      })
    )
  }

  for (const [name, begin] of Object.entries<(response: ServerResponse) => void>({
    "sends nothing": () => undefined,
    "stops after its headers": (response) => response.writeHead(200).flushHeaders(),
    "stops within its body": (response) => response.write('{"statusDetail":"VA')
  })) {
    it.effect(`times out when it ${name}, and the connection is closed`, () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        const closed = yield* Deferred.make<void>()
        const { url } = yield* localServer((response) => {
          response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
          begin(response)
          Deferred.doneUnsafe(arrived, Effect.void)
        })
        const fiber = yield* Effect.forkChild(askedOf(registerAt(url), question))
        yield* Deferred.await(arrived)
        yield* TestClock.adjust(4000)
        assert.deepStrictEqual(yield* Fiber.join(fiber), late)
        yield* Deferred.await(closed)
      })
    )
  }

  it.effect("loses the connection when the query is interrupted", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { url } = yield* localServer((response) => {
        response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        Deferred.doneUnsafe(arrived, Effect.void)
      })
      const fiber = yield* Effect.forkChild(askedOf(registerAt(url), question))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    })
  )
})

/** All output of a query: errors, log lines, and spans with their attributes. */
const outputOf = (ask: Effect.Effect<unknown, unknown, Register>, url: string) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const logged: Array<unknown> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make((options) => logged.push(options.message, options.cause))
    const error = yield* Effect.flip(ask).pipe(
      Effect.provide(registerAt(url, { circuit: { failures: 1, openMillis: 1000 } }), { local: true }),
      Effect.withSpan("caller"),
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provide(Logger.layer([logger]), { local: true })
    )
    return { error, spans, logged }
  })

describe("the detail of a failure", () => {
  const secrets = /Ann|Example|1234567|1990-04-01|VerySecret|WWC123/
  const echoed = JSON.stringify(question)
  for (const [name, answer] of Object.entries<(response: ServerResponse) => void>({
    "an answer that repeats the query": (response) => json(response, echoed),
    "an HTML page that repeats it": (response) => response.writeHead(200).end(`<p>${echoed}`),
    "a refusal that repeats it": (response) => json(response, echoed, 503),
    "headers that repeat it": (response) =>
      response.writeHead(500, "Ann Example", { "x-person": "Ann Example", location: "/Ann/WWC1234567E" }).end(),
    "a broken connection": (response) => response.destroy()
  })) {
    it.effect(`contains neither personal data nor the secret: ${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* localServer(answer)
        const { error, logged, spans } = yield* outputOf(
          Register.use(({ ask }) => ask(question, "tnt_1")),
          url
        )
        assert.isAbove(spans.length, 1)
        assert.notMatch(inspect({ error, logged, spans }, { depth: 20, showHidden: true }), secrets)
        assert.notMatch(JSON.stringify([error, logged, spans.map(({ status }) => String(status))]), secrets)
      })
    )
  }

  it.effect("is the system's error code when a connection failed", () =>
    Effect.gen(function* () {
      const { close, url } = yield* localServer(() => undefined)
      yield* Effect.promise(close)
      const { error, logged } = yield* outputOf(
        Register.use(({ ask }) => ask(question, "tnt_1")),
        url
      )
      assert.deepInclude(error, { detail: "the connection failed: ECONNREFUSED" })
      assert.include(inspect(logged), "from Closed to Open")
    })
  )
})

describe("the URL of a gateway", () => {
  const accepted = [
    "https://gateway.example.org/ask",
    "http://127.0.0.1:9000/",
    "http://[::1]:9000",
    "http://localhost"
  ]
  for (const text of accepted) {
    it(`may be ${text}`, () => assert.strictEqual(urlOf(text), new URL(text).href))
  }

  const refused = [
    ...["", "gateway", "/ask", "ftp://127.0.0.1", "file:///etc/passwd", "http://gateway.example.org/"],
    ...["http://127.0.0.1.example.org/", "http://localhost.example.org/", "https://u@gateway.example.org/"],
    ...["https://:p@gateway.example.org/", "https://gateway.example.org/?key=1", "https://gateway.example.org/#a"]
  ]
  for (const text of refused) {
    it(`may not be ${JSON.stringify(text)}`, () => assert.isTrue(Option.isNone(GatewayUrl.fromText(text))))
  }
})
