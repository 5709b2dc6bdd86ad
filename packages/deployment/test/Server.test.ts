import { readFileSync, statSync } from "node:fs"
import { request as requestHttps } from "node:https"
import { hostname } from "node:os"
import { assert, describe, it, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { DataDirectory } from "@wcs/deployment/stores/DataDirectory"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import * as Totp from "@wcs/keys/Totp"
import { Clock, Effect, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Ask, ask, exchange, type Reply } from "./listening/Wire.ts"
import { bearer, call, certificateFile, server, superAdmin } from "./TestServer.ts"

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Every form of plain HTTP: both surfaces, methods, a token, a form. */
const plainRequests: ReadonlyArray<Omit<Ask, "url"> & { readonly path: string }> = [
  { path: "/openapi/v1/workers" },
  { path: "/openapi/v1/workers", method: "POST", body: "{}", headers: { "content-type": "application/json" } },
  { path: "/openapi/v1/oauth/token", method: "POST", body: "grant_type=client_credentials" },
  { path: "/api/users/me" },
  { path: "/openapi.json" },
  { path: "/" }
]

layer(server({ WCS_PLAIN_PORT: "0" }), { excludeTestServices: true })(
  "a server with a certificate of its own",
  (it) => {
    it.effect("answers over TLS, on every name of its certificate", () =>
      Effect.gen(function* () {
        const { port } = yield* Serving
        const headers = bearer(yield* superAdmin)
        for (const host of ["localhost", "127.0.0.1"]) {
          const url = `https://${host}:${port}/openapi/v1/workers`
          assert.strictEqual((yield* ask({ url, headers, ca: yield* certificateFile })).status, 200)
        }
      })
    )

    for (const { path, ...options } of plainRequests) {
      const { method = "GET" } = options
      it.effect(`TRN-01, TRN-02, threat 38: plain ${method} ${path} is 400 on both ports, with a good token too`, () =>
        Effect.gen(function* () {
          const { plainPort, port } = yield* Serving
          const token = yield* superAdmin
          // The control: the same token is valid over TLS.
          assert.strictEqual((yield* call("/openapi/v1/workers", { headers: bearer(token) })).status, 200)
          for (const plain of [port, Option.getOrThrow(plainPort)]) {
            const url = `http://127.0.0.1:${plain}${path}`
            const reply = yield* ask({ ...options, url, headers: { ...options.headers, ...bearer(token) } })
            assert.strictEqual(reply.status, 400)
            assert.isUndefined(reply.headers.location)
            assert.strictEqual(reply.headers.connection, "close")
            assert.match(String(reply.headers["x-request-id"]), ulid)
            assert.include(reply.text, "HTTPS is required")
            assert.notInclude(reply.text, "data")
          }
        })
      )
    }

    it.effect("answers malformed HTTP and oversized headers in JSON with a request id, and closes", () =>
      Effect.gen(function* () {
        const { port } = yield* Serving
        const ca = yield* certificateFile
        const large = `GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"a".repeat(17 * 1024)}\r\n\r\n`
        const table: ReadonlyArray<readonly [bytes: string, ca: string | undefined, status: number, code: string]> = [
          ["NONSENSE\r\n\r\n", undefined, 400, "BAD_REQUEST"],
          ["NONSENSE\r\n\r\n", ca, 400, "BAD_REQUEST"],
          ["GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", ca, 400, "BAD_REQUEST"],
          [
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
            ca,
            400,
            "BAD_REQUEST"
          ],
          [large, ca, 431, "HEADERS_TOO_LARGE"],
          [large, undefined, 431, "HEADERS_TOO_LARGE"]
        ]
        for (const [bytes, authority, status, code] of table) {
          const [head = "", body = ""] = (yield* exchange(port, bytes, authority)).split("\r\n\r\n")
          assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
          assert.match(head, /\r\ncontent-type: application\/json\r\n/i)
          const { error } = JSON.parse(body)
          assert.strictEqual(error.code, code)
          assert.match(error.requestId, ulid)
          assert.match(head, new RegExp(`\r\nx-request-id: ${error.requestId}(\r\n|$)`, "i"))
          assert.notInclude(body, "at ") // no stack trace
        }
      })
    )

    it.effect("TRN-05: a request with no or several hosts is 400 in the shape of its surface, on both ports", () =>
      Effect.gen(function* () {
        const { plainPort, port } = yield* Serving
        const ca = yield* certificateFile
        const { authorization } = bearer(yield* superAdmin)
        const ports = [
          [port, ca],
          [port, undefined],
          [Option.getOrThrow(plainPort), undefined]
        ] as const
        const ask = (on: number, authority: string | undefined, path: string, version: string, hosts: string) =>
          Effect.map(
            exchange(
              on,
              `GET ${path} HTTP/${version}\r\n${hosts}Authorization: ${authorization}\r\nConnection: close\r\n\r\n`,
              authority
            ),
            (text) => {
              const [head = "", body = "{}"] = text.split("\r\n\r\n")
              return { head, json: JSON.parse(body) }
            }
          )
        const path = "/openapi/v1/workers"
        // The control: with one host the same request is served.
        assert.match((yield* ask(port, ca, path, "1.1", "Host: localhost\r\n")).head, /^HTTP\/1\.1 200 /)
        for (const [on, authority] of ports) {
          for (const hosts of [
            "",
            "Host: localhost\r\nHost: localhost\r\n",
            "Host: localhost\r\nhost: b.example\r\n"
          ]) {
            const { head, json } = yield* ask(on, authority, path, "1.1", hosts)
            assert.match(head, /^HTTP\/1\.1 400 /)
            assert.match(head, /\r\nconnection: close(\r\n|$)/i)
            assert.strictEqual(json.error.code, "BAD_REQUEST")
            assert.match(head, new RegExp(`\r\nx-request-id: ${json.error.requestId}(\r\n|$)`, "i"))
            const { json: atToken } = yield* ask(on, authority, "/openapi/v1/oauth/token", "1.1", hosts)
            assert.hasAllKeys(atToken, ["error", "error_description"])
          }
        }
        // HTTP/1.0 may omit the host, and an empty one is unknown.
        for (const [version, hosts] of [
          ["1.0", ""],
          ["1.1", "Host:\r\n"]
        ] as const) {
          assert.strictEqual((yield* ask(port, ca, path, version, hosts)).json.error.code, "NOT_FOUND")
        }
      })
    )

    it.effect("handles an upgrade and an unknown expectation like other requests", () =>
      Effect.gen(function* () {
        const headers = bearer(yield* superAdmin)
        const upgrade = { ...headers, connection: "Upgrade", upgrade: "h2c" }
        assert.strictEqual((yield* call("/openapi/v1/workers", { headers: upgrade })).status, 200)
        const expecting = { ...headers, expect: "the-unexpected" }
        assert.strictEqual((yield* call("/openapi/v1/workers", { headers: expecting })).status, 200)
      })
    )

    it.effect("requests a body that waits for 100 Continue", () =>
      Effect.gen(function* () {
        const { port } = yield* Serving
        const ca = readFileSync(yield* certificateFile)
        const token = yield* superAdmin
        const body = JSON.stringify({ identity: { displayName: "Ann" } })
        const status = yield* Effect.promise(
          () =>
            new Promise<number | undefined>((resolve, reject) => {
              const headers = {
                ...bearer(token),
                expect: "100-continue",
                "content-type": "application/json",
                "content-length": String(Buffer.byteLength(body))
              }
              const url = `https://localhost:${port}/openapi/v1/workers`
              const request = requestHttps(url, { method: "POST", headers, ca, agent: false })
              request.once("continue", () => request.end(body))
              request.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject)
              request.flushHeaders()
            })
        )
        assert.strictEqual(status, 201)
      })
    )

    it.effect("threat 26: ignores X-Forwarded-For and X-Forwarded-Proto of an untrusted peer", () =>
      Effect.gen(function* () {
        const { port } = yield* Serving
        const spoofed = (hop: number) => ({ "x-forwarded-for": `198.51.100.${hop}`, "x-forwarded-proto": "https" })
        const remaining = yield* Effect.forEach([1, 2, 3], (hop) =>
          Effect.map(call("/openapi/v1/workers", { headers: spoofed(hop) }), ({ headers, status }) => {
            assert.strictEqual(status, 401)
            return Number(headers["x-ratelimit-remaining"])
          })
        )
        // Three claimed addresses count as the real one.
        const [first = 0] = remaining
        assert.deepStrictEqual(remaining, [first, first - 1, first - 2])
        const plain = yield* ask({ url: `http://127.0.0.1:${port}/openapi/v1/workers`, headers: spoofed(4) })
        assert.strictEqual(plain.status, 400)
      })
    )

    it.effect("reports liveness, readiness and metrics at the admin port, and serves no surface there", () =>
      Effect.gen(function* () {
        const { adminPort } = yield* Serving
        const at = (path: string, method = "GET") => ask({ url: `http://127.0.0.1:${adminPort}${path}`, method })
        yield* call("/openapi.json")
        assert.strictEqual((yield* at("/livez")).status, 200)
        assert.strictEqual((yield* at("/readyz")).status, 200)
        const metrics = yield* at("/metrics")
        assert.match(String(metrics.headers["content-type"]), /^text\/plain; version=0\.0\.4/)
        assert.isUndefined((yield* call("/openapi.json")).headers["strict-transport-security"])
        assert.match(metrics.text, /^wcs_http_requests_total\{method="GET",status="200"\} [1-9]\d*$/m)
        assert.match(metrics.text, /^wcs_http_request_duration_seconds_count [1-9]\d*$/m)
        const named = (host: string) => ask({ url: `http://127.0.0.1:${adminPort}/metrics`, headers: { host } })
        for (const host of [
          "LOCALHOST",
          `localhost:${adminPort}`,
          "[::1]:8444",
          "localhost.",
          "192.0.2.1",
          hostname()
        ]) {
          assert.strictEqual((yield* named(host)).status, 200, host)
        }
        for (const host of ["rebound.example", "localhost.rebound.example", "x"]) {
          const refused = yield* named(host)
          assert.deepStrictEqual([refused.status, refused.text.includes("wcs_")], [421, false], host)
        }
        assert.strictEqual((yield* at("/openapi/v1/workers")).status, 404)
        assert.strictEqual((yield* at("/livez", "POST")).status, 405)
        assert.strictEqual((yield* call("/metrics")).status, 404)
      })
    )

    it.effect("creates the administrator's socket for its owner only", () =>
      Effect.gen(function* () {
        const { socketFile } = yield* DataDirectory
        assert.strictEqual(statSync(socketFile).mode & 0o777, 0o600)
        assert.isTrue(statSync(socketFile).isSocket())
      })
    )
  }
)

