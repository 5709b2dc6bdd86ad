import { readFileSync } from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { sockets } from "@wcs/conformance/engine/Conformance"
import { forwarding } from "@wcs/conformance/network/Forwarding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"

const secret = "${CONF_API_KEY}"

const profile: Profile = {
  name: "behind a gateway",
  newer: { tenantBaseUrl: "https://gw.example", plainHttpUrl: "http://gw.example", pathPrefix: "/tenants/t1" },
  legacy: { baseUrl: "https://gw.example", pathPrefix: "/old" },
  principals: { admin: { token: "${CONF_ADMIN}" } },
  network: { headers: { "X-Api-Key": secret, "X-Plain": "as it is" } }
}

const forwarded = forwarding(profile, (text) => (text === secret ? "key" : text))

const asked = (url: string) => ({ method: "GET", url, headers: [["Accept", "*/*"]] as const, body: "" })

/** A server on a free port. */
const listening = (server: net.Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  )

describe("what a gateway wants", () => {
  it("is a path prefix of each surface, and headers", () => {
    const { headers, url } = forwarded(asked("https://gw.example/openapi/v1/workers?a=%2f"))
    assert.strictEqual(url, "https://gw.example/tenants/t1/openapi/v1/workers?a=%2f")
    assert.deepStrictEqual(headers, [
      ["Accept", "*/*"],
      ["X-Api-Key", "key"],
      ["X-Plain", "as it is"]
    ])
    assert.strictEqual(forwarded(asked("https://gw.example/api/users/me")).url, "https://gw.example/old/api/users/me")
  })

  it("is never sent to another host, nor in the clear", () => {
    for (const url of ["https://receiver.example/openapi/v1/x", "http://gw.example/openapi/v1/workers"]) {
      assert.deepStrictEqual(forwarded(asked(url)).headers, [["Accept", "*/*"]])
    }
  })

  it.live("may be a proxy of the environment, except for this machine and hosts with an address in the profile", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const proxy = http.createServer((request, response) => {
        seen.push(`${request.method} ${request.url}`)
        response.end("by proxy")
      })
      const target = yield* listening(http.createServer((_, response) => response.end("direct")))
      const environment = { HTTP_PROXY: `http://127.0.0.1:${yield* listening(proxy)}` }
      const tell = Effect.fnUntraced(function* (url: string, resolve: Record<string, string> = {}) {
        const told: Profile = { ...profile, newer: { tenantBaseUrl: url }, resolve }
        const sending = Wire.use(({ send }) => send(asked(`${url}/x`)))
        return (yield* Effect.provide(sending, sockets({ profile: told, environment }))).text
      })
      assert.strictEqual(yield* tell("http://far.example"), "by proxy")
      assert.strictEqual(yield* tell(`http://localhost:${target}`), "direct")
      assert.strictEqual(yield* tell(`http://t1.test:${target}`, { "t1.test": "127.0.0.1" }), "direct")
      assert.deepStrictEqual(seen, ["GET http://far.example/x"])
    }).pipe(Effect.scoped)
  )

  it.live("may be a proxy that tunnels TLS and sees no request, and may be unreachable", () =>
    Effect.gen(function* () {
      const pem = readFileSync(new URL("../fixtures/localhost.pem", import.meta.url), "utf8")
      const target = https.createServer({ cert: pem, key: pem }, ({ url }, response) => response.end(`direct ${url}`))
      const port = yield* listening(target)
      const seen: Array<string> = []
      const proxy = http.createServer((_, response) => response.writeHead(400).end())
      proxy.on("connect", (request, socket: net.Socket, head: Buffer) => {
        seen.push(`${request.method} ${request.url}`)
        const onward = net.connect(port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
          onward.write(head)
          onward.pipe(socket).pipe(onward)
        })
        for (const end of [socket, onward]) end.on("error", () => end.destroy())
      })
      const tell = (environment: Record<string, string>) => {
        const told: Profile = { ...profile, newer: { tenantBaseUrl: "https://tenant.invalid" } }
        const sending = Wire.use(({ send }) => send(asked("https://tenant.invalid/openapi/v1/workers")))
        return Effect.provide(sending, sockets({ profile: told, environment, ca: pem }))
      }
      const through = `http://127.0.0.1:${yield* listening(proxy)}`
      assert.strictEqual((yield* tell({ HTTPS_PROXY: through })).text, "direct /openapi/v1/workers")
      assert.deepStrictEqual(seen, ["CONNECT tenant.invalid:443"])
      const { silence } = yield* Effect.flip(tell({ HTTPS_PROXY: "http://127.0.0.1:1" }))
      assert.include(["refused", "no connection"], silence)
    }).pipe(Effect.scoped)
  )
})
