import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { newestRelease } from "@wcs/end-to-end/rolling/Released"

it("a rolling upgrade begins with the newest release of the change log", () => {
  const two = "# Changes\n\n## 0.2.0 (2027-01-31)\n\n- New.\n\n## 0.1.0 (2026-11-27)\n"
  assert.deepStrictEqual(newestRelease(two), { version: "0.2.0", day: "2027-01-31" })
  assert.isUndefined(newestRelease("# Changes\n"))
  const own = readFileSync(new URL("../../../../CHANGELOG.md", import.meta.url), "utf8")
  assert.match(newestRelease(own)?.version ?? "", /^\d+\.\d+\.\d+$/)
})