layer(server({}), { excludeTestServices: true })("the set-up page (threat 33)", (it) => {
  it.effect("needs its token, lets one of two concurrent posts create the admin, then disappears", () =>
    Effect.gen(function* () {
      const { port, setUpToken } = yield* Serving
      const path = `/setup/${Redacted.value(Option.getOrThrow(setUpToken))}`
      const post = (where: string, email: string, headers: Readonly<Record<string, string>> = {}) =>
        call(where, {
          method: "POST",
          body: `email=${encodeURIComponent(email)}`,
          headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
        })
      const nowhere = yield* call("/nowhere")
      const isNowhere = (reply: typeof nowhere) => {
        const withoutId = ({ text }: typeof nowhere) => text.replace(/"requestId":"\w+"/, "")
        assert.strictEqual(reply.status, 404)
        assert.strictEqual(withoutId(reply), withoutId(nowhere))
      }
      isNowhere(yield* call("/setup"))
      isNowhere(yield* call("/setup/"))
      isNowhere(yield* call("/setup/wrong"))
      isNowhere(yield* post("/setup/wrong", "eve@example.com"))
      isNowhere(yield* call(path, { method: "DELETE" }))
      const plain = yield* ask({ url: `http://127.0.0.1:${port}${path}` })
      assert.strictEqual(plain.status, 400)

      const form = yield* call(path)
      assert.strictEqual(form.status, 200)
      assert.match(form.text, /<form method="post">/)
      assert.strictEqual(form.headers["referrer-policy"], "no-referrer")
      assert.strictEqual(form.headers["cache-control"], "no-store")
      for (const [email, status, code] of [
        ["nobody", 400, "INVALID_ARGUMENT"],
        ["x".repeat(5000), 413, "PAYLOAD_TOO_LARGE"]
      ] as const) {
        const refused = yield* post(path, email)
        assert.deepStrictEqual([refused.status, JSON.parse(refused.text).error.code], [status, code])
        assert.strictEqual(JSON.parse(refused.text).error.requestId, refused.headers["x-request-id"])
        assert.strictEqual(refused.headers["referrer-policy"], "no-referrer")
      }

      const replies = yield* Effect.all([post(path, "ann@example.com"), post(path, "bob@example.com")], {
        concurrency: "unbounded"
      })
      assert.sameMembers(
        replies.map(({ status }) => status),
        [201, 404]
      )
      const { token } = JSON.parse(replies.find(({ status }) => status === 201)?.text ?? "{}")
      assert.strictEqual((yield* call("/openapi/v1/workers", { headers: bearer(token) })).status, 200)
      isNowhere(yield* call(path))
      isNowhere(yield* post(path, "eve@example.com"))
    })
  )
})

