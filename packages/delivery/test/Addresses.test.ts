import { assert, describe, it } from "@effect/vitest"
import { isAdmitted, judge, type Range } from "@wcs/delivery/Addresses"
import * as fc from "fast-check"
import ipaddr from "ipaddr.js"
import { insideHosts, outsideHosts } from "./Hosts.ts"

const hostOf = (host: string): string => new URL(`https://${host}/`).hostname
const range = (text: string): Range => ipaddr.parseCIDR(text)

describe("public and internal addresses", () => {
  it.each(insideHosts)("%s is refused: %s", (host) => {
    assert.isTrue(judge(hostOf(host), []).isRefused)
  })

  it.each(outsideHosts)("%s is allowed", (host) => {
    assert.isFalse(judge(hostOf(host), []).isRefused)
  })

  it("leaves public names to the resolver", () => {
    for (const name of ["example.com", "hooks.example.com.", "internal.example.com", "localhost.example.com"]) {
      assert.isFalse(judge(hostOf(name), []).isRefused, name)
    }
  })

  it("refuses an address with a zone, and text that is not an address", () => {
    for (const text of ["fe80::1%eth0", "2606:4700::1111%eth0", "", "example.com"]) {
      assert.isFalse(isAdmitted(text, [range("10.0.0.0/8")]), text)
    }
  })

  it("judges every notation of an IPv4 address alike", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (bits) => {
        const parts = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255]
        const dotted = parts.join(".")
        const spellings = [
          String(bits),
          `0x${bits.toString(16)}`,
          `0${bits.toString(8)}`,
          parts.map((part) => `0x${part.toString(16)}`).join("."),
          parts.map((part) => `0${part.toString(8)}`).join("."),
          `${parts[0]}.${bits & 0xffffff}`,
          `[::ffff:${dotted}]`,
          `[64:ff9b::${dotted}]`,
          `${dotted}.`
        ]
        const expected = judge(dotted, []).isRefused
        for (const spelling of spellings) assert.strictEqual(judge(hostOf(spelling), []).isRefused, expected, spelling)
      })
    )
  })
})

describe("addresses that a deployment allows", () => {
  const allowed = [range("10.0.0.0/8"), range("::1/128")]

  it("reaches allowed ranges in every notation, and nothing outside them", () => {
    for (const host of ["10.1.2.3", "[::ffff:10.1.2.3]", "167838211", "[::1]"]) {
      assert.isFalse(judge(hostOf(host), allowed).isRefused, host)
    }
    for (const host of ["127.0.0.1", "11.0.0.1.", "192.168.0.1", "[::2]"]) {
      assert.strictEqual(judge(hostOf(host), allowed).isRefused, host !== "11.0.0.1.", host)
    }
  })

  it("lets an internal name resolve to allowed addresses only, not to global ones", () => {
    const host = judge("receiver.internal", allowed)
    assert.deepStrictEqual(host, { _tag: "Name", name: "receiver.internal", isRefused: false, isInside: true })
    assert.isTrue(isAdmitted("10.1.2.3", allowed, true))
    assert.isFalse(isAdmitted("8.8.8.8", allowed, true))
    assert.isTrue(isAdmitted("8.8.8.8", allowed))
  })
})
