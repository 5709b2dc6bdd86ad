#!/usr/bin/env node
import { complaintAbout } from "@wcs/conformance/NodeVersion"

// an old Node would fail on syntax that it does not know, with an unclear error: load nothing else
const complaint = complaintAbout(process.versions.node)
if (complaint !== undefined) {
  console.error(`wcs-register-kit: ${complaint}`)
  process.exitCode = 2
} else {
  const { start } = await import("./Start.ts")
  process.exitCode = await start()
}
