import "reflect-metadata" // needed by the decorators of @peculiar/x509
import { KeyObject } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import * as x509 from "@peculiar/x509"
import { Sender } from "@wcs/delivery/Sender"
import type { AttemptResult } from "@wcs/domain/webhook/Delivery"
import { Effect, Fiber } from "effect"
import { answering, loopback, outbound, outgoing, receiver, resolverOf, send } from "./Receivers.ts"

/** A very short time limit, for attempts that must time out. */
const hasty = outbound({ allowed: loopback, settings: { attemptMillis: 400 } })
const patient = outbound({ allowed: loopback })

const url = ({ port }: { readonly port: number }, path = "/") => `http://127.0.0.1:${port}${path}`

const faultOf = (result: AttemptResult) => (result._tag === "Unanswered" ? result.fault : `status ${result.status}`)

/** Writes one byte of a text at intervals, until the connection closes. */
const drip = (text: string) => (socket: Socket) => {
  let at = 0
  const timer = setInterval(() => {
    socket.write(text[at++ % text.length] ?? "")
  }, 25)
  socket.once("close", () => clearInterval(timer))
}

/** Writes as fast as the client reads, until the connection closes. */
const flood = (head: string, chunk: Buffer) => (socket: Socket) => {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on("drain", more)
  more()
}

