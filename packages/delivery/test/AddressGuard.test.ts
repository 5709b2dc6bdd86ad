import { assert, describe, it } from "@effect/vitest"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import { insideHosts, noUrls, outsideHosts } from "./Hosts.ts"
import { answering, loopback, outbound, resolverOf, send } from "./Receivers.ts"

const check = (url: string) => AddressGuard.use((guard) => Effect.result(guard.check(url)))

const refused = { _tag: "Unanswered", fault: "ADDRESS_REFUSED" } as const
const noContent = "HTTP/1.1 204 No Content\r\n\r\n"

/** Names that resolve to internal addresses only, or to an internal one among global ones. */
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

describe("threat 14: the URL of a webhook, when it is written, pinged or redriven", () => {
  it.live("refuses internal hosts in every notation, with any scheme, port and path", () =>
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

  it.live("accepts global addresses without a DNS query", () => {
    const resolver = resolverOf({})
    return Effect.gen(function* () {
      for (const host of outsideHosts) assert.strictEqual((yield* check(`https://${host}/`))._tag, "Success", host)
      assert.deepStrictEqual(resolver.asked, [])
    }).pipe(Effect.provide(outbound({ resolver: resolver.layer })))
  })

  it.live("refuses text that is not a URL", () =>
    Effect.gen(function* () {
      for (const url of noUrls) assert.strictEqual((yield* check(url))._tag, "Failure", url)
    }).pipe(Effect.provide(outbound()))
  )

  it.live("judges a name by all of its addresses, and does not reveal them", () =>
    Effect.gen(function* () {
      for (const name of Object.keys(traps)) {
        const judged = yield* check(`https://${name}/`)
        assert.strictEqual(judged._tag, "Failure", name)
        if (judged._tag === "Failure") assert.notMatch(judged.failure.reason, /\d/)
      }
    }).pipe(Effect.provide(outbound({ resolver: resolverOf(traps).layer })))
  )

  it.live("accepts a name that does not resolve yet, and one that resolves to a global address", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* check("https://later.example.com/"))._tag, "Success")
      assert.strictEqual((yield* check("https://now.example.com/"))._tag, "Success")
    }).pipe(Effect.provide(outbound({ resolver: resolverOf({ "now.example.com": [["8.8.8.8"]] }).layer })))
  )
})

describe("threat 14: the address of an attempt", () => {
  it.live("reaches no server on this machine, by any address or name", () =>
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

  it.live("refuses a name that was rebound after the webhook was written", () => {
    const resolver = resolverOf({ "rebound.example.com": [["8.8.8.8"], ["127.0.0.1"]] })
    return Effect.gen(function* () {
      const canary = yield* answering(noContent)
      const url = `http://rebound.example.com:${canary.port}/`
      assert.strictEqual((yield* check(url))._tag, "Success")
      assert.deepStrictEqual(yield* send(url), refused)
      assert.strictEqual(canary.seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ resolver: resolver.layer })))
  })

  it.live("connects to the checked address, and resolves a name once per connection", () => {
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

  it.live("does not follow a redirect", () =>
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

  it.live("does not use plain HTTP unless the deployment allows it", () =>
    Effect.gen(function* () {
      const canary = yield* answering(noContent)
      assert.deepStrictEqual(yield* send(`http://127.0.0.1:${canary.port}/`), refused)
      assert.strictEqual(canary.seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(outbound({ allowed: loopback, allowsHttp: false })))
  )

  it.live("reaches allowed addresses, directly and by an internal name", () =>
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
