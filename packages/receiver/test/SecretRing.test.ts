import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as SecretRing from "@wcs/receiver/SecretRing"
import * as SigningSecret from "@wcs/receiver/SigningSecret"
import { Redacted, Result } from "effect"
import fc from "fast-check"
import { now, secretOf, secretText } from "./sender.ts"

const dayMillis = 86_400_000

describe("SecretRing", () => {
  const rotations = fc.array(
    fc.record({
      afterMillis: fc.oneof(
        fc.nat({ max: 3 * dayMillis }),
        fc.constantFrom(0, 1, dayMillis - 1, dayMillis, dayMillis + 1)
      ),
      changeoverSeconds: fc.oneof(fc.constantFrom(86_399, 86_400, 86_401, 0, -1), fc.nat({ max: 604_800 }))
    }),
    { maxLength: 8 }
  )

  it("EVT-11: accepts each replaced secret until its changeover ends, at least a day", () => {
    fc.assert(
      fc.property(rotations, (history) => {
        let at = now
        let ring = SecretRing.make(secretOf(0))
        const untils: Array<number> = []
        const assertAt = (moment: number) => {
          const expected = untils.flatMap((until, n) => (moment <= until ? [n] : [])).toReversed()
          const numbers = SecretRing.accepted(ring, moment).map((secret) => Redacted.value(secret)[0])
          assert.deepStrictEqual(numbers, [untils.length, ...expected])
        }
        for (const [index, { afterMillis, changeoverSeconds }] of history.entries()) {
          at += afterMillis
          ring = SecretRing.rotated(ring, secretOf(index + 1), at, changeoverSeconds)
          untils.push(at + Math.max(dayMillis, changeoverSeconds * 1000))
          for (const moment of [at, ...untils.flatMap((until) => [until, until + 1])]) {
            if (moment >= at) assertAt(moment)
          }
        }
        assert.isAtMost(ring.former.length, history.length)
      })
    )
  })

  it("drops expired secrets at the next rotation", () => {
    const once = SecretRing.rotated(SecretRing.make(secretOf(1)), secretOf(2), now)
    const formers = (at: number) => SecretRing.rotated(once, secretOf(3), at).former.length
    assert.deepStrictEqual([formers(now + dayMillis), formers(now + dayMillis + 1)], [2, 1])
  })
})

describe("SigningSecret", () => {
  it("is whsec_ and base64 of 24 to 64 bytes", () => {
    for (const size of [24, 25, 32, 64]) {
      const bytes = Buffer.alloc(size, 7)
      const secret = Result.getOrThrow(SigningSecret.parse(`whsec_${bytes.toString("base64")}`))
      assert.deepStrictEqual([...Redacted.value(secret)], [...bytes])
    }
  })

  const text = secretText(9)
  it.each([
    ["nothing", ""],
    ["no prefix", text.slice(6)],
    ["another prefix", `sk_${text.slice(6)}`],
    ["no base64", `whsec_${"!".repeat(44)}`],
    ["base64 of URLs", `whsec_${Buffer.alloc(32, 255).toString("base64url")}`],
    ["a line's end", `${text}\n`],
    ["23 bytes", `whsec_${Buffer.alloc(23).toString("base64")}`],
    ["65 bytes", `whsec_${Buffer.alloc(65).toString("base64")}`]
  ])("refuses %s, and does not repeat it", (_, wrong) => {
    const refused = Result.getOrThrow(Result.flip(SigningSecret.parse(wrong)))
    assert.strictEqual(refused._tag, "InvalidSecret")
    if (wrong !== "") assert.notInclude(inspect(refused) + JSON.stringify(refused) + refused.message, wrong)
  })

  it("shows its bytes neither in logs nor in JSON", () => {
    const shown = inspect(secretOf(1), { depth: 9 }) + JSON.stringify(secretOf(1)) + String(secretOf(1))
    assert.notMatch(shown, /\b1\b|01 01|AQEB/)
  })
})
