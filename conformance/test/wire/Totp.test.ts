import { assert, describe, it } from "@effect/vitest"
import * as Totp from "@wcs/conformance/wire/Totp"

const key = Buffer.from("12345678901234567890")

const rightAround = (millis: number) =>
  Array.from({ length: 41 }, (_, index) => Totp.codeAt(key, millis + (index - 20) * 30_000))

describe("one-time passwords", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"]
  ])("match RFC 6238, appendix B, at %i seconds", (seconds, code) => {
    assert.strictEqual(Totp.codeAt(key, seconds * 1000), code)
  })

  it("accept base32 in either letter case, with blanks or padding, and nothing else", () => {
    for (const text of ["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "gezd gnbv gy3t qojq gezd gnbv gy3t qojq====="]) {
      assert.deepStrictEqual(Totp.keyOf(text), key)
    }
    for (const text of ["", "GEZD1NBV", "‹CONF_TOTP_SECRET›"]) assert.isUndefined(Totp.keyOf(text))
  })

  it("have wrong and old codes that are invalid for ten minutes", () => {
    for (let seconds = 0; seconds < 100_000; seconds += 997) {
      const millis = 1_800_000_000_000 + seconds * 1000
      for (const code of [Totp.wrongAt(key, millis), Totp.oldAt(key, millis)]) {
        assert.match(code, /^\d{6}$/)
        assert.notInclude(rightAround(millis), code)
      }
    }
  })
})
