import { readFileSync } from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import type { LookupFunction } from "node:net"
import * as net from "node:net"
import { getCACertificates } from "node:tls"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { make, maxAnswerBytes, type Options } from "@wcs/conformance/network/NodeWire"
import { issuersOf } from "@wcs/conformance/network/Trust"
import { suiteVersion } from "@wcs/conformance/release/SuiteVersion"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Deferred, Effect, Fiber } from "effect"

const pem = readFileSync(new URL("../fixtures/localhost.pem", import.meta.url), "utf8")

const expired = readFileSync(new URL("../fixtures/expired.pem", import.meta.url), "utf8")

/** A server on a free port, for the lifetime of the scope. */
const listening = <S extends net.Server>(server: S) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(typeof address === "object" && address !== null ? Effect.succeed(address.port) : Effect.die("no port"))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        if (server instanceof http.Server || server instanceof https.Server) server.closeAllConnections()
      })
  )

/** A port that handles every connection alike. */
const raw = (treat: (socket: net.Socket) => void) =>
  listening(
    net.createServer((socket) => {
      socket.on("error", () => socket.destroy())
      treat(socket)
    })
  )

/** A port that answers every request with these bytes and keeps the connection open. */
const saying = (...pieces: ReadonlyArray<string | Buffer>) =>
  raw((socket) => socket.once("data", () => pieces.forEach((piece) => void socket.write(piece))))

const asked = (url: string, more: Partial<Request> = {}): Request => ({
  method: "GET",
  url,
  headers: [],
  body: "",
  ...more
})

const wireOf = (options: Partial<Options> = {}) => make({ resolve: {}, secondsPerCall: 5, ...options })

const plain = (port: number, rest = "/") => `http://127.0.0.1:${port}${rest}`

/** Why there was no answer. */
const silenceOf = Effect.fnUntraced(function* (url: string, options: Partial<Options> = {}) {
  const { send } = yield* wireOf(options)
  const { silence } = yield* Effect.flip(send(asked(url)))
  return silence
})

describe("a request", () => {
  it.live(
    "is sent unchanged: only Host, User-Agent, Content-Length and Connection are added, and the path is not normalized",
    () =>
      Effect.gen(function* () {
        const seen: Array<readonly [url: string | undefined, headers: ReadonlyArray<string>, body: string]> = []
        const port = yield* listening(
          http.createServer((request, response) => {
            let body = ""
            request.setEncoding("utf8").on("data", (chunk: string) => {
              body += chunk
            })
            request.on("end", () => {
              seen.push([request.url, request.rawHeaders, body])
              response.end()
            })
          })
        )
        const { send } = yield* wireOf()
        const path = "/openapi/v1/../x//y/./%2e%2F?a=%2f;b&c=+#"
        const headers = [
          ["aCCept", "x"],
          ["X-Twice", "1"],
          ["X-Twice", "2"]
        ] as const
        yield* send(asked(plain(port, path), { method: "POST", headers, body: "é" }))
        yield* send(asked(plain(port, ""), { method: "DELETE" }))
        const [agent, kept] = [
          ["User-Agent", `wcs-conformance/${suiteVersion}`],
          ["Connection", "keep-alive"]
        ]
        const host = ["Host", `127.0.0.1:${port}`]
        assert.deepStrictEqual(seen, [
          [
            path,
            [...agent, "aCCept", "x", "X-Twice", "1", "X-Twice", "2", ...host, "Content-Length", "2", ...kept],
            "é"
          ],
          ["/", [...agent, ...host, ...kept], ""]
        ])
      })
  )
  it.live("is aborted with its socket when its caller is interrupted", () =>
    Effect.gen(function* () {
      const [reached, gone] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const port = yield* raw((socket) => {
        socket.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
        socket.on("data", () => Deferred.doneUnsafe(reached, Effect.void))
      })
      const { send } = yield* wireOf()
      const sending = yield* Effect.forkChild(send(asked(plain(port))))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(sending)
      yield* Deferred.await(gone)
    })
  )
})

