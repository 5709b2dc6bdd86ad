import { assert, describe, it } from "@effect/vitest"
import { accountUrn, isEmail, normalizeEmail } from "@wcs/domain/access/Account"

describe("Account", () => {
  it("PRV-10: is named by its URN", () => {
    assert.strictEqual(accountUrn("acc_0123456789abcDEF"), "urn:wcs:account:acc_0123456789abcDEF")
  })

  it.each([
    ["ann@example.org", "ann@example.org"],
    ["Ann@Example.ORG", "ann@example.org"],
    ["  ann@example.org\n", "ann@example.org"]
  ])("LEG-27: normalizes %j to the user %s", (text, email) => {
    assert.strictEqual(normalizeEmail(text), email)
    assert.isTrue(isEmail(normalizeEmail(text)))
  })

  it.each([
    "",
    "ann",
    "@example.org",
    "ann@",
    "ann@example",
    "ann@example.",
    "ann@@example.org",
    "ann@bo@example.org",
    "ann o@example.org",
    "ann@example.org\nbcc:bo@example.org",
    `${"a".repeat(243)}@example.org`
  ])("refuses the address %j", (text) => {
    assert.isFalse(isEmail(text))
  })

  it("allows addresses of 254 characters (RFC 5321, section 4.5.3.1.3)", () => {
    assert.isTrue(isEmail(`${"a".repeat(242)}@example.org`))
  })
})
