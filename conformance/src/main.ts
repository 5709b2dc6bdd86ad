#!/usr/bin/env node
import { complaintAbout } from "./NodeVersion.ts"

// an old Node would fail on syntax that it does not know, with an unclear error: load nothing else
const complaint = complaintAbout(process.versions.node)
if (complaint === undefined) {
  const { start } = await import("./Start.ts")
  process.exitCode = await start()
} else {
  console.error(`wcs-conformance: ${complaint}`)
  process.exitCode = 2
}
