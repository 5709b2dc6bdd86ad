import { connect, type Socket } from "node:net"
import { type ConnectionOptions, connect as connectTls } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { type Limits, standardLimits } from "@wcs/node-server/Listener"
import { reasonOf } from "@wcs/node-server/StartRefused"
import { Effect, Fiber, Option } from "effect"
import { answered, closed, halfHello, portOf, serving, tls, untilClosed } from "./TestListener.ts"

const listening = (limits: Partial<Limits>) => Effect.map(serving(limits), portOf)

const plainly = (port: number) => connect(port, "127.0.0.1")
const secretly = (port: number) => connectTls({ port, host: "127.0.0.1", ca: tls.cert })

/** Sends headers that are too large, and this many bytes more after the whole response. Returns the response and the end. */
const oversized = (port: number, more: number) =>
  Effect.promise(
    () =>
      new Promise<readonly [text: string, end: string]>((resolve) => {
        let text = ""
        let fault = "closed"
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        const chunk = "a".repeat(1024)
        let left = more / chunk.length
        const send = () => {
          if (left-- > 0) socket.write(chunk, () => setImmediate(send))
          else socket.end()
        }
        socket.setEncoding("utf8").on("data", (data) => {
          text += data
        })
        socket.once("end", send)
        socket.on("error", () => {
          fault = "reset"
        })
        socket.once("close", () => resolve([text.slice(0, 12), fault]))
        socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(20_000)}`)
      })
  )

describe("a refusal of a request that is still being sent", () => {
  it.live("reads on for a while, so that the client gets the whole response", () =>
    Effect.gen(function* () {
      const port = portOf(yield* serving({}, { tls: Option.none() }))
      assert.deepStrictEqual(yield* oversized(port, 128 * 1024), ["HTTP/1.1 431", "closed"])
    })
  )

  it.live("threat 27: does not read endlessly, nor wait for ever", () =>
    Effect.gen(function* () {
      const port = portOf(yield* serving({}, { tls: Option.none() }))
      assert.deepStrictEqual(yield* oversized(port, 64 * 1024 * 1024), ["HTTP/1.1 431", "reset"])
      const hasty = yield* serving({ refusedMillis: 50 }, { tls: Option.none() })
      const isClosed = new Promise<void>((resolve) => {
        hasty.once("connection", (accepted: Socket) => accepted.once("close", () => resolve()))
      })
      const silent = connect({ port: portOf(hasty), host: "127.0.0.1", allowHalfOpen: true })
      silent.resume().write(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(20_000)}`)
      yield* Effect.promise(() => isClosed)
      silent.destroy()
    })
  )
})

