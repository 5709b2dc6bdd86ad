import { assert, describe, it } from "@effect/vitest"
import { isCurrent, isVerifying, retiredMillis, signingMillis } from "@wcs/domain/SigningKey"
import { defaultLifetimeSeconds } from "@wcs/domain/TokenLifetime"

const createdAt = 1_700_000_000_000
const day = 24 * 3_600_000

describe("SigningKey", () => {
  it.each([
    ["at once", 0, true, true],
    ["in its last millisecond of 90 days", 90 * day - 1, true, true],
    ["after 90 days", 90 * day, false, true],
    ["in the last millisecond of the day after", 91 * day - 1, false, true],
    ["after that day", 91 * day, false, false],
    ["before it was made, where clocks differ", -1000, true, true]
  ])("%s", (_name, age, signs, verifies) => {
    assert.strictEqual(isCurrent({ createdAt }, createdAt + age), signs)
    assert.strictEqual(isVerifying({ createdAt }, createdAt + age), verifies)
  })

  it("verifies as long as a token that it signed last can live, and hands over long before", () => {
    assert.isAtLeast(retiredMillis, defaultLifetimeSeconds.oauth * 1000)
    assert.isAbove(signingMillis, retiredMillis)
  })
})