describe("an answer", () => {
  it.live("is the first one: redirects are not followed", () =>
    Effect.gen(function* () {
      let calls = 0
      const port = yield* listening(
        http.createServer((_, response) => {
          calls += 1
          response.writeHead(302, { Location: "/elsewhere" }).end("over there")
        })
      )
      const { send } = yield* wireOf()
      const { headers, status, text } = yield* send(asked(plain(port)))
      assert.deepStrictEqual([status, headers["location"], text, calls], [302, "/elsewhere", "over there", 1])
    })
  )
  it.live("has its headers by lower-case name, with repeated ones joined", () =>
    Effect.gen(function* () {
      const port = yield* listening(
        http.createServer((_, response) => {
          response
            .writeHead(200, ["X-OWN", "1", "x-own", "2", "Set-Cookie", "a", "Set-Cookie", "b", "Date", "then"])
            .end()
        })
      )
      const { send } = yield* wireOf()
      const { headers } = yield* send(asked(plain(port)))
      assert.deepInclude(headers, { "x-own": "1, 2", "set-cookie": "a, b", date: "then" })
    })
  )
  it.live("is read as JSON for any content type, and as text when it is not JSON", () =>
    Effect.gen(function* () {
      const port = yield* listening(
        http.createServer(({ url }, response) => {
          response.writeHead(200, { "Content-Type": "text/html" }).end(url === "/json" ? '{"a":1}' : "<html>")
        })
      )
      const { send } = yield* wireOf()
      assert.deepInclude(yield* send(asked(plain(port, "/json"))), { text: '{"a":1}', json: { a: 1 } })
      assert.deepInclude(yield* send(asked(plain(port, "/page"))), { text: "<html>", json: undefined })
    })
  )
  it.live("is the last of several for one request, and never mixed with the next call's", () =>
    Effect.gen(function* () {
      const told = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      const port = yield* saying(told)
      const { send } = yield* wireOf()
      assert.deepInclude(yield* send(asked(plain(port))), { status: 200, text: "ok" })
    })
  )
  it.live("is complete when it ends with the connection", () =>
    Effect.gen(function* () {
      const port = yield* raw((socket) => socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nto the end")))
      const { send } = yield* wireOf()
      assert.deepInclude(yield* send(asked(plain(port))), { status: 200, text: "to the end" })
    })
  )
  it.live("of many calls uses few connections", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const port = yield* listening(
        http.createServer((request, response) => {
          ports.add(request.socket.remotePort)
          response.end()
        })
      )
      const { send } = yield* wireOf()
      for (let call = 0; call < 6; call += 1) yield* send(asked(plain(port)))
      assert.isAtMost(ports.size, 2) // one answers while the other returns to the pool
    })
  )
  it.live("can come from a host below localhost: at the address of the system, or else on this machine", () =>
    Effect.gen(function* () {
      const port = yield* listening(http.createServer((request, response) => response.end(request.headers.host)))
      const asking = Effect.fnUntraced(function* (host: string, lookup: LookupFunction) {
        const { send } = yield* wireOf({ lookup })
        return yield* send(asked(`http://${host}:${port}/`))
      })
      const notFound = Object.assign(new Error("not found"), { code: "ENOTFOUND" })
      const unknown: LookupFunction = (_, __, callback) => callback(notFound, "")
      const { text } = yield* asking("other.localhost", unknown)
      assert.strictEqual(text, `other.localhost:${port}`)
      assert.strictEqual((yield* Effect.flip(asking("other.test", unknown))).silence, "unknown host")
      // nobody listens at the address that the system knows
      const elsewhere: LookupFunction = (_, __, callback) => callback(null, [{ address: "127.0.0.2", family: 4 }])
      assert.strictEqual((yield* Effect.flip(asking("other.localhost", elsewhere))).silence, "refused")
    })
  )
  it.live("can come over TLS from a host outside DNS, with a configured issuer and address", () =>
    Effect.gen(function* () {
      const port = yield* listening(
        https.createServer({ cert: pem, key: pem }, (request, response) => response.end(request.headers.host))
      )
      const { send } = yield* wireOf({ ca: pem, resolve: { "tenant.invalid": "127.0.0.1" } })
      const { text } = yield* send(asked(`https://tenant.invalid:${port}/`))
      assert.strictEqual(text, `tenant.invalid:${port}`)
    })
  )
})

describe("the time before a request is written", () => {
  it.live("is not the deployment's: DNS is asked once, and may take longer than a call", () =>
    Effect.gen(function* () {
      const port = yield* listening(http.createServer((_, response) => response.end("well")))
      let lookups = 0
      const slow: LookupFunction = (_, __, callback) => {
        lookups += 1
        setTimeout(() => callback(null, [{ address: "127.0.0.1", family: 4 }]), 2500)
      }
      const { send } = yield* wireOf({ lookup: slow, secondsPerCall: 2 })
      const calls = Array.from({ length: 64 }, () => send(asked(`http://tenant.test:${port}/`)))
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.lengthOf(answers, 64)
      assert.strictEqual(lookups, 1)
    })
  )
})