layer(server({}), { excludeTestServices: true })("the set-up page with a password", (it) => {
  it.effect("creates the first Super Admin, enrols the app, and logs in (threat 33)", () =>
    Effect.gen(function* () {
      const { setUpToken } = yield* Serving
      const path = `/setup/${Redacted.value(Option.getOrThrow(setUpToken))}`
      const send = (where: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) =>
        call(where, {
          method: "POST",
          body: new URLSearchParams(form).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html", ...headers }
        })
      const good = { email: "Ann@example.com", password: "correct horse battery staple" }
      const short = yield* send(path, { ...good, password: "short" }, {})
      assert.deepStrictEqual([short.status, JSON.parse(short.text).error.code], [400, "INVALID_ARGUMENT"])
      const done = yield* send(path, good, {})
      assert.deepStrictEqual([done.status, done.headers["location"]], [303, "/login/enrol"])
      assert.strictEqual((yield* call(path)).status, 404)
      assert.strictEqual((yield* send(path, good, {})).status, 404)
      const cookieOf = (reply: typeof done, name: string) =>
        [reply.headers["set-cookie"]]
          .flat()
          .find((line) => line?.startsWith(`${name}=`))
          ?.split(";")[0] ?? ""
      const { port } = yield* Serving
      const ours = { "sec-fetch-site": "same-origin", origin: `https://localhost:${port}` }
      const half = { ...ours, cookie: cookieOf(done, `__Host-wcs-login-${port}`) }
      const page = yield* send("/login/enrol", {}, half)
      const seed = Redacted.make(/<code>([A-Z2-7]{32})<\/code>/.exec(page.text)?.[1] ?? "")
      const now = yield* Clock.currentTimeMillis
      const totp = yield* Effect.provide(Totp.make, SecureRandom.layerWebCrypto)
      const confirmed = yield* send("/login/confirm", { code: totp.codeAt(seed, stepOf(now)) }, half)
      assert.strictEqual(confirmed.status, 200, confirmed.text)
      const cookie = cookieOf(confirmed, `__Host-wcs-${port}`)
      const me = yield* call("/openapi/v1/me", {
        headers: { cookie, "x-wcs-console": "1", "sec-fetch-site": "same-origin" }
      })
      assert.strictEqual(me.status, 200, me.text)
      const { email, role } = JSON.parse(me.text).data
      assert.deepStrictEqual([email, role], ["ann@example.com", "Super Admin"])
    })
  )
})

