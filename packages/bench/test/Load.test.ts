import { assert, describe, it } from "@effect/vitest"
import { load } from "@wcs/bench/load/Load"
import type { LoadJob } from "@wcs/bench/load/LoadJob"
import { Effect } from "effect"
import { listening } from "./Listening.ts"

const body = JSON.stringify({ data: [{ id: "one" }], meta: { pageSize: 1, nextCursor: null } })

const job = (port: number, more: Partial<LoadJob> = {}): LoadJob => ({
  port,
  token: "token",
  connections: 4,
  template: { method: "GET", path: "/$0" },
  keys: Array.from({ length: 50 }, (_, n) => [String(n)]),
  repeats: false,
  millis: 10_000,
  expected: '"id":"one"',
  ...more
})

const failureOf = (run: Promise<unknown>) =>
  Effect.promise(() =>
    run.then(
      () => "",
      (error: unknown) => String(error)
    )
  )

describe("the client", () => {
  it.effect("makes each request once, and returns their number", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { port } = yield* listening(({ headers, url = "" }, response) => {
        asked.push(`${url} ${headers.authorization} ${headers["x-forwarded-proto"]}`)
        response.setHeader("content-length", body.length).end(body)
      })
      const { requests } = yield* Effect.promise(() => load(job(port)))
      assert.strictEqual(requests, 50)
      const expected = Array.from({ length: 50 }, (_, n) => `/${n} Bearer token https`)
      assert.sameMembers(asked, expected)
    })
  )

  it.effect("sends bodies with the key in them", () =>
    Effect.gen(function* () {
      const { port } = yield* listening((request, response) => {
        let sent = ""
        request.on("data", (chunk: Buffer) => {
          sent += chunk.toString()
        })
        request.on("end", () => response.setHeader("content-length", Buffer.byteLength(sent)).end(sent))
      })
      const template = { method: "POST", path: "/link", body: '{"id":"$0","type":"$1"}' } as const
      const keys = [["one", "worker"]]
      const { requests } = yield* Effect.promise(() => load(job(port, { template, keys, expected: '"type":"$1"' })))
      assert.strictEqual(requests, 1)
    })
  )

  it.effect("reads responses that arrive in pieces", () =>
    Effect.gen(function* () {
      const { port } = yield* listening((_request, response) => {
        response.writeHead(200, { "content-length": body.length })
        response.write(body.slice(0, 5), () => setImmediate(() => response.end(body.slice(5))))
      })
      const { requests } = yield* Effect.promise(() => load(job(port)))
      assert.strictEqual(requests, 50)
    })
  )

  it.effect("fails for a wrong status, wrong content and no response", () =>
    Effect.gen(function* () {
      const refusing = yield* listening((_, response) => {
        response.writeHead(429, { "content-length": body.length }).end(body)
      })
      assert.include(yield* failureOf(load(job(refusing.port))), "429")
      const other = yield* listening((_, response) => {
        response.setHeader("content-length", 2).end("{}")
      })
      assert.include(yield* failureOf(load(job(other.port))), "200 {}")
      const silent = yield* listening(({ socket }) => {
        socket.destroy()
      })
      assert.include(yield* failureOf(load(job(silent.port))), "Error")
    })
  )
})