describe("no answer", () => {
  const nobody = Effect.scoped(raw(() => undefined)) // a port that was just free

  it.live("refused: nothing listens", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* silenceOf(plain(yield* nobody)), "refused")
    })
  )
  it.live("unknown host: the name does not exist", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* silenceOf("http://nowhere.invalid/"), "unknown host")
    })
  )
  it.live("reset: the connection ends before the answer, or in its headers or body", () =>
    Effect.gen(function* () {
      const begun = ["", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"]
      for (const first of begun) {
        const port = yield* raw((socket) => socket.once("data", () => socket.write(first, () => socket.destroy())))
        assert.strictEqual(yield* silenceOf(plain(port)), "reset")
      }
    })
  )
  it.live("timeout: no answer starts, or it does not end", () =>
    Effect.gen(function* () {
      const secondsPerCall = 0.2
      const silent = yield* raw(() => undefined)
      assert.strictEqual(yield* silenceOf(plain(silent), { secondsPerCall }), "timeout")
      const dripping = yield* raw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        const drops = setInterval(() => socket.write("x"), 10)
        socket.on("close", () => clearInterval(drops))
      })
      assert.strictEqual(yield* silenceOf(plain(dripping), { secondsPerCall }), "timeout")
    })
  )
  it.live("too large: above the limit of a call, announced or not, compressed or not", () =>
    Effect.gen(function* () {
      const long = Buffer.alloc(maxAnswerBytes + 1, "x")
      const port = yield* listening(http.createServer((_, response) => response.end(long)))
      assert.strictEqual(yield* silenceOf(plain(port)), "too large")
      const packed = yield* listening(
        http.createServer((_, response) => response.setHeader("Content-Encoding", "gzip").end(gzipSync(long)))
      )
      assert.strictEqual(yield* silenceOf(plain(packed)), "too large")
      const { send } = yield* wireOf()
      const fits = yield* listening(http.createServer((_, response) => response.end(long.subarray(1))))
      assert.lengthOf((yield* send(asked(plain(fits)))).text, maxAnswerBytes)
    })
  )
  it.live("malformed: not HTTP, or not one unambiguous message", () =>
    Effect.gen(function* () {
      const told = [
        "220 mail.example ESMTP\r\n",
        "HTTP/1.1 200 OK\r\nno header\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot chunked\r\n",
        `HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`,
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok"
      ]
      for (const one of told) assert.strictEqual(yield* silenceOf(plain(yield* saying(one))), "malformed", one)
    })
  )
  it.live("tells an unknown issuer, a wrong host, an expired certificate and a missing client certificate apart", () =>
    Effect.gen(function* () {
      const port = yield* listening(https.createServer({ cert: pem, key: pem }, (_, response) => response.end()))
      assert.strictEqual(yield* silenceOf(`https://localhost:${port}/`), "unknown issuer")
      assert.strictEqual(yield* silenceOf(`https://127.0.0.1:${port}/`, { ca: pem }), "wrong host")
      const old = yield* listening(https.createServer({ cert: expired, key: expired }, (_, response) => response.end()))
      assert.strictEqual(yield* silenceOf(`https://localhost:${old}/`, { ca: expired }), "expired certificate")
      const open = yield* listening(http.createServer((_, response) => response.end()))
      assert.strictEqual(yield* silenceOf(`https://127.0.0.1:${open}/`), "tls")
      const mutual = { cert: pem, key: pem, ca: pem, requestCert: true, rejectUnauthorized: true }
      const known = yield* listening(https.createServer(mutual, (_, response) => response.end("known")))
      assert.strictEqual(yield* silenceOf(`https://localhost:${known}/`, { ca: pem }), "client certificate required")
      const { send } = yield* wireOf({ ca: pem, clientCertificate: { cert: pem, key: pem } })
      assert.strictEqual((yield* send(asked(`https://localhost:${known}/`))).text, "known")
    })
  )
  it("trusts a further issuer beside those that Node and the system know", () => {
    const issuers = issuersOf(pem)
    for (const store of ["default", "system"] as const)
      assert.includeMembers(
        [...issuers],
        getCACertificates(store).map((one) => one.trim())
      )
    assert.include(issuers, /-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----/.exec(pem)?.[0])
  })
  it.live("no connection: TLS is not set up in time, which says nothing about a call", () =>
    Effect.gen(function* () {
      const silent = yield* raw(() => undefined)
      assert.strictEqual(yield* silenceOf(`https://127.0.0.1:${silent}/`, { secondsPerCall: 0.1 }), "no connection")
      const closing = yield* raw((socket) => socket.destroy())
      assert.strictEqual(yield* silenceOf(`https://127.0.0.1:${closing}/`), "no connection")
    })
  )
  it.live("leaves the wire intact: the next call is answered", () =>
    Effect.gen(function* () {
      let calls = 0
      const port = yield* listening(
        http.createServer((_, response) => {
          calls += 1
          if (calls === 1) response.destroy()
          else response.end("well")
        })
      )
      const { send } = yield* wireOf()
      yield* Effect.flip(send(asked(plain(port))))
      assert.strictEqual((yield* send(asked(plain(port)))).text, "well")
    })
  )
})
