import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { documentation } from "@wcs/http-node/Settings"

const file = fileURLToPath(new URL("../../deploy/wcs.service", import.meta.url))
const text = readFileSync(file, "utf8")

/** All values of a directive. */
const valuesOf = (name: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))

/** The highest exposure that `systemd-analyze security` may find, in tenths. The unit of a plain service has 96. */
const exposureMax = 20

/** A part of systemd, not of this workspace. */
const analyzer = "systemd-analyze"

/** Runs systemd-analyze on a copy whose program exists. Undefined if this machine has no systemd. */
const analyzed = (verb: string, ...options: ReadonlyArray<string>) => {
  const directory = mkdtempSync(join(tmpdir(), "wcs-unit-"))
  try {
    const copy = join(directory, "wcs.service")
    writeFileSync(copy, text)
    const { error, status, stderr, stdout } = spawnSync(analyzer, [verb, ...options, copy], {
      encoding: "utf8"
    })
    return error === undefined ? { status, output: stdout + stderr } : undefined
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe("the systemd unit", () => {
  it("sets only settings that exist, and starts a command of wcs", () => {
    const names = valuesOf("Environment").flatMap((value) => value.split(" ").map((pair) => pair.split("=")[0] ?? ""))
    const known = new Set(documentation.map(({ name }) => name))
    assert.isNotEmpty(names)
    assert.deepStrictEqual(
      names.filter((name) => !known.has(name)),
      []
    )
    assert.deepStrictEqual(valuesOf("ExecStart"), ["/usr/bin/env node /usr/lib/wcs/main.js serve"])
  })

  it("keeps the state directory private, and allows a stop as long as a container's", () => {
    assert.deepStrictEqual(valuesOf("StateDirectoryMode"), ["0700"])
    assert.deepStrictEqual([valuesOf("KillSignal"), valuesOf("TimeoutStopSec")], [["SIGTERM"], ["40"]])
  })

  it("gives the process no privileges, and lets Node compile", () => {
    assert.deepStrictEqual(valuesOf("CapabilityBoundingSet"), [""])
    assert.deepStrictEqual(valuesOf("NoNewPrivileges"), ["yes"])
    assert.deepStrictEqual(valuesOf("ProtectSystem"), ["strict"])
    assert.deepStrictEqual(valuesOf("MemoryDenyWriteExecute"), [])
  })

  it("is valid and little exposed, according to systemd if it is installed", () => {
    const verified = analyzed("verify")
    if (verified !== undefined) assert.deepStrictEqual(verified, { status: 0, output: "" })
    const secured = analyzed("security", "--offline=true", `--threshold=${exposureMax}`)
    if (secured !== undefined) assert.strictEqual(secured.status, 0, secured.output)
  })
})
