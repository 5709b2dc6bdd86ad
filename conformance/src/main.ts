#!/usr/bin/env node
import { complaintAbout } from "./NodeVersion.ts"
import { suiteVersion } from "./release/SuiteVersion.ts"

// an old Node would fail on syntax that it does not know, with an unclear error: load nothing else
const complaint = complaintAbout(process.versions.node)
if (complaint !== undefined) {
  console.error(`wcs-conformance: ${complaint}`)
  process.exitCode = 2
} else if (process.argv.slice(2).join(" ") === "--version") {
  console.log(`wcs-conformance v${suiteVersion}`) // without the suite, which takes most of a start
} else {
  const { keepCompiled } = await import("./CompileCache.ts")
  keepCompiled()
  const { start } = await import("./Start.ts")
  process.exitCode = await start()
}
