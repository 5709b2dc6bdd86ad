import { assert, describe, it } from "@effect/vitest"
import { cappedBy, keyOf, parse } from "@wcs/node-server/ClientAddress"
import fc from "fast-check"
import ipaddr from "ipaddr.js"

const group = fc.integer({ min: 0, max: 0xffff })
const network = fc.tuple(group, group, group, group)
const inside = fc.tuple(group, group, group, group)

type Groups = readonly [number, number, number, number]

/** The address of these groups of 16 bits, in the long or the shortest form. */
const addressOf = (above: Groups, below: Groups, isShort = false): string => {
  const address = new ipaddr.IPv6([...above, ...below])
  return isShort ? address.toString() : address.toNormalizedString().toUpperCase()
}

/** Whether the address is IPv4 in the form of IPv6. */
const isMapped = (above: Groups, below: Groups): boolean => new ipaddr.IPv6([...above, ...below]).isIPv4MappedAddress()

const key = (text: string): string => {
  const address = parse(text)
  return address === undefined ? assert.fail(`${text} is no address`) : keyOf(address)
}

describe("ClientAddress (threat 26)", () => {
  it("gives all addresses of an IPv6 /64 network one key, in any spelling", () => {
    fc.assert(
      fc.property(network, inside, inside, fc.boolean(), (above, one, other, isShort) => {
        fc.pre(!isMapped(above, one) && !isMapped(above, other))
        assert.strictEqual(key(addressOf(above, one, isShort)), key(addressOf(above, other)))
      })
    )
  })

  it("gives different IPv6 /64 networks different keys, though they differ in one bit", () => {
    fc.assert(
      fc.property(network, inside, fc.nat(63), (above, below, bit) => {
        const other = above.map((value, index) =>
          index === bit >> 4 ? value ^ (1 << (bit & 15)) : value
        ) as unknown as Groups
        fc.pre(!isMapped(above, below) && !isMapped(other, below))
        assert.notStrictEqual(key(addressOf(above, below)), key(addressOf(other, below)))
      })
    )
  })

  it("gives each IPv4 address a key of its own, the same over IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), (one, other) => {
        assert.strictEqual(key(one) === key(other), one === other)
        assert.strictEqual(key(`::ffff:${one}`), key(one))
      })
    )
  })

  it("caps every address but those of trusted proxies, and unknown ones together", () => {
    const proxies = [ipaddr.parseCIDR("10.0.0.0/8"), ipaddr.parseCIDR("fd00::/8")]
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        assert.strictEqual(cappedBy(address, proxies), address.startsWith("10.") ? undefined : key(address))
        assert.strictEqual(cappedBy(address, []), key(address))
      })
    )
    assert.isUndefined(cappedBy("::ffff:10.1.1.1", proxies))
    assert.isUndefined(cappedBy("fd12::1", proxies))
    assert.strictEqual(cappedBy("2001:db8::1", proxies), "2001:db8::/64")
    assert.strictEqual(cappedBy(undefined, proxies), cappedBy("nonsense", proxies))
  })
})
