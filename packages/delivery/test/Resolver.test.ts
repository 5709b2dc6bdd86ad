import { createSocket } from "node:dgram"
import { assert, describe, it } from "@effect/vitest"
import * as Resolver from "@wcs/delivery/Resolver"
import { Effect } from "effect"

/** The answer of a DNS server: addresses of the family, "no such name", or nothing (RFC 1035). */
type Zone = (name: string, type: number) => ReadonlyArray<ReadonlyArray<number>> | "no such name" | "silence"

const nameIn = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"))
    at += length + 1
  }
  return { name: labels.join("."), end: at + 1 }
}

const answerTo = (query: Buffer, zone: Zone): Buffer | undefined => {
  const { end, name } = nameIn(query)
  const type = query.readUInt16BE(end)
  const found = zone(name, type)
  if (found === "silence") return undefined
  const addresses = found === "no such name" ? [] : found
  const head = Buffer.from(query.subarray(0, end + 4))
  head.writeUInt16BE(found === "no such name" ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, type >> 8, type & 255, 0, 1, 0, 0, 0, 60, 0, address.length, ...address])
  )
  return Buffer.concat([head, ...records])
}

/** A DNS server on a free port of this host. */
const served = (zone: Zone) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly at: string; readonly close: () => void }>((resume) => {
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => {
        const answer = answerTo(query, zone)
        if (answer !== undefined) socket.send(answer, port, address)
      })
      socket.bind(0, "127.0.0.1", () =>
        resume(Effect.succeed({ at: `127.0.0.1:${socket.address().port}`, close: () => socket.close() }))
      )
    }),
    ({ close }) => Effect.sync(close)
  )

const ipv4 = 1
const ipv6 = 28
const globalIpv6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]

describe("name resolution", () => {
  it.live("returns all addresses of both families, and fails for a name without any or without an answer", () =>
    Effect.gen(function* () {
      const { at } = yield* served((name, type) => {
        if (name === "both.example.com")
          return type === ipv4
            ? [
                [8, 8, 8, 8],
                [127, 0, 0, 1]
              ]
            : [globalIpv6]
        if (name === "six.example.com") return type === ipv6 ? [globalIpv6] : []
        if (name === "half.example.com") return type === ipv4 ? [[8, 8, 8, 8]] : "silence"
        return name === "silent.example.com" ? "silence" : "no such name"
      })
      const { resolve } = yield* Resolver.make([at])
      const asked = [
        "both.example.com",
        "six.example.com",
        "none.example.com",
        "silent.example.com",
        "half.example.com"
      ]
      const found = yield* Effect.forEach(asked, (name) => Effect.result(resolve(name)), { concurrency: "unbounded" })
      const [both, six, none, silent, half] = found.map((one) =>
        one._tag === "Success" ? one.success : one.failure._tag
      )
      assert.sameMembers([...(both ?? [])], ["8.8.8.8", "127.0.0.1", "2606:4700::1111"])
      assert.deepStrictEqual(six, ["2606:4700::1111"])
      assert.strictEqual(none, "NameNotFound")
      assert.strictEqual(silent, "NameNotFound")
      assert.deepStrictEqual(half, ["8.8.8.8"])
    }).pipe(Effect.scoped)
  )

  it.live("does not delay other names when a DNS server is silent", () =>
    Effect.gen(function* () {
      const { at } = yield* served((name, type) =>
        name.startsWith("silent") ? "silence" : type === ipv4 ? [[8, 8, 8, 8]] : []
      )
      const { resolve } = yield* Resolver.make([at])
      const order: Array<string> = []
      const ask = (name: string) =>
        Effect.ignore(resolve(name)).pipe(Effect.tap(() => Effect.sync(() => order.push(name))))
      const silent = Array.from({ length: 50 }, (_, index) => `silent-${index}.example.com`)
      yield* Effect.forEach([...silent, "good.example.com"], ask, { concurrency: "unbounded" })
      assert.strictEqual(order[0], "good.example.com")
      assert.lengthOf(order, 51)
    }).pipe(Effect.scoped)
  )

  it.live("resolves an internal name by the system", () =>
    Effect.gen(function* () {
      const { resolveInside } = yield* Resolver.make()
      const found = yield* resolveInside("localhost")
      assert.isTrue(found.includes("127.0.0.1") || found.includes("::1"))
      const missing = yield* Effect.result(resolveInside("no-such-name.invalid"))
      assert.strictEqual(missing._tag, "Failure")
    })
  )
})