layer(server({}), { excludeTestServices: true })("the set-up page in a browser", (it) => {
  it.effect("shows the token as a page", () =>
    Effect.gen(function* () {
      const { setUpToken } = yield* Serving
      const reply = yield* call(`/setup/${Redacted.value(Option.getOrThrow(setUpToken))}`, {
        method: "POST",
        body: JSON.stringify({ email: "ann@example.com" }),
        headers: { "content-type": "application/json", accept: "text/html,*/*" }
      })
      assert.match(String(reply.headers["content-type"]), /^text\/html/)
      assert.match(reply.text, /<code>wcs_pat_[0-9A-Za-z]{42}<\/code>/)
    })
  )
})

layer(server({ WCS_PLAIN_PORT: "0", WCS_TRUSTED_PROXIES: "127.0.0.1" }), { excludeTestServices: true })(
  "a server that terminates TLS itself, behind a trusted proxy",
  (it) => {
    it.effect("TRN-01, TRN-02, threat 38: plain HTTP is 400 on both ports, even if proxy headers say HTTPS", () =>
      Effect.gen(function* () {
        const { plainPort, port } = yield* Serving
        const headers = { ...bearer(yield* superAdmin), "x-forwarded-proto": "https" }
        assert.strictEqual((yield* call("/openapi/v1/workers", { headers })).status, 200)
        for (const plain of [port, Option.getOrThrow(plainPort)]) {
          const reply = yield* ask({ url: `http://127.0.0.1:${plain}/openapi/v1/workers`, headers })
          assert.strictEqual(reply.status, 400)
          assert.include(reply.text, "HTTPS is required")
        }
      })
    )

    it.effect("TRN-01: refuses a request that reached the proxy in plain, though the proxy uses TLS", () =>
      Effect.gen(function* () {
        const headers = { ...bearer(yield* superAdmin), "x-forwarded-proto": "http" }
        assert.strictEqual((yield* call("/openapi/v1/workers", { headers })).status, 400)
      })
    )
  }
)

