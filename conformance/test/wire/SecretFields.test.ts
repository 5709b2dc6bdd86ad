import { assert, describe, it } from "@effect/vitest"
import { hideInJsonText, isSecretName, mayNameSecret } from "@wcs/conformance/wire/SecretFields"
import * as fc from "fast-check"

const endings = ["secret", "token", "password", "passwd", "passphrase", "apikey", "privatekey", "assertion", "cookie"]

/** Letters in either case, with other characters between them. A Kelvin sign is a K in upper case. */
const written = (letters: string) =>
  fc
    .tuple(
      ...[...letters].map((letter) =>
        fc.record({
          letter: fc.constantFrom(letter, letter.toUpperCase(), ...(letter === "k" ? ["\u212a"] : [])),
          behind: fc.constantFrom("", "", "_", "-", " ", "‹", '"', "\\", "\n")
        })
      )
    )
    .map((parts) => parts.map(({ behind, letter }) => `${letter}${behind}`).join(""))

const names = fc
  .tuple(fc.constantFrom("", "access", "client_", "page"), fc.constantFrom(...endings).chain(written))
  .map((parts) => parts.join(""))

describe("a text without secret names", () => {
  it("is told from every text with one, however the name is written", () => {
    fc.assert(
      fc.property(names, (name) => {
        if (isSecretName(name)) assert.isTrue(mayNameSecret(JSON.stringify({ [name]: "value" })))
      })
    )
    assert.isTrue(mayNameSecret('{"to\\u006ben":"value"}'))
    assert.isFalse(mayNameSecret('{"data":{"id":"wkr_1","tokens":1}}'.replace("tokens", "to kind")))
  })
  it("differs from one with a secret name that appears twice", () => {
    assert.notInclude(
      hideInJsonText('{"token":"a secret value","token":null}', () => "‹token of #1›"),
      "a secret value"
    )
  })
})
