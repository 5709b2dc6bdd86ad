import { assert, describe, it } from "@effect/vitest"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import { insideHosts, noUrls, outsideHosts } from "./Hosts.ts"
import { answering, loopback, outbound, resolverOf, send } from "./Receivers.ts"

const check = (url: string) => AddressGuard.use((guard) => Effect.result(guard.check(url)))

const refused = { _tag: "Unanswered", fault: "ADDRESS_REFUSED" } as const
const noContent = "HTTP/1.1 204 No Content\r\n\r\n"

/** Names that lead to where nobody outside should reach: all of their addresses, or one among good ones. */
const traps = {
  "loopback.example.com": [["127.0.0.1"]],
  "metadata.example.com": [["169.254.169.254"]],
  "mapped.example.com": [["::ffff:127.0.0.1"]],
  "nat64.example.com": [["64:ff9b::7f00:1"]],
  "six.example.com": [["::1"]],
  "zone.example.com": [["fe80::1%lo"]],
  "one-of-many.example.com": [["8.8.8.8", "2606:4700::1111", "127.0.0.1"]],
  "nonsense.example.com": [["not an address"]]
}

describe("threat 14: what a webhook's URL may lead to when it is written, pinged or redriven", () => {
  it.live("hosts of the inside are refused in every spelling, whatever the scheme, port and path", () =>
    Effect.gen(function* () {
      for (const [host] of insideHosts) {
        for (const url of [`https://${host}/hook`, `http://${host}:8080/?a=b`, `HTTPS://${host}`]) {
          const judged = yield* check(url)
          assert.strictEqual(judged._tag, "Failure", url)
          if (judged._tag === "Failure") assert.strictEqual(judged.failure.field, "url")
        }
      }
    }).pipe(Effect.provide(outbound()))
  )

  it.live("addresses of the internet pass, and nobody is asked about them", () => {
    const resolver = resolverOf({})
    return Effect.gen(function* () {
      for (const host of outsideHosts) assert.strictEqual((yield* check(`https://${host}/`))._tag, "Success", host)
      assert.deepStrictEqual(resolver.asked, [])
    }).pipe(Effect.provide(outbound({ resolver: resolver.layer })))
  })

  it.live("what no parser reads as a URL is refused", () =>
    Effect.gen(function* () {
      for (const url of noUrls) assert.strictEqual((yield* check(url))._tag, "Failure", url)
    }).pipe(Effect.provide(outbound()))
  )

  it.live("a name is judged by every address it leads to, and what these are is not told", () =>
    Effect.gen(function* () {
      for (const name of Object.keys(traps)) {
        const judged = yield* check(`https://${name}/`)
        assert.strictEqual(judged._tag, "Failure", name)
        if (judged._tag === "Failure") assert.notMatch(judged.failure.reason, /\d/)
      }
    }).pipe(Effect.provide(outbound({ resolver: resolverOf(traps).layer })))
  )

  it.live("a name that leads nowhere yet is let pass, and one that leads to the internet", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* check("https://later.example.com/"))._tag, "Success")
      assert.strictEqual((yield* check("https://now.example.com/"))._tag, "Success")
    }).pipe(Effect.provide(outbound({ resolver: resolverOf({ "now.example.com": [["8.8.8.8"]] }).layer })))
  )
})

describe("threat 14: what an attempt reaches", () => {
  it.live("nothing reaches a server of this machine, by whatever address or name", () =>
    Effect.gen(function* () {
      const canary = yield* answering(noContent)
      const hosts = [...insideHosts.map(([host]) => host), ...Object.keys(traps)]
      const results = yield* Effect.forEach(hosts, (host) => send(`http://${host}:${canary.port}/`), {
        concurrency: 16
      })
      results.forEach((result, index) => {
        assert.deepStrictEqual(result, refused, hosts[index])
      })
      assert.strictEqual(canary.seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ resolver: resolverOf(traps).layer })))
  )

  it.live("a name that is rebound between its writing and an attempt is refused at the attempt", () => {
    const resolver = resolverOf({ "rebound.example.com": [["8.8.8.8"], ["127.0.0.1"]] })
    return Effect.gen(function* () {
      const canary = yield* answering(noContent)
      const url = `http://rebound.example.com:${canary.port}/`
      assert.strictEqual((yield* check(url))._tag, "Success")
      assert.deepStrictEqual(yield* send(url), refused)
      assert.strictEqual(canary.seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ resolver: resolver.layer })))
  })

  it.live("the address that was judged is the one connected to: a name is asked for once for a connection", () => {
    const resolver = resolverOf({ "rebound.example.com": [["127.0.0.1"], ["127.0.0.2"]] })
    return Effect.gen(function* () {
      const judged = yield* answering(noContent)
      assert.strictEqual((yield* send(`http://rebound.example.com:${judged.port}/`))._tag, "Answered")
      assert.deepStrictEqual(resolver.asked, ["rebound.example.com"])
      assert.strictEqual(judged.seen.connections, 1)
      assert.deepStrictEqual(yield* send(`http://rebound.example.com:${judged.port + 1}/`), refused)
    }).pipe(
      Effect.scoped,
      Effect.provide(outbound({ resolver: resolver.layer, allowed: [ipaddr.parseCIDR("127.0.0.1/32")] }))
    )
  })

  it.live("a redirect is an answer, and is not followed", () =>
    Effect.gen(function* () {
      const canary = yield* answering(noContent)
      for (const status of [301, 302, 303, 307, 308]) {
        const lure = yield* answering(
          `HTTP/1.1 ${status} Elsewhere\r\nLocation: http://127.0.0.1:${canary.port}/\r\nContent-Length: 0\r\n\r\n`
        )
        const result = yield* send(`http://127.0.0.1:${lure.port}/`)
        assert.strictEqual(result._tag === "Answered" ? result.status : 0, status)
      }
      assert.strictEqual(canary.seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback })))
  )

  it.live("plain HTTP is not spoken unless the deployment allows it", () =>
    Effect.gen(function* () {
      const canary = yield* answering(noContent)
      assert.deepStrictEqual(yield* send(`http://127.0.0.1:${canary.port}/`), refused)
      assert.strictEqual(canary.seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback, allowsHttp: false })))
  )

  it.live("what the deployment allows is reached, by address and by a name that leads inside", () =>
    Effect.gen(function* () {
      const receiver = yield* answering(noContent)
      for (const host of ["127.0.0.1", "2130706433", "receiver.internal"]) {
        const result = yield* send(`http://${host}:${receiver.port}/`)
        assert.strictEqual(result._tag === "Answered" ? result.status : 0, 204, host)
      }
      assert.deepStrictEqual(yield* send(`http://away.internal:${receiver.port}/`), refused)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        outbound({
          allowed: loopback,
          resolver: resolverOf({ "receiver.internal": [["127.0.0.1"]], "away.internal": [["8.8.8.8"]] }).layer
        })
      )
    )
  )
})