const poisons: ReadonlyArray<readonly [what: string, behave: (socket: Socket) => void, fault: string]> = [
  ["never answers", () => undefined, "TIMEOUT"],
  [
    "sends its headers slowly",
    drip("HTTP/1.1 200 OK\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    "TIMEOUT"
  ],
  [
    "sends its body slowly",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      drip("a")(socket)
    },
    "TIMEOUT"
  ],
  ["sends informational responses forever", (socket) => drip("HTTP/1.1 102 Processing\r\n\r\n")(socket), "TIMEOUT"],
  ["closes at once", (socket) => socket.end(), "CONNECTION_FAILED"],
  ["resets the connection", (socket) => socket.resetAndDestroy(), "CONNECTION_FAILED"],
  ["does not speak HTTP", (socket) => socket.end("220 mail.example.com ESMTP\r\n"), "INVALID_RESPONSE"],
  ["sends random bytes", (socket) => socket.end(Buffer.alloc(500, 0xfe)), "INVALID_RESPONSE"],
  ["sends headers forever", flood("HTTP/1.1 200 OK\r\n", Buffer.from("X-A: b\r\n".repeat(500))), "INVALID_RESPONSE"],
  [
    "closes before its body is complete",
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
    "INVALID_RESPONSE"
  ],
  [
    "switches to another protocol",
    (socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
    "CONNECTION_FAILED"
  ],
  ["sends a body forever", flood("HTTP/1.1 500 No\r\n\r\n", Buffer.alloc(65_536, "a")), "status 500"],
  [
    "sends chunks forever",
    flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Buffer.from(`400\r\n${"a".repeat(1024)}\r\n`)),
    "status 200"
  ],
  [
    "sends 10 MB",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n${"a".repeat(10_000_000)}`),
    "status 200"
  ]
]

/** A key and a self-signed certificate of 127.0.0.1. */
const certificate = Effect.promise(async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=receiver",
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])
    ]
  })
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString()
  return { key, cert: made.toString("pem") }
})

const noContent = (socket: Socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n")

describe("threat 18: an attempt and its receiver", () => {
  it.live.each(poisons)("a receiver that %s", ([_, behave, expected]) =>
    Effect.gen(function* () {
      const poison = yield* receiver(behave)
      assert.strictEqual(faultOf(yield* send(url(poison))), expected)
      // After the attempt ended, nothing more may arrive.
      for (const socket of poison.seen.open) {
        if (!socket.destroyed) yield* Effect.promise(() => new Promise((closed) => socket.once("close", closed)))
      }
    }).pipe(Effect.scoped, Effect.provide(expected === "TIMEOUT" ? hasty : patient))
  )
})

describe("the request", () => {
  it.live("is a POST of the stored bytes with the given headers, content type, length and user agent", () =>
    Effect.gen(function* () {
      const seen: Array<{
        method: string | undefined
        target: string | undefined
        headers: IncomingHttpHeaders
        body: string
      }> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk) => chunks.push(chunk))
        request.on("end", () => {
          const { headers, method, url: target } = request
          seen.push({ method, target, headers, body: Buffer.concat(chunks).toString("utf8") })
          response.writeHead(202, { "X-Told": "once", "Set-Cookie": ["a=1", "b=2"] }).end("thanks")
        })
      })
      const port = yield* Effect.acquireRelease(
        Effect.callback<number>((resume) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
          })
        }),
        () => Effect.sync(() => server.close())
      )
      const body = '{"name":"Zoë"}'
      const result = yield* send(url({ port }, "/in/here?a=b%20c&d"), body)
      assert.deepInclude(result, { _tag: "Answered", status: 202, retryAfterMillis: null, excerpt: "thanks" })
      const fields = result._tag === "Answered" ? (result.headers ?? []) : []
      assert.includeDeepMembers(
        [...fields],
        [
          ["x-told", "once"],
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"]
        ].map(([name, value]) => ({ name, value }))
      )
      const [request] = seen
      assert.strictEqual(request?.method, "POST")
      assert.strictEqual(request?.target, "/in/here?a=b%20c&d")
      assert.strictEqual(request?.body, body)
      assert.include(request?.headers, {
        host: `127.0.0.1:${port}`,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "wcs-webhooks/1",
        "webhook-id": "dlv_0000000000000001"
      })
    }).pipe(Effect.scoped, Effect.provide(patient))
  )

  it.live("reuses connections, and closes them when idle", () =>
    Effect.gen(function* () {
      const kept = yield* receiver(noContent)
      for (let attempt = 0; attempt < 20; attempt++) assert.strictEqual((yield* send(url(kept)))._tag, "Answered")
      // A connection is free one turn of the event loop after its response.
      assert.isAtMost(kept.seen.connections, 2)
      for (const socket of kept.seen.open) {
        yield* Effect.promise(() => new Promise((closed) => socket.once("close", closed)))
      }
      assert.strictEqual(kept.seen.open.size, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback, settings: { idleMillis: 200 } })))
  )

  it.live("limits the connections to one origin, and closes connections above the kept number", () =>
    Effect.gen(function* () {
      let most = 0
      let unanswered = 0 // a connection that the client closed may still be open here when the next one arrives
      const busy = yield* receiver((socket) => {
        most = Math.max(most, ++unanswered)
        setTimeout(() => {
          unanswered -= 1
          noContent(socket)
        }, 20)
      })
      yield* Effect.forEach(Array.from({ length: 12 }), () => send(url(busy)), { concurrency: 12 })
      assert.strictEqual(most, 3)
      assert.strictEqual(busy.seen.connections, 12)
    }).pipe(
      Effect.scoped,
      Effect.provide(outbound({ allowed: loopback, settings: { connectionsPerOrigin: 3, connectionsKept: 0 } }))
    )
  )

  it.live("closes its connection when the attempt is interrupted", () =>
    Effect.gen(function* () {
      let begun: () => void = () => undefined
      const hasBegun = new Promise<void>((resolve) => {
        begun = resolve
      })
      const silent = yield* receiver(() => begun())
      const fiber = yield* Effect.forkChild(Sender.use((sender) => sender.send(outgoing(url(silent)))))
      yield* Effect.promise(() => hasBegun)
      const [socket] = silent.seen.open
      const closed = new Promise((resolve) => socket?.once("close", resolve))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback })))
  )
})

describe("the kept excerpt of a response", () => {
  const answers: ReadonlyArray<readonly [body: Buffer, excerpt: string]> = [
    [Buffer.from("no such thing"), "no such thing"],
    [Buffer.from("a".repeat(3000)), "a".repeat(1024)],
    [Buffer.from("é".repeat(600)), "é".repeat(512)],
    [Buffer.from(`a${"é".repeat(600)}`), `a${"é".repeat(511)}`],
    [Buffer.alloc(600, 0xff), "\uFFFD".repeat(341)],
    [Buffer.from("a\0b"), "a\uFFFDb"],
    [Buffer.from(""), ""]
  ]
  it.live.each(answers)("keeps at most 1 KiB of %o, as UTF-8", ([body, excerpt]) =>
    Effect.gen(function* () {
      const answer = yield* receiver((socket) => {
        socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\n\r\n`)
        socket.write(body)
      })
      const result = yield* send(url(answer))
      assert.deepInclude(result, { _tag: "Answered", status: 404, retryAfterMillis: null, excerpt })
      assert.isAtMost(Buffer.byteLength(excerpt), 1024)
    }).pipe(Effect.scoped, Effect.provide(patient))
  )

  const asked: ReadonlyArray<readonly [header: string, least: number | null, most: number | null]> = [
    ["Retry-After: 120", 120_000, 120_000],
    ["retry-after:0", 0, 0],
    ["Retry-After: {in an hour}", 3_500_000, 3_600_000],
    ["Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", 0, 0],
    ["Retry-After: soon", null, null],
    ["Retry-After: -5", null, null],
    ["Retry-After: 1e3", null, null],
    ["X-Retry-After: 5", null, null]
  ]
  it.live.each(asked)("%s", ([header, least, most]) =>
    Effect.gen(function* () {
      const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
      const written = header.replace("{in an hour}", inAnHour)
      const answer = yield* answering(`HTTP/1.1 503 Busy\r\n${written}\r\nContent-Length: 0\r\n\r\n`)
      const result = yield* send(url(answer))
      const millis = result._tag === "Answered" ? result.retryAfterMillis : undefined
      if (least === null || most === null) assert.isNull(millis)
      else {
        assert.isAtLeast(millis ?? -1, least)
        assert.isAtMost(millis ?? -1, most)
      }
    }).pipe(Effect.scoped, Effect.provide(patient))
  )
})

