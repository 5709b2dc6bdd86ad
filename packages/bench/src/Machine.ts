import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs"
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os"
import { join } from "node:path"
import type { Pinning } from "./load/Processes.ts"
import { medianOf, quantileOf } from "./load/Spread.ts"
import type { PostgresFacts } from "./Postgres.ts"

/** The machine and software of the measurement. */
export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly memoryGibibytes: number
  readonly system: string
  readonly node: string
  readonly sqlite: string
  /** Null if nothing was measured on Postgres. */
  readonly postgres: PostgresFacts | null
  /** The processors of servers and client; null if they are not separated. */
  readonly pinning: Pinning | null
  /** The load average of the last minute, before the first measurement. */
  readonly loadBefore: number
  /** A 4 KiB write with fdatasync on the disk of the data directories, in milliseconds. */
  readonly fdatasync: { readonly median: number; readonly p90: number; readonly writes: number }
}

const blockBytes = 4096
const writesMost = 300
const millisMost = 2000

/** Writes and syncs blocks, like a COMMIT, a few hundred times or for two seconds. */
const measureFdatasync = (directory: string): Machine["fdatasync"] => {
  const path = join(directory, "fdatasync")
  const block = Buffer.alloc(blockBytes, 1)
  const millis: Array<number> = []
  const file = openSync(path, "w")
  try {
    const deadline = performance.now() + millisMost
    while (millis.length < writesMost && performance.now() < deadline) {
      const begun = performance.now()
      writeSync(file, block)
      fdatasyncSync(file)
      millis.push(performance.now() - begun)
    }
  } finally {
    closeSync(file)
    rmSync(path)
  }
  return { median: medianOf(millis), p90: quantileOf(millis, 0.9), writes: millis.length }
}

export const describeMachine = (directory: string, pins: Pinning | undefined): Omit<Machine, "postgres"> => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? "unknown",
  memoryGibibytes: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${release()} ${process.arch}`,
  node: process.version,
  sqlite: process.versions["sqlite"] ?? "unknown",
  pinning: pins ?? null,
  loadBefore: loadavg()[0] ?? 0,
  fdatasync: measureFdatasync(directory)
})
