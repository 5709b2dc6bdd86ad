import * as http from "node:http"
import type * as net from "node:net"
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
})
