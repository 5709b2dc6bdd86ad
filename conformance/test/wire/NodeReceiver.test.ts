import * as http from "node:http"
import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import type { Request } from "@wcs/conformance/wire/Exchange"
import * as NodeReceiver from "@wcs/conformance/wire/NodeReceiver"
import { NotReceiving, Receiver } from "@wcs/conformance/wire/Receiver"
import { Effect, Scope } from "effect"

/** Sends a request and returns the status; 0 without an answer. */
const sent = (url: string, options: http.RequestOptions = {}, body: string | Buffer = "{}") =>
  Effect.callback<number>((resume) => {
    const request = http.request(url, { method: "POST", agent: false, ...options }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    })
    request.on("error", () => resume(Effect.succeed(0)))
    request.end(body)
  })

/** An address that answers every delivery with a status, and its deliveries. */
const opened = Effect.fnUntraced(function* (status = 200, place = {}) {
  const came: Array<Request> = []
  const receiver = yield* NodeReceiver.make(place)
  const url = yield* receiver.open((request) => Effect.sync(() => void came.push(request)).pipe(Effect.as(status)))
  return { came, receiver, url }
})

describe("the receiver", () => {
  it.live("passes on complete requests, and returns the given status", () =>
    Effect.gen(function* () {
      const { came, url } = yield* opened(500)
      const headers = { "X-Service-Delivery": "dlv_1", "Content-Type": "application/json" }
      assert.strictEqual(yield* sent(url, { headers }, '{"correlationId":"ü"}'), 500)
      const [request] = came
      assert.deepInclude(request, { method: "POST", body: '{"correlationId":"ü"}' })
      assert.deepInclude([...(request?.headers ?? [])], ["X-Service-Delivery", "dlv_1"] as const)
    }).pipe(Effect.scoped)
  )

  it.live("opens unguessable addresses, and accepts nothing at others", () =>
    Effect.gen(function* () {
      const { came, receiver, url } = yield* opened()
      assert.instanceOf(yield* Effect.flip(receiver.closed("conf-a-1")), NotReceiving)
      const other = yield* receiver.open(() => Effect.succeed(204))
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/)
      assert.notStrictEqual(url, other)
      for (const wrong of [new URL("/", url).href, `${url}x`]) {
        assert.strictEqual(yield* sent(wrong), 410, wrong)
      }
      assert.deepStrictEqual(came, [])
      assert.strictEqual(yield* sent(other), 204)
    }).pipe(Effect.scoped)
  )

  it.live("finds an address by its last path segment, after any prefix", () =>
    Effect.gen(function* () {
      const { came, url } = yield* opened()
      assert.strictEqual(yield* sent(url.replace(/\/(?=[^/]*$)/, "/routed/here/")), 200)
      assert.strictEqual(yield* sent(`${url}?from=there`), 200)
      assert.lengthOf(came, 2)
    }).pipe(Effect.scoped)
  )

  it.live("answers 410 after an address is closed", () =>
    Effect.gen(function* () {
      const receiver = yield* NodeReceiver.make({})
      const scope = yield* Scope.make()
      const url = yield* Effect.provideService(
        receiver.open(() => Effect.succeed(200)),
        Scope.Scope,
        scope
      )
      assert.strictEqual(yield* sent(url), 200)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.strictEqual(yield* sent(url), 410)
    }).pipe(Effect.scoped)
  )

  it.live("refuses requests that are too long or not text, and continues", () =>
    Effect.gen(function* () {
      const { came, url } = yield* opened()
      const long = Buffer.alloc(NodeReceiver.maxDeliveryBytes + 1, "a")
      assert.include([413, 0], yield* sent(url, {}, long))
      assert.strictEqual(yield* sent(url, {}, Buffer.from([0xff, 0xfe])), 415)
      assert.strictEqual(yield* sent(url, { headers: { "X-Long": "a".repeat(100_000) } }), 431)
      assert.deepStrictEqual(came, [])
      assert.strictEqual(yield* sent(url), 200)
    }).pipe(Effect.scoped)
  )

  it.live("closes open connections at its end", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { url } = yield* Effect.provideService(opened(), Scope.Scope, scope)
      const { port } = new URL(url)
      const closed = yield* Effect.callback<net.Socket>((resume) => {
        const socket = net.connect(Number(port), "127.0.0.1", () => {
          socket.write("POST / HTTP/1.1\r\n")
          resume(Effect.succeed(socket))
        })
      })
      const ended = Effect.callback<void>((resume) => {
        closed.on("error", () => {}).on("close", () => resume(Effect.void))
      })
      yield* Effect.all([ended, Scope.close(scope, yield* Effect.exit(Effect.void))], { concurrency: 2 })
      assert.strictEqual(yield* sent(url), 0)
    })
  )

  it.live("returns its public URL", () =>
    Effect.gen(function* () {
      const { receiver, url } = yield* opened(200, { publicUrl: "https://hooks.example/conformance/" })
      assert.match(url, /^https:\/\/hooks\.example\/conformance\/[0-9a-f]{32}$/)
      const closed = yield* receiver.closed("conf-a-1")
      assert.strictEqual(closed, "https://hooks.example/conformance/conf-a-1")
    }).pipe(Effect.scoped)
  )

  it.live("fails with a reason when it cannot listen or is not in the profile", () =>
    Effect.gen(function* () {
      const { url } = yield* opened()
      const reasonAt = (place: Parameters<typeof NodeReceiver.layer>[0]) =>
        Effect.flatMap(Receiver, ({ closed }) => Effect.flip(closed("a"))).pipe(
          Effect.map((refusal) => (refusal instanceof NotReceiving ? refusal.reason : "")),
          Effect.provide(NodeReceiver.layer(place))
        )
      assert.match(yield* reasonAt({ port: Number(new URL(url).port) }), /^the receiver cannot listen: .*EADDRINUSE/)
      assert.strictEqual(yield* reasonAt(undefined), "the profile has no receiver")
    }).pipe(Effect.scoped)
  )
})
