import { assert, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { Effect } from "effect"
import { certificateFile, server } from "../TestServer.ts"
import { exchange } from "./Wire.ts"

const limit = 3

/** Bytes that Node's parser refuses or that no route reads, and the status of the response. */
const unread: ReadonlyArray<readonly [what: string, status: number, bytes: string, isPlain?: true]> = [
  [
    "headers that are too large",
    431,
    `GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(20_000)}\r\n\r\n`
  ],
  [
    "a legacy path and headers that are too large",
    431,
    `GET /api/users/me HTTP/1.1\r\nX: ${"a".repeat(20_000)}\r\n\r\n`
  ],
  ["no request line", 400, "NONSENSE\r\n\r\n"],
  ["two Host headers", 400, "GET /openapi/v1/workers HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
  [
    "two Host headers and a legacy path",
    400,
    "GET /api/users/me HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"
  ],
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

for (const [what, status, bytes, isPlain] of unread) {
  layer(server({ WCS_RATE_UNAUTHENTICATED: String(limit) }), { excludeTestServices: true })(`bytes: ${what}`, (it) => {
    it.effect(`RTL-08: get ${status} with the headers of every response, and 429 past the limit of the address`, () =>
      Effect.gen(function* () {
        const { port } = yield* Serving
        const file = isPlain ? undefined : yield* certificateFile
        const answers = yield* Effect.replicateEffect(exchange(port, bytes, file), limit + 1)
        assert.deepStrictEqual(
          answers.map((text) => [text.slice(9, 12), headerOf(text, "x-ratelimit-remaining")]),
          [
            [String(status), "2"],
            [String(status), "1"],
            [String(status), "0"],
            ["429", "0"]
          ]
        )
        for (const text of answers) {
          assert.strictEqual(headerOf(text, "x-ratelimit-limit"), String(limit))
          assert.match(headerOf(text, "x-ratelimit-reset") ?? "", /^[1-9]\d*$/)
          assert.match(headerOf(text, "x-request-id") ?? "", /^[0-9A-Z]{26}$/)
          assert.strictEqual(headerOf(text, "cache-control"), "no-store")
          assert.strictEqual(headerOf(text, "x-content-type-options"), "nosniff")
          assert.strictEqual(headerOf(text, "connection"), "close")
        }
        const refused = answers.at(-1) ?? ""
        assert.strictEqual(headerOf(refused, "retry-after"), headerOf(refused, "x-ratelimit-reset"))
      })
    )
  })
}
