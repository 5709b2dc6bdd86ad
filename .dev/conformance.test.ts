import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

describe("npm run conformance", () => {
  it("finds that our own server keeps every must that is judged, and that none is blocked", () => {
    const folder = mkdtempSync(join(tmpdir(), "conformance-"))
    try {
      const file = fileURLToPath(new URL("conformance.ts", import.meta.url))
      const cwd = fileURLToPath(new URL("..", import.meta.url))
      const args = [file, "--out", folder, "--quiet"]
      const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" })
      const headline = stdout.trimEnd().split("\n").at(-1) ?? ""
      assert.strictEqual(status, 0, `${headline}\n${stderr}`)
      const [, judged, passed] = /^judged (\d+) of \d+ musts: (\d+) passed, 0 failed; /.exec(headline) ?? []
      assert.isDefined(judged, headline)
      assert.strictEqual(passed, judged)
      assert.notMatch(headline, /blocked|inconclusive|fault/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
