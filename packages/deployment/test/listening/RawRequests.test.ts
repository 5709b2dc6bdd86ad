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

layer(server({}), { excludeTestServices: true })("threat 25: header injection, byte by byte", (it) => {
  const get = Effect.fnUntraced(function* (requestId: string) {
    const { port } = yield* Serving
    const { authorization } = bearer(yield* superAdmin)
    const lines = [
      "GET /openapi/v1/workers HTTP/1.1",
      "Host: localhost",
      `Authorization: ${authorization}`,
      `X-Request-Id: ${requestId}`,
      "Connection: close"
    ]
    return yield* exchange(port, `${lines.join("\r\n")}\r\n\r\n`, yield* certificateFile)
  })

  it.effect("RID-04: the control, a UUID, is echoed", () =>
    Effect.gen(function* () {
      const text = yield* get(uuid)
      assert.match(text, /^HTTP\/1\.1 200 /)
      assert.match(text, new RegExp(`\r\nx-client-request-id: ${uuid}\r\n`, "i"))
    })
  )

  for (const [what, value] of Object.entries(values)) {
    it.effect(`RID-06: with ${what} the header is refused or ignored, and none of it comes back`, () =>
      Effect.gen(function* () {
        const text = yield* get(value)
        assert.match(text, /^HTTP\/1\.1 (200|400) /)
        assert.notMatch(text, /x-planted/i)
        assert.notMatch(text, /x-client-request-id/i)
        assert.notInclude(text, "\u001b")
      })
    )
  }
})

layer(server({}), { excludeTestServices: true })("threat 26: pipelined requests", (it) => {
  it.effect("RTL-02: are answered in order, and each is counted", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const { authorization } = bearer(yield* superAdmin)
      const request = (path: string, connection: string) =>
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nConnection: ${connection}\r\n\r\n`
      const paths = ["workers", "nonsense", "applicants", "workers/nonsense", "credentials"]
      const bytes = paths.map((path, index) =>
        request(`/openapi/v1/${path}`, index === paths.length - 1 ? "close" : "keep-alive")
      )
      const text = yield* exchange(port, bytes.join(""), yield* certificateFile)
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
      assert.deepStrictEqual(statuses, ["200", "404", "200", "400", "200"])
      const remaining = [...text.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map(([, count]) => Number(count))
      // they are counted concurrently
      assert.sameMembers(remaining, [599, 598, 597, 596, 595])
    })
  )
})

layer(server({}), { excludeTestServices: true })("threat 49: a body that a proxy may frame differently", (it) => {
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
  const chunked = "Transfer-Encoding: chunked"
  const post = (version: string, framing: string, name: string, authorization: string) => {
    const body = JSON.stringify({ identity: { displayName: name } })
    const head = [
      `POST /openapi/v1/workers HTTP/${version}`,
      "Host: localhost",
      `Authorization: ${authorization}`,
      "Content-Type: application/json",
      framing
    ]
    return `${head.join("\r\n")}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  }
  const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

  it.effect("is refused and closes the connection, and the request behind it has no effect", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const { authorization } = bearer(yield* superAdmin)
      const get = `GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`
      for (const [version, framing] of framings) {
        const refused = post(version, framing, "Refused", authorization)
        const behind = post("1.1", chunked, "Behind", authorization)
        const text = yield* exchange(port, refused + behind, yield* certificateFile)
        assert.deepStrictEqual([framing, statusesOf(text)], [framing, [400]])
        assert.match(text, /\r\nconnection: close\r\n/i)
      }
      const control = yield* exchange(
        port,
        post("1.1", "Transfer-Encoding: Chunked", "Control", authorization) + get,
        yield* certificateFile
      )
      assert.deepStrictEqual(statusesOf(control), [201, 200])
      assert.include(control, "Control")
      assert.notMatch(control, /Refused|Behind/)
    })
  )
})

layer(server({}), { excludeTestServices: true })("a target in absolute form (threat 49)", (it) => {
  it.effect("is answered like its path, and refused if it names another host than Host", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const { authorization } = bearer(yield* superAdmin)
      const statusOf = Effect.fnUntraced(function* (target: string) {
        const head = [
          `GET ${target} HTTP/1.1`,
          "Host: localhost",
          `Authorization: ${authorization}`,
          "Connection: close"
        ]
        return (yield* exchange(port, `${head.join("\r\n")}\r\n\r\n`, yield* certificateFile)).slice(9, 12)
      })
      assert.strictEqual(yield* statusOf("https://localhost/openapi/v1/workers"), "200")
      assert.strictEqual(yield* statusOf("HTTP://LOCALHOST/openapi/v1/workers?pageSize=1"), "200")
      assert.strictEqual(yield* statusOf("https://localhost"), "404")
      assert.strictEqual(yield* statusOf("https://other.example/openapi/v1/workers"), "400")
      assert.strictEqual(yield* statusOf("https://localhost:1/openapi/v1/workers"), "400")
    })
  )
})

// above the number of polls, which a slow machine makes many
const unlimited = server({ WCS_RATE_UNAUTHENTICATED: "1000000" })

layer(unlimited, { excludeTestServices: true })("clients that leave during downloads (threat 27)", (it) => {
  it.effect("free their places, also those of pipelined requests", () =>
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
