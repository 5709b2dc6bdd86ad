import { assert, describe, it } from "@effect/vitest"
import { make as digest } from "@wcs/keys/Digest"
import * as fc from "fast-check"

describe("Digest", () => {
  it("is SHA-256 in hex (FIPS 180-4, the examples of NIST)", () => {
    assert.strictEqual(digest.sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    assert.strictEqual(digest.sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  })

  it("digests the text's UTF-8", () => {
    assert.strictEqual(digest.sha256("é"), "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c")
  })

  it("compares two digests as equal only if they are", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom("0", "f"), maxLength: 3 }),
      fc.string({ unit: "binary", maxLength: 3 })
    )
    fc.assert(fc.property(text, text, (one, two) => digest.equals(one, two) === (one === two)))
  })
})
