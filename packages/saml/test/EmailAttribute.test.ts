import { assert, describe, it } from "@effect/vitest"
import { emailOf } from "@wcs/saml/EmailAttribute"

const oid = "urn:oid:0.9.2342.19200300.100.1.3"

describe("the e-mail address of a login", () => {
  const rows: ReadonlyArray<readonly [string, Readonly<Record<string, ReadonlyArray<string>>>, string | null]> = [
    ["by its short name", { mail: ["alice@example.com"] }, "alice@example.com"],
    ["by its OID", { [oid]: ["alice@example.com"] }, "alice@example.com"],
    ["twice the same", { [oid]: ["alice@example.com"], mail: [" alice@example.com "] }, "alice@example.com"],
    ["twice with different case", { mail: ["Alice@Example.com"], [oid]: ["alice@example.com"] }, "Alice@Example.com"],
    ["with the Kelvin sign", { mail: ["mark@example.com", "mar\u212A@example.com"] }, null],
    ["with a space that XML does not know", { mail: ["\u00a0alice@example.com"] }, null],
    ["none", { name: ["alice@example.com"] }, null],
    ["empty", { mail: [""] }, null],
    ["two values", { mail: ["alice@example.com", "mallory@example.com"] }, null],
    ["two attributes that differ", { mail: ["alice@example.com"], email: ["mallory@example.com"] }, null],
    ["two addresses in one value", { mail: ["alice@example.com mallory@example.com"] }, null],
    ["two signs", { mail: ["alice@example.com@evil.example.org"] }, null],
    ["no address", { mail: ["alice"] }, null]
  ]
  it.each(rows)("%s", (_, attributes, email) => assert.strictEqual(emailOf(new Map(Object.entries(attributes))), email))
})
