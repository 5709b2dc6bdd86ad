import { assert, describe, it } from "@effect/vitest"
import { ageOf } from "@wcs/domain/service/Operation"

const now = Date.UTC(2026, 0, 31)
const day = 24 * 3_600_000

describe("the age of a secret", () => {
  it.each([
    ["EXPIRED at its end", null, now, "EXPIRED"],
    ["EXPIRES_SOON before its end", null, now + 1, "EXPIRES_SOON"],
    ["EXPIRES_SOON within 30 days", null, now + 30 * day - 1, "EXPIRES_SOON"],
    ["OK 30 days before its end", null, now + 30 * day, "OK"],
    ["OK with an end, at any age", now - 999 * day, now + 99 * day, "OK"],
    ["OK at a year, without an end", now - 365 * day, null, "OK"],
    ["OLD after a year, without an end", now - 365 * day - 1, null, "OLD"],
    ["OK without times", null, null, "OK"]
  ] as const)("is %s", (_, since, expiresAt, age) => {
    assert.strictEqual(ageOf(since, expiresAt, now), age)
  })
})
