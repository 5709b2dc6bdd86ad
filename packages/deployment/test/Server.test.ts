import { hostname } from "node:os"
import { assert, describe, it, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Option, Redacted } from "effect"
import { type Ask, ask, exchange } from "./listening/Wire.ts"
import { bearer, call, certificateFile, server, superAdmin } from "./TestServer.ts"

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Requests with the keys of each surface's error form. */
const plainRequests: ReadonlyArray<Omit<Ask, "url"> & { readonly path: string; readonly keys: Array<string> }> = [
  { path: "/openapi/v1/workers", keys: ["error"] },
  {
    path: "/openapi/v1/oauth/token",
    method: "POST",
    body: "grant_type=client_credentials",
    keys: ["error", "error_description"]
  },
  { path: "/api/users/me", keys: ["status", "message", "field"] },
  { path: "/openapi.json", keys: ["error"] }
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

    it.effect("TRN-01, TRN-02, threat 38: plain HTTP is 400 on both ports, with a good token too", () =>
      Effect.gen(function* () {
        const { plainPort, port } = yield* Serving
        const token = yield* superAdmin
        // The control: the same token is valid over TLS.
        assert.strictEqual((yield* call("/openapi/v1/workers", { headers: bearer(token) })).status, 200)
        for (const plain of [port, Option.getOrThrow(plainPort)]) {
          for (const { keys, path, ...options } of plainRequests) {
            const reply = yield* ask({ ...options, url: `http://127.0.0.1:${plain}${path}`, headers: bearer(token) })
            assert.deepStrictEqual([path, reply.status, reply.headers.connection], [path, 400, "close"])
            assert.isUndefined(reply.headers.location)
            assert.match(String(reply.headers["x-request-id"]), ulid)
            assert.include(reply.text, "HTTPS is required")
            assert.deepStrictEqual(Object.keys(JSON.parse(reply.text)), keys, path)
          }
        }
      })
    )

    it.effect("TRN-05: a request with no or several hosts is 400 on both ports; HTTP/1.0 may omit the host", () =>
      Effect.gen(function* () {
        const { plainPort, port } = yield* Serving
        const ca = yield* certificateFile
        const { authorization } = bearer(yield* superAdmin)
        const [one, two] = ["Host: localhost\r\n", "Host: localhost\r\nhost: b.example\r\n"]
        const plain = Option.getOrThrow(plainPort)
        for (const [version, hosts, isPlain, expected] of [
          ["1.1", one, false, "200"], // the control
          ["1.1", "", false, "400 BAD_REQUEST"],
          ["1.1", "", true, "400 BAD_REQUEST"],
          ["1.1", one + one, false, "400 BAD_REQUEST"],
          ["1.1", two, true, "400 BAD_REQUEST"],
          ["1.0", "", false, "404 NOT_FOUND"],
          ["1.1", "Host:\r\n", false, "404 NOT_FOUND"]
        ] as const) {
          const lines = `GET /openapi/v1/workers HTTP/${version}\r\n${hosts}Authorization: ${authorization}\r\n`
          const answer = yield* exchange(
            isPlain ? plain : port,
            `${lines}Connection: close\r\n\r\n`,
            isPlain ? undefined : ca
          )
          const [head = "", body = "{}"] = answer.split("\r\n\r\n")
          const { code } = JSON.parse(body).error ?? {}
          assert.strictEqual([head.slice(9, 12), code ?? []].flat().join(" "), expected, hosts)
          assert.match(head, /\r\nconnection: close(\r\n|$)/i)
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
  }
)

layer(server({}), { excludeTestServices: true })("the set-up page (threat 33)", (it) => {
  it.effect("needs its token, creates the admin with a token, then disappears", () =>
    Effect.gen(function* () {
      const { port, setUpToken } = yield* Serving
      const path = `/setup/${Redacted.value(Option.getOrThrow(setUpToken))}`
      const post = (where: string, email: string) =>
        call(where, {
          method: "POST",
          body: `email=${encodeURIComponent(email)}`,
          headers: { "content-type": "application/x-www-form-urlencoded" }
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

      const made = yield* post(path, "ann@example.com")
      const { token } = JSON.parse(made.text)
      assert.strictEqual(made.status, 201)
      assert.strictEqual((yield* call("/openapi/v1/workers", { headers: bearer(token) })).status, 200)
      isNowhere(yield* call(path))
      isNowhere(yield* post(path, "eve@example.com"))
    })
  )
})

it.live("the set-up page shows a browser the token as a page, of JSON too", () =>
  Effect.gen(function* () {
    const { setUpToken } = yield* Serving
    const shown = yield* call(`/setup/${Redacted.value(Option.getOrThrow(setUpToken))}`, {
      method: "POST",
      body: JSON.stringify({ email: "ann@example.com" }),
      headers: { "content-type": "application/json", accept: "text/html,*/*" }
    })
    assert.deepStrictEqual([shown.status, shown.headers["content-type"]], [200, "text/html; charset=utf-8"])
    assert.match(shown.text, /<code>wcs_pat_[0-9A-Za-z]{42}<\/code>/)
  }).pipe(Effect.provide(server({})))
)

layer(server({}), { excludeTestServices: true })("the set-up page with a password", (it) => {
  it.effect("lets one of two concurrent posts create the first Super Admin, who then enrols an app (threat 33)", () =>
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
      const emails = [good.email, "Bob@example.com"]
      const claims = yield* Effect.forEach(emails, (email) => send(path, { ...good, email }, {}), {
        concurrency: "unbounded"
      })
      assert.sameMembers(
        claims.map(({ status }) => status),
        [303, 404]
      )
      const done = claims.find(({ status }) => status === 303) ?? assert.fail()
      const claimed = emails[claims.indexOf(done)]?.toLowerCase() ?? ""
      assert.strictEqual(done.headers["location"], "/login/enrol")
      assert.strictEqual((yield* call(path)).status, 404)
      assert.strictEqual((yield* send(path, good, {})).status, 404)
      const cookies = [done.headers["set-cookie"] ?? []].flat().map((line) => line.split(";")[0] ?? "")
      const { port } = yield* Serving
      const half = cookies.find((cookie) => cookie.startsWith(`__Host-wcs-login-${port}=`)) ?? assert.fail()
      const ours = { "sec-fetch-site": "same-origin", origin: `https://localhost:${port}`, cookie: half }
      assert.match((yield* send("/login/enrol", {}, ours)).text, /<code>[A-Z2-7]{32}<\/code>/)
      const [tenant] = yield* AccessStore.use((store) => store.listTenants)
      const users = yield* UserStore.use((store) => store.list(tenant?.id ?? "", 0, 10))
      assert.deepStrictEqual(
        users.map(({ account }) => [account.email, account.role]),
        [[claimed, "Super Admin"]]
      )
    })
  )
})

layer(server({ WCS_PLAIN_PORT: "0", WCS_TRUSTED_PROXIES: "127.0.0.1" }), { excludeTestServices: true })(
  "a server that terminates TLS itself, behind a trusted proxy",
  (it) => {
    it.effect("TRN-01, threat 38: plain HTTP is 400 on both ports, even if proxy headers say HTTPS", () =>
      Effect.gen(function* () {
        const { plainPort, port } = yield* Serving
        const as = (proto: string, token: string) => ({ ...bearer(token), "x-forwarded-proto": proto })
        const token = yield* superAdmin
        const workers = "/openapi/v1/workers"
        assert.strictEqual((yield* call(workers, { headers: as("https", token) })).status, 200)
        // It reached the proxy in plain, though the proxy uses TLS.
        assert.strictEqual((yield* call(workers, { headers: as("http", token) })).status, 400)
        for (const plain of [port, Option.getOrThrow(plainPort)]) {
          const reply = yield* ask({ url: `http://127.0.0.1:${plain}${workers}`, headers: as("https", token) })
          assert.deepStrictEqual([reply.status, reply.text.includes("HTTPS is required")], [400, true])
        }
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

  it.effect("serves what the proxy marks as HTTPS, and tells browsers to use it only (RFC 6797)", () =>
    Effect.gen(function* () {
      const token = bearer(yield* superAdmin)
      for (const [headers, status, strict] of [
        [{ ...token, "x-forwarded-proto": "https" }, 200, "max-age=31536000"],
        [{ ...token, "x-forwarded-proto": "http" }, 400, undefined],
        [token, 400, undefined]
      ] as const) {
        const reply = yield* through(headers)
        assert.deepStrictEqual([reply.status, reply.headers["strict-transport-security"]], [status, strict])
      }
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

  it.live("is refused with a port that is taken, in one sentence that names the variable", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      for (const name of ["WCS_PORT", "WCS_PLAIN_PORT", "WCS_ADMIN_PORT"]) {
        const refused = yield* Effect.flip(Effect.provide(Serving, server({ [name]: String(port) }), { local: true }))
        assert.strictEqual(refused.message, `${name} must be a free port, but ${port} is in use by another program.`)
      }
    }).pipe(Effect.provide(server({})))
  )
})
