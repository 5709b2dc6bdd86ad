import { assert, describe, it } from "@effect/vitest"
import { networksOf } from "@wcs/domain/access/Networks"
import * as fc from "fast-check"

describe("threat 43: the networks of a client", () => {
  it.each([
    ["198.51.100.7", ["198.51.100.0/24", "198.51.100.7"]],
    ["2001:db8:7:12ab::/64", ["2001:db8:7::/48", "2001:db8:7:1200::/56", "2001:db8:7:12ab::/64"]],
    ["2001:db8::/64", ["2001:db8:0::/48", "2001:db8:0:0::/56", "2001:db8::/64"]],
    ["::/64", ["0:0:0::/48", "0:0:0:0::/56", "::/64"]],
    ["1:2:3:4:0:0:0:0/64", ["1:2:3::/48", "1:2:3:0::/56", "1:2:3:4:0:0:0:0/64"]],
    ["unknown", ["unknown"]]
  ])("of %s are %j", (client, networks) => {
    assert.deepStrictEqual<ReadonlyArray<string>>(networksOf(client), networks)
  })

  it("are the same for two clients exactly as far as their addresses are", () => {
    const group = fc.integer({ min: 1, max: 0xffff })
    fc.assert(
      fc.property(fc.array(group, { minLength: 4, maxLength: 4 }), fc.nat(0xffff), (groups, last) => {
        const text = (fourth: number) =>
          `${[...groups.slice(0, 3), fourth].map((one) => one.toString(16)).join(":")}::/64`
        const [one, other] = [networksOf(text(groups[3] ?? 0)), networksOf(text(last))]
        assert.strictEqual(one[0], other[0])
        assert.strictEqual(one[1] === other[1], (groups[3] ?? 0) >> 8 === last >> 8)
      })
    )
  })
})