const behindProxy = { WCS_TLS: "proxy", WCS_TRUSTED_PROXIES: "127.0.0.1" }

layer(server(behindProxy), { excludeTestServices: true })("a server behind a proxy", (it) => {
  const through = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>>) {
    const { port } = yield* Serving
    return yield* ask({ url: `http://127.0.0.1:${port}/openapi/v1/workers`, headers })
  })

  it.effect("serves requests that the proxy marks as HTTPS, and refuses all others", () =>
    Effect.gen(function* () {
      const token = yield* superAdmin
      assert.strictEqual((yield* through({ ...bearer(token), "x-forwarded-proto": "https" })).status, 200)
      assert.strictEqual((yield* through({ ...bearer(token), "x-forwarded-proto": "http" })).status, 400)
      assert.strictEqual((yield* through(bearer(token))).status, 400)
    })
  )

  it.effect("tells browsers to use HTTPS only, on encrypted connections (RFC 6797)", () =>
    Effect.gen(function* () {
      const strictOf = (reply: Reply) => reply.headers["strict-transport-security"]
      assert.strictEqual(strictOf(yield* through({ "x-forwarded-proto": "https" })), "max-age=31536000")
      assert.isUndefined(strictOf(yield* through({ "x-forwarded-proto": "http" })))
    })
  )

  it.effect(
    "threat 26: counts by the right-most address that is not a proxy, and ignores the addresses before it",
    () =>
      Effect.gen(function* () {
        const remainingOf = (forwardedFor: string) =>
          Effect.map(through({ "x-forwarded-proto": "https", "x-forwarded-for": forwardedFor }), ({ headers }) =>
            Number(headers["x-ratelimit-remaining"])
          )
        const first = yield* remainingOf("198.51.100.1")
        assert.strictEqual(yield* remainingOf("1.2.3.4, 198.51.100.1"), first - 1)
        assert.strictEqual(yield* remainingOf("5.6.7.8, 198.51.100.1, 127.0.0.1"), first - 2)
        assert.strictEqual(yield* remainingOf("198.51.100.2"), first)
      })
  )
})

describe("a server with an address of another machine", () => {
  for (const [name, environment, reason] of [
    ["WCS_HOST", { WCS_HOST: "192.0.2.1" }, "address not available"],
    ["WCS_ADMIN_HOST", { WCS_ADMIN_HOST: "192.0.2.1" }, "address not available"],
    ["WCS_HOST", { WCS_HOST: "nobody.invalid" }, "[a-z ]+"]
  ] as const) {
    it.live(`is refused in one sentence that names ${name}, and ${Object.values(environment)}`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(Effect.provide(Serving, server(environment), { local: true }))
        const [host] = Object.values(environment)
        const expected = `^${name} must be an address of this machine, but listening on ${host} failed: ${reason}\\.$`
        assert.match(message, new RegExp(expected))
      })
    )
  }

  it.live("accepts an IPv6 address in brackets", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const reply = yield* ask({ url: `https://[::1]:${port}/openapi.json`, ca: yield* certificateFile })
      assert.strictEqual(reply.status, 200)
    }).pipe(Effect.provide(server({ WCS_HOST: "[::1]" })))
  )
})

describe("a server whose port is taken", () => {
  it.live("is refused in one sentence that names the variable", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      for (const name of ["WCS_PORT", "WCS_PLAIN_PORT", "WCS_ADMIN_PORT"]) {
        const refused = yield* Effect.flip(Effect.provide(Serving, server({ [name]: String(port) }), { local: true }))
        assert.strictEqual(refused.message, `${name} must be a free port, but ${port} is in use by another program.`)
      }
    }).pipe(Effect.provide(server({})))
  )
})
