import { readFileSync } from "node:fs"
import { connect } from "node:tls"
import { assert, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { Effect } from "effect"
import { bearer, certificateFile, server, superAdmin } from "../TestServer.ts"
import { ask, exchange } from "./Wire.ts"

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
const planted = "X-Planted: yes"

/** Header values that try to end their line, which client libraries refuse to send. */
const values = {
  "a line feed alone": `${uuid}\n${planted}`,
  "a carriage return alone": `${uuid}\r${planted}`,
  "a line that is folded": `${uuid}\r\n ${planted}`,
  "a NUL": `${uuid}\0${planted}`,
  "an escape": `${uuid}\u001b[31m`,
  "a line separator of Unicode": `${uuid}\u2028${planted}`,
  "percent-encoded line breaks": `${uuid}%0d%0a${planted}`
} as const

/** Headers that frame a body in two ways, or in one that a proxy may not know. */
const framings: ReadonlyArray<readonly [version: string, headers: string]> = [
  ["1.0", "Transfer-Encoding: chunked"],
  ["1.1", "Transfer-Encoding: gzip"],
  ["1.1", "Transfer-Encoding: gzip, chunked"],
  ["1.1", "Transfer-Encoding: chunked, chunked"],
  ["1.1", "Transfer-Encoding: identity"],
  ["1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"],
  ["1.1", "Transfer-Encoding: chunked\r\nContent-Length: 5"],
  ["1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked"],
  ["1.1", "Content-Length: 5\r\nContent-Length: 6"]
]

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

const send = Effect.fnUntraced(function* (bytes: string) {
  const { port } = yield* Serving
  return yield* exchange(port, bytes, yield* certificateFile)
})

const chunked = (version: string, framing: string, name: string, authorization: string) => {
  const body = JSON.stringify({ identity: { displayName: name } })
  const head = ["Host: localhost", `Authorization: ${authorization}`, "Content-Type: application/json", framing]
  const lines = [`POST /openapi/v1/workers HTTP/${version}`, ...head].join("\r\n")
  return `${lines}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

const getting = (target: string, authorization: string, ...more: ReadonlyArray<string>) =>
  `${[`GET ${target} HTTP/1.1`, "Host: localhost", `Authorization: ${authorization}`, ...more].join("\r\n")}\r\n\r\n`

// above the number of polls, which a slow machine makes many
const unlimited = server({ WCS_RATE_UNAUTHENTICATED: "1000000" })

layer(unlimited, { excludeTestServices: true })("requests byte by byte", (it) => {
  it.effect(
    "RID-04, RID-06, threat 25: a header that ends its line is refused or ignored, and does not come back",
    () =>
      Effect.gen(function* () {
        const { authorization } = bearer(yield* superAdmin)
        const get = (id: string) =>
          send(getting("/openapi/v1/workers", authorization, `X-Request-Id: ${id}`, "Connection: close"))
        const control = yield* get(uuid)
        assert.match(control, /^HTTP\/1\.1 200 /)
        assert.match(control, new RegExp(`\r\nx-client-request-id: ${uuid}\r\n`, "i"))
        for (const [what, value] of Object.entries(values)) {
          const text = yield* get(value)
          assert.match(text, /^HTTP\/1\.1 (200|400) /, what)
          assert.notMatch(text, /x-planted|x-client-request-id/i, what)
          assert.notInclude(text, "\u001b", what)
        }
      })
  )

  it.effect("RTL-02, threat 26: pipelined requests are answered in order, and each is counted", () =>
    Effect.gen(function* () {
      const { authorization } = bearer(yield* superAdmin)
      const paths = ["workers", "nonsense", "applicants", "workers/nonsense"]
      const requests = paths.map((path) => getting(`/openapi/v1/${path}`, authorization))
      const text = yield* send(
        requests.join("") + getting("/openapi/v1/credentials", authorization, "Connection: close")
      )
      assert.deepStrictEqual(statusesOf(text), [200, 404, 200, 400, 200])
      const remaining = [...text.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map(([, count]) => Number(count))
      // they are counted concurrently
      assert.sameMembers(remaining, [599, 598, 597, 596, 595])
    })
  )

  it.effect("threat 49: a body with odd framing is refused and ends the connection; what follows has no effect", () =>
    Effect.gen(function* () {
      const { authorization } = bearer(yield* superAdmin)
      for (const [version, framing] of framings) {
        const behind = chunked("1.1", "Transfer-Encoding: chunked", "Behind", authorization)
        const text = yield* send(chunked(version, framing, "Refused", authorization) + behind)
        assert.deepStrictEqual([framing, statusesOf(text)], [framing, [400]])
        assert.match(text, /\r\nconnection: close\r\n/i)
      }
      const list = getting("/openapi/v1/workers", authorization, "Connection: close")
      const control = yield* send(chunked("1.1", "Transfer-Encoding: Chunked", "Control", authorization) + list)
      assert.deepStrictEqual(statusesOf(control), [201, 200])
      assert.include(control, "Control")
      assert.notMatch(control, /Refused|Behind/)
    })
  )

  it.effect("threat 49: a target in absolute form is answered like its path, if it names the host of Host", () =>
    Effect.gen(function* () {
      const { authorization } = bearer(yield* superAdmin)
      for (const [target, status] of [
        ["https://localhost/openapi/v1/workers", 200],
        ["HTTP://LOCALHOST/openapi/v1/workers?pageSize=1", 200],
        ["https://localhost", 404],
        ["https://other.example/openapi/v1/workers", 400],
        ["https://localhost:1/openapi/v1/workers", 400]
      ] as const) {
        assert.deepStrictEqual(statusesOf(yield* send(getting(target, authorization, "Connection: close"))), [status])
      }
    })
  )

  it.effect("threat 27: clients that leave during downloads free their places, also those of pipelined requests", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const ca = yield* certificateFile
      const page = ask({ url: `https://localhost:${port}/docs`, ca })
      /** Repeats the request until it has a status, at most 1,000 times. */
      const until = (status: number) =>
        Effect.repeat(page, { until: (answer) => answer.status === status, times: 1000 }).pipe(
          Effect.map((answer) => assert.strictEqual(answer.status, status))
        )
      yield* until(200)
      // Responses that a client does not read keep their places.
      const socket = connect({ port, host: "127.0.0.1", ca: readFileSync(ca) })
      socket.pause().write("GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(40))
      yield* until(503)
      socket.destroy()
      yield* until(200)
    })
  )
})

