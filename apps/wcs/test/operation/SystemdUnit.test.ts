import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { documentation } from "@wcs/deployment/Settings"

const file = fileURLToPath(new URL("../../deploy/wcs.service", import.meta.url))
const text = readFileSync(file, "utf8")

/** All values of a directive. */
const valuesOf = (name: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))

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
})
