#!/usr/bin/env node
import { complaintAbout } from "./NodeVersion.ts"

// an old Node would stop at the first thing that it does not know, with a word about that alone: nothing else is loaded
const complaint = complaintAbout(process.versions.node)
if (complaint === undefined) {
  const { start } = await import("./Start.ts")
  process.exitCode = await start()
} else {
  console.error(`wcs-conformance: ${complaint}`)
  process.exitCode = 2
}
