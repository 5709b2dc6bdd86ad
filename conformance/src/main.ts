#!/usr/bin/env node
import { complaintAbout } from "./NodeVersion.ts"

// an old Node fails at the first unknown syntax with an unclear message, so nothing else is loaded before the check
const complaint = complaintAbout(process.versions.node)
if (complaint === undefined) {
  const { start } = await import("./Start.ts")
  process.exitCode = await start()
} else {
  console.error(`wcs-conformance: ${complaint}`)
  process.exitCode = 2
}