describe("TLS", () => {
  it.live("refuses a certificate of an unknown issuer, even if the environment disables the check", () =>
    Effect.gen(function* () {
      const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
          else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before
        })
      )
      const stranger = yield* receiver(noContent, { tls: yield* certificate })
      assert.strictEqual(faultOf(yield* send(`https://127.0.0.1:${stranger.port}/`)), "TLS_FAILED")
      assert.strictEqual(stranger.seen.received, "")
    }).pipe(Effect.scoped, Effect.provide(patient))
  )

  it.live("refuses a certificate of another host, and accepts one of a trusted issuer", () =>
    Effect.gen(function* () {
      const tls = yield* certificate
      const trusted = yield* receiver(noContent, { tls })
      const trusting = outbound({
        allowed: loopback,
        resolver: resolverOf({ "other.example.com": [["127.0.0.1"]] }).layer
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const present = getCACertificates("default")
          setDefaultCACertificates([...present, tls.cert])
          return present
        }),
        (present) => Effect.sync(() => setDefaultCACertificates(present))
      )
      const [own, other] = yield* Effect.all([
        send(`https://127.0.0.1:${trusted.port}/`),
        send(`https://other.example.com:${trusted.port}/`)
      ]).pipe(Effect.provide(trusting))
      assert.strictEqual(faultOf(own), "status 204")
      assert.strictEqual(faultOf(other), "TLS_FAILED")
    }).pipe(Effect.scoped)
  )

  it.live("fails when the host does not speak TLS, hangs in the handshake, or does not listen", () =>
    Effect.gen(function* () {
      const plain = yield* answering("HTTP/1.1 204 No Content\r\n\r\n")
      const silent = yield* receiver(() => undefined)
      assert.strictEqual(faultOf(yield* send(`https://127.0.0.1:${plain.port}/`)), "TLS_FAILED")
      assert.strictEqual(faultOf(yield* send(`https://127.0.0.1:${silent.port}/`)), "TIMEOUT")
      assert.strictEqual(faultOf(yield* send("http://127.0.0.1:9/")), "CONNECTION_FAILED")
      assert.strictEqual(faultOf(yield* send("http://nowhere.example.com/")), "NAME_NOT_FOUND")
    }).pipe(Effect.scoped, Effect.provide(hasty))
  )
})