const large = `X: ${"a".repeat(20_000)}\r\n\r\n`
const close = "Connection: close\r\n\r\n"

/** Bytes that Node's parser refuses or that no route reads, and the status of the response. */
const unread: ReadonlyArray<readonly [what: string, status: number, bytes: string, isPlain?: true]> = [
  ["headers that are too large", 431, `GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\n${large}`],
  ["large headers in plain", 431, `GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\n${large}`, true],
  ["a legacy path and headers that are too large", 431, `GET /api/users/me HTTP/1.1\r\n${large}`],
  ["no request line", 400, "NONSENSE\r\n\r\n"],
  ["a malformed length", 400, "GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"],
  ["no Host header", 400, `GET /openapi/v1/workers HTTP/1.1\r\n${close}`],
  ["no Host header at the token endpoint", 400, `POST /openapi/v1/oauth/token HTTP/1.1\r\n${close}`],
  ["two Host headers", 400, `GET /openapi/v1/workers HTTP/1.1\r\nHost: a\r\nHost: b\r\n${close}`],
  ["two Host headers and a legacy path", 400, `GET /api/users/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n${close}`],
  ["HTTP/0.9", 400, "GET /openapi/v1/workers HTTP/0.9\r\n\r\n"],
  ["no version", 400, "GET /openapi/v1/workers\r\n\r\n"],
  ["HTTP/2.0", 400, "GET /openapi/v1/workers HTTP/2.0\r\nHost: localhost\r\n\r\n"],
  ["HTTP/1.2", 400, "GET /openapi/v1/workers HTTP/1.2\r\nHost: localhost\r\n\r\n"],
  ["plain HTTP", 400, "GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\n\r\n", true],
  ["plain HTTP to a legacy path", 400, "GET /api/users/me HTTP/1.1\r\nHost: localhost\r\n\r\n", true],
  ["plain bytes that are not HTTP", 400, "NONSENSE\r\n\r\n", true]
]

const headerOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\r$`, "im").exec(text)?.[1]

layer(server({ WCS_RATE_UNAUTHENTICATED: String(unread.length) }), { excludeTestServices: true })(
  "bytes that no route reads",
  (it) => {
    const answerTo = Effect.fnUntraced(function* (bytes: string, isPlain = false) {
      const { port } = yield* Serving
      const text = yield* exchange(port, bytes, isPlain ? undefined : yield* certificateFile)
      assert.strictEqual(headerOf(text, "x-ratelimit-limit"), String(unread.length))
      assert.match(headerOf(text, "x-ratelimit-reset") ?? "", /^[1-9]\d*$/)
      assert.match(headerOf(text, "x-request-id") ?? "", /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
      assert.strictEqual(headerOf(text, "cache-control"), "no-store")
      assert.strictEqual(headerOf(text, "x-content-type-options"), "nosniff")
      assert.strictEqual(headerOf(text, "connection"), "close")
      assert.match(headerOf(text, "content-type") ?? "", /^application\/json/)
      const { error, status } = JSON.parse(text.split("\r\n\r\n")[1] ?? "")
      if (error?.code !== undefined) assert.strictEqual(error.requestId, headerOf(text, "x-request-id"))
      return { text, code: error?.code ?? error ?? status }
    })

    it.effect("TRN-05, RTL-08: get a refusal like every response, and 429 past the limit of the address", () =>
      Effect.gen(function* () {
        const codes = { 400: ["BAD_REQUEST", "invalid_request", 400], 431: ["HEADERS_TOO_LARGE", 431] }
        for (const [index, [what, status, bytes, isPlain]] of unread.entries()) {
          const { code, text } = yield* answerTo(bytes, isPlain)
          const remaining = headerOf(text, "x-ratelimit-remaining")
          assert.deepStrictEqual([what, ...statusesOf(text)], [what, status])
          assert.include(Object(codes)[status], code, what)
          assert.strictEqual(remaining, String(unread.length - 1 - index), what)
        }
        for (const [what, , bytes, isPlain] of unread) {
          const { text } = yield* answerTo(bytes, isPlain)
          assert.deepStrictEqual([what, ...statusesOf(text)], [what, 429])
          assert.strictEqual(headerOf(text, "retry-after"), headerOf(text, "x-ratelimit-reset"))
        }
      })
    )
  }
)
