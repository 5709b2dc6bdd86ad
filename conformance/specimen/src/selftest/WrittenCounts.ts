import { writeFileSync } from "node:fs"
import { type Counts, countsFile, recordedCounts } from "@wcs/conformance/release/Counts"

/** Replaces some of the recorded counts. */
export const writeCounts = (measured: Partial<Counts>): void =>
  writeFileSync(countsFile, `${JSON.stringify({ ...recordedCounts(), ...measured }, null, 2)}\n`)
