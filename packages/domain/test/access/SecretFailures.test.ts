import { assert, describe, it } from "@effect/vitest"
import { type Quota, strictest, untouched } from "@wcs/domain/access/RateLimitTier"
import { windowsOf } from "@wcs/domain/access/SecretFailures"
import * as fc from "fast-check"

const text = fc.string({ minLength: 1, maxLength: 3 })

describe("SecretFailures", () => {
  it("threat 8: counts a failure per address and name, per address, and per network", () => {
    assert.deepStrictEqual(windowsOf({ address: "192.0.2.1", name: "t1 wcs_oauth_a" }), [
      ["tokenFailures", "192.0.2.1 t1 wcs_oauth_a"],
      ["addressFailures", "192.0.2.1"],
      ["networkFailures", "192.0.2.0/24"]
    ])
    assert.deepStrictEqual(windowsOf({ address: "192.0.2.1", name: null }), [
      ["tokenFailures", "192.0.2.1"],
      ["addressFailures", "192.0.2.1"],
      ["networkFailures", "192.0.2.0/24"]
    ])
  })

  it("shares only the address window among names", () => {
    fc.assert(
      fc.property(fc.ipV4(), text, text, (address, one, other) => {
        const [ofOne, ofAddress] = windowsOf({ address, name: one })
        const [ofOther, sameAddress] = windowsOf({ address, name: other })
        assert.deepStrictEqual(ofAddress, sameAddress)
        assert.strictEqual(ofOne[1] === ofOther[1], one === other)
        assert.notStrictEqual(ofOne[1], windowsOf({ address, name: null })[0][1])
      })
    )
  })
})

describe("strictest", () => {
  const quota = (remaining: number, resetSeconds: number, exceeded = false): Quota => ({
    limit: 30,
    remaining,
    resetSeconds,
    exceeded
  })

  it.each([
    ["the fewest calls left", [quota(3, 60), quota(2, 10)], quota(2, 10)],
    ["the exceeded one", [quota(0, 60), quota(0, 10, true)], quota(0, 10, true)],
    ["the longest wait of several exceeded ones", [quota(0, 10, true), quota(0, 50, true)], quota(0, 50, true)],
    ["the first of equal ones", [quota(2, 60), quota(2, 10)], quota(2, 60)]
  ] as const)("returns %s", (_, quotas, expected) => {
    assert.deepStrictEqual(strictest(quotas), expected)
  })

  it("returns the full limit for a key without calls", () => {
    assert.deepStrictEqual(untouched({ calls: 5, windowSeconds: 60 }), {
      limit: 5,
      remaining: 5,
      resetSeconds: 60,
      exceeded: false
    })
  })
})
