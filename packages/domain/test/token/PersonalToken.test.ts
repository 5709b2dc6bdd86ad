import { assert, describe, it } from "@effect/vitest"
import { authorize, everyPrivilege } from "@wcs/domain/access/Privilege"
import { isLive } from "@wcs/domain/access/TokenLifetime"
import { crc32, format, isWellFormed, type PersonalToken, reachOf, validityOf } from "@wcs/domain/token/PersonalToken"
import * as fc from "fast-check"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secret = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 36, maxLength: 36 })

describe("PersonalToken", () => {
  it.each([
    ["123456789", 0xcbf43926],
    ["", 0],
    ["a", 0xe8b7be43],
    ["The quick brown fox jumps over the lazy dog", 0x414fa339]
  ])("computes the check value of %j by CRC-32", (text, expected) => {
    assert.strictEqual(crc32(text), expected)
  })

  it("formats a token as prefix, 36 characters and checksum of 6", () => {
    fc.assert(
      fc.property(secret, (secret) => {
        const token = format(secret)
        assert.match(token, /^wcs_pat_[0-9A-Za-z]{42}$/)
        assert.strictEqual(token.slice(8, 44), secret)
      })
    )
  })

  it("ends with the CRC-32 in base 62, the highest digit first", () => {
    fc.assert(
      fc.property(secret, (secret) => {
        const digits = [...format(secret).slice(-6)].map((digit) => alphabet.indexOf(digit))
        assert.strictEqual(
          digits.reduce((value, digit) => value * 62 + digit, 0),
          crc32(secret)
        )
      })
    )
  })

  it("AUT-08: accepts a formatted token", () => {
    fc.assert(fc.property(secret, (secret) => isWellFormed(format(secret))))
  })

  it("threat 13: refuses a token with one changed character", () => {
    fc.assert(
      fc.property(secret, fc.integer({ min: 8, max: 49 }), fc.constantFrom(...alphabet), (secret, at, character) => {
        const token = format(secret)
        fc.pre(token.charAt(at) !== character)
        assert.isFalse(isWellFormed(token.slice(0, at) + character + token.slice(at + 1)))
      }),
      { numRuns: 1000 }
    )
  })

  it("threat 13: refuses a token with two adjacent characters swapped", () => {
    fc.assert(
      fc.property(secret, fc.integer({ min: 8, max: 48 }), (secret, at) => {
        const token = format(secret)
        fc.pre(token.charAt(at) !== token.charAt(at + 1))
        const exchanged = token.slice(0, at) + token.charAt(at + 1) + token.charAt(at) + token.slice(at + 2)
        assert.isFalse(isWellFormed(exchanged))
      })
    )
  })

  const good = format("0".repeat(36))
  it.each([
    ["empty text", ""],
    ["the prefix alone", "wcs_pat_"],
    ["without its prefix", good.slice(8)],
    ["with another prefix", good.replace("wcs_pat_", "wcs_oat_")],
    ["with its prefix in capitals", good.replace("wcs_pat_", "WCS_PAT_")],
    ["cut", good.slice(0, -1)],
    ["with an additional character", `${good}0`],
    ["with trailing white space", `${good} `],
    ["with a trailing line break", `${good}\n`],
    ["with an illegal character", good.replace("_0", "_-")],
    ["a JWT", "eyJhbGciOiJub25lIn0.e30."]
  ])("threat 13: refuses a token %s", (_name, text) => {
    assert.isTrue(isWellFormed(good))
    assert.isFalse(isWellFormed(text))
  })

  const token: PersonalToken = {
    id: "pat_0123456789abcDEF",
    tenantId: "tnt_0123456789abcDEF",
    accountId: "acc_0123456789abcDEF",
    name: "CI",
    tokenHash: "00",
    lastFour: "0000",
    createdAt: 1_999,
    createdBy: null,
    expiresAt: 10,
    revokedAt: null,
    lastUsedAt: null
  }
  it.each([
    ["is live in its last millisecond", {}, 9_999, true],
    ["is not live after its expiry", {}, 10_000, false],
    ["is live without an expiry", { expiresAt: null }, 4e12, true],
    ["is not live when the clock is before the revocation", { revokedAt: 5_000 }, 4_999, false],
    ["is not live after its revocation", { revokedAt: 5_000 }, 5_000, false]
  ])("AUT-12: %s", (_name, changes, now, live) => {
    assert.strictEqual(isLive(validityOf({ ...token, ...changes }), now), live)
  })

  it("starts its lifetime at the second of its creation", () => {
    assert.strictEqual(validityOf(token).issuedAt, 1)
  })

  it("reaches tokens of other users only with the access token privilege of the operation", () => {
    const account = "urn:wcs:account:acc_0000000000000001"
    fc.assert(
      fc.property(fc.subarray([...everyPrivilege]), fc.constantFrom("READ", "CREATE", "DELETE"), (names, operation) => {
        const reach = reachOf({ authorize }, { account, privileges: new Set(names) }, operation)
        assert.strictEqual(reach, names.includes(`accessToken:${operation}`) ? "everybody's" : "own")
      })
    )
  })
})
