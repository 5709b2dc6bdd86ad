import { assert, describe, it } from "@effect/vitest"
import { defaultLifetimeSeconds } from "@wcs/domain/access/TokenLifetime"
import { isCurrent, isVerifying, signingMillis, uses } from "@wcs/domain/token/SigningKey"

const createdAt = 1_700_000_000_000
const day = 24 * 3_600_000

describe("SigningKey", () => {
  it.each([
    ["signs when new", 0, true, true],
    ["signs in the last millisecond of 90 days", 90 * day - 1, true, true],
    ["only verifies after 90 days", 90 * day, false, true],
    ["only verifies in the last millisecond of the following day", 91 * day - 1, false, true],
    ["does not verify after that day", 91 * day, false, false],
    ["signs before its creation, when clocks differ", -1000, true, true]
  ])("%s", (_name, age, signs, verifies) => {
    assert.strictEqual(isCurrent({ createdAt }, createdAt + age), signs)
    assert.strictEqual(isVerifying({ createdAt, use: "access" }, createdAt + age), verifies)
    assert.isTrue(isVerifying({ createdAt, use: "legacy" }, createdAt + age))
  })

  it("verifies longer than its last token lives, and is replaced long before", () => {
    assert.isAtLeast(uses.access.retiredMillis, defaultLifetimeSeconds.oauth * 1000)
    assert.isAtLeast(uses.legacy.retiredMillis, defaultLifetimeSeconds.legacy * 1000)
    assert.isAbove(signingMillis, uses.access.retiredMillis)
  })
})