describe("TLS", () => {
  it.live.each([
    [["http/1.0"], "http/1.0"],
    [["http/1.0", "http/1.1"], "http/1.1"],
    [["h2", "http/1.1"], "http/1.1"],
    [["h2"], "refused"]
  ] as const)("of the protocols %j, agrees on %s", ([protocols, expected]) =>
    Effect.gen(function* () {
      const port = yield* listening({})
      const chosen = yield* Effect.callback<string>((resume) => {
        const socket = connectTls({ port, host: "127.0.0.1", ca: tls.cert, ALPNProtocols: [...protocols] })
        socket.once("secureConnect", () => {
          resume(Effect.succeed(String(socket.alpnProtocol)))
          socket.destroy()
        })
        socket.once("error", () => resume(Effect.succeed("refused")))
      })
      assert.strictEqual(chosen, expected)
    })
  )

  const agreed = (port: number, options: ConnectionOptions) =>
    Effect.callback<string>((resume) => {
      const socket = connectTls({ port, host: "127.0.0.1", ca: tls.cert, ...options })
      socket.once("secureConnect", () => {
        resume(Effect.succeed(socket.getCipher().standardName))
        socket.destroy()
      })
      socket.once("error", () => resume(Effect.succeed("refused")))
    })

  it.live.each([
    [{}, "TLS_AES_128_GCM_SHA256"],
    [{ maxVersion: "TLSv1.2" }, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"],
    [
      { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-CHACHA20-POLY1305" },
      "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"
    ],
    [{ maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA256" }, "refused"],
    [{ maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES256-SHA" }, "refused"],
    [{ minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }, "refused"]
  ] as const)("agrees only on authenticated encryption with forward secrecy: %j: %s", ([options, cipher]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* agreed(yield* listening({}), options), cipher)
    })
  )

  it.live("refuses a renegotiation by the client", () =>
    Effect.gen(function* () {
      const socket = connectTls({
        port: yield* listening({}),
        host: "127.0.0.1",
        ca: tls.cert,
        maxVersion: "TLSv1.2"
      })
      assert.match(yield* answered(socket), /^HTTP\/1\.1 200 /)
      const code = yield* Effect.callback<string>((resume) => {
        const settle = (error: Error | null) =>
          resume(Effect.succeed(error === null ? "renegotiated" : reasonOf(error)))
        socket.once("error", settle)
        socket.renegotiate({}, settle)
      })
      assert.strictEqual(code, "ERR_SSL_NO_RENEGOTIATION")
      socket.destroy()
    })
  )
})

/** A request with a half of its body. */
const halfOf = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf`

describe("Listener: limits each connection (threat 27)", () => {
  it.live("closes a silent connection", () =>
    Effect.gen(function* () {
      const port = yield* listening({ firstByteMillis: 20 })
      assert.strictEqual(yield* untilClosed(plainly(port), ""), "")
    })
  )

  it.live("closes a connection that never finishes its handshake", () =>
    Effect.gen(function* () {
      const port = yield* listening({ handshakeMillis: 20 })
      assert.strictEqual(yield* untilClosed(plainly(port), halfHello), "")
    })
  )

  it.live("answers 408 and closes if the headers never end", () =>
    Effect.gen(function* () {
      const port = yield* listening({ headersMillis: 20 })
      const answer = yield* untilClosed(secretly(port), "GET / HTTP/1.1\r\nHost: localhost\r\n")
      assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
      assert.match(answer, /\r\nx-request-id: an id\r\n/i)
      assert.strictEqual(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.code, "REQUEST_TIMEOUT")
    })
  )

  it.live("sends one complete refusal to a client that keeps sending", () =>
    Effect.gen(function* () {
      const port = yield* listening({})
      const socket = secretly(port)
      const answer = yield* Effect.forkChild(untilClosed(socket, "NONSENSE\r\n\r\n"), { startImmediately: true })
      for (let packet = 0; packet < 20; packet++) {
        socket.write("more nonsense\r\n\r\n")
        yield* Effect.yieldNow
      }
      const text = yield* Fiber.join(answer)
      assert.strictEqual(text.split("HTTP/1.1 400 Bad Request\r\n").length, 2)
      assert.strictEqual(JSON.parse(text.split("\r\n\r\n")[1] ?? "").error.code, "BAD_REQUEST")
    })
  )

  it.live("answers 408 and closes if the body never ends", () =>
    Effect.gen(function* () {
      const port = yield* listening({ bodyMillis: 30 })
      assert.match(yield* untilClosed(secretly(port), halfOf("/")), /^HTTP\/1\.1 408 /)
    })
  )

  it.live("gives a slow file that is read in pieces the time of an upload, and then says the limits", () =>
    Effect.gen(function* () {
      const patient = yield* listening({ bodyMillis: 30 })
      const slow = secretly(patient)
      const answer = yield* Effect.forkChild(untilClosed(slow, halfOf("/file/pieces")), { startImmediately: true })
      // Bodies that began later are late already, also one that is kept as a whole.
      for (const path of ["/", "/file/whole"]) {
        assert.match(yield* untilClosed(secretly(patient), halfOf(path)), /^HTTP\/1\.1 408 /)
      }
      slow.write("other")
      slow.end()
      assert.match(yield* Fiber.join(answer), /^HTTP\/1\.1 200 .*answer$/s)

      const hasty = yield* listening({ headersMillis: 20, bodyMillis: 20, uploadMillis: 40 })
      const refused = yield* untilClosed(secretly(hasty), halfOf("/file/pieces"))
      assert.match(refused, /^HTTP\/1\.1 408 .*0\.04 seconds for an uploaded file/s)
    })
  )

  it.live("closes an idle connection after its response", () =>
    Effect.gen(function* () {
      const port = yield* listening({ keepAliveMillis: 20 })
      assert.match(
        yield* untilClosed(secretly(port), "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        /^HTTP\/1\.1 200 .*answer$/s
      )
    })
  )

  it.live("closes a connection without traffic", () =>
    Effect.gen(function* () {
      const port = yield* listening({ silenceMillis: 20 })
      assert.strictEqual(yield* untilClosed(secretly(port), "GET / HTTP/1.1\r\n"), "")
    })
  )

  it.live("closes a plain connection, however slowly it sends", () =>
    Effect.gen(function* () {
      const port = yield* listening({ refusedMillis: 20 })
      assert.strictEqual(yield* untilClosed(plainly(port), "GET / HTTP/1.1\r\n"), "")
    })
  )

  it.live("lets a kept connection send one more request after the server stops, and closes it with the response", () =>
    Effect.gen(function* () {
      const server = yield* serving({})
      const socket = secretly(portOf(server))
      assert.match(yield* answered(socket), /\r\nConnection: keep-alive\r\n/)
      const stopped = yield* Effect.forkChild(Effect.callback((resume) => void server.close(() => resume(Effect.void))))
      yield* Effect.repeat(Effect.yieldNow, { while: () => Effect.succeed(server.listening) })
      const ended = yield* Effect.forkChild(closed(socket))
      assert.match(yield* answered(socket), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n.*answer$/s)
      yield* Fiber.join(ended)
      yield* Fiber.join(stopped)
    })
  )

  it.live(
    "closes a connection in any state without further requests after the server stops",
    () =>
      Effect.gen(function* () {
        const server = yield* serving({ graceMillis: 20 })
        const port = portOf(server)
        const silent = plainly(port)
        yield* Effect.promise(() => new Promise((resolve) => silent.once("connect", resolve)))
        const unused = secretly(port)
        yield* Effect.promise(() => new Promise((resolve) => unused.once("secureConnect", resolve)))
        const used = secretly(port)
        yield* answered(used)
        const ended = yield* Effect.forkChild(
          Effect.all([used, unused, silent].map(closed), { concurrency: "unbounded" })
        )
        yield* Effect.callback((resume) => void server.close(() => resume(Effect.void)))
        yield* Fiber.join(ended)
      }),
    10_000 // before the remaining connections are cut
  )

  it("has a limit for everything", () => {
    for (const [name, limit] of Object.entries(standardLimits)) {
      assert.isAbove(limit, 0, name)
      assert.isAtMost(limit, name === "uploadMillis" ? 600_000 : 90_000, name)
    }
  })
})
