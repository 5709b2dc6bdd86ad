import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const file = fileURLToPath(new URL("../../deploy/wcs.service", import.meta.url))

/** The highest exposure that `systemd-analyze security` may find, in tenths. The unit of a plain service has 96. */
const exposureMax = 20

/** Runs systemd-analyze on a copy of the unit. */
const analyzed = (verb: string, ...options: ReadonlyArray<string>) => {
  const directory = mkdtempSync(join(tmpdir(), "wcs-unit-"))
  try {
    const copy = join(directory, "wcs.service")
    copyFileSync(file, copy)
    const { status, stderr, stdout } = spawnSync("systemd-analyze", [verb, ...options, copy], { encoding: "utf8" })
    return { status, output: stdout + stderr }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe("systemd", () => {
  it("accepts the unit, and finds it little exposed", () => {
    assert.deepStrictEqual(analyzed("verify"), { status: 0, output: "" })
    const { output, status } = analyzed("security", "--offline=true", `--threshold=${exposureMax}`)
    assert.strictEqual(status, 0, output)
  })
})
