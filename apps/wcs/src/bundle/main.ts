#!/usr/bin/env node
import { complaintAbout } from "./NodeVersion.ts"

// An old Node would fail in the middle of the program, with an unclear error: import nothing else.
const complaint = complaintAbout(process.versions.node)
if (complaint !== undefined) {
  console.error(`wcs: ${complaint}`)
  process.exitCode = 2
} else {
  const { run } = await import("./Run.ts")
  await run()
}
