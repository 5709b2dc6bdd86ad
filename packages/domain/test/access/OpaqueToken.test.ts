import { assert, it } from "@effect/vitest"
import { isTokenShaped } from "@wcs/domain/access/OpaqueToken"

it("a token has 43 letters and digits", () => {
  assert.isTrue(isTokenShaped("a".repeat(43)))
  for (const text of ["", "a".repeat(42), "a".repeat(44), `${"a".repeat(42)}-`, `wcs_pat_${"a".repeat(35)}`]) {
    assert.isFalse(isTokenShaped(text), text)
  }
})
