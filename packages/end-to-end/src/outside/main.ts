/** `npm run outside`: fails on a machine that lacks one of the tools. */
import { spawnSync } from "node:child_process"
import { conclude, tests } from "../Running.ts"

const missing = ["prometheus", "promtool", "systemd-analyze"].filter(
  (tool) => spawnSync(tool, ["--version"]).status !== 0
)
if (missing.length === 0) conclude([await tests("packages/end-to-end/src/outside/vitest.config.ts")])
else {
  console.error(`The tests cannot run without ${missing.join(", ")}. On Debian: apt-get install prometheus systemd.`)
  process.exitCode = 1
}
