import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import type { Server } from "../Process.ts"

/** The memory of a process after a collection of garbage, in megabytes. */
export interface Memory {
  /** Objects, and what they keep outside the heap. */
  readonly used: number
  /** All pages, including those that the allocator keeps. */
  readonly resident: number
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

/** Samples the memory of a server that runs with `injected("Memory")` and this file. */
export const memoryOf = async (server: Server, file: string): Promise<Memory> => {
  rmSync(file, { force: true })
  server.signal("SIGUSR2")
  while (!existsSync(file)) await pause(5)
  const { external, heapUsed, rss }: NodeJS.MemoryUsage = JSON.parse(readFileSync(file, "utf8"))
  return { used: megabytes(heapUsed + external), resident: megabytes(rss) }
}

/** The greatest of some samples. `from` and `to` select a part of them, as fractions of their number. */
export const greatest = (
  samples: ReadonlyArray<Memory>,
  of: keyof Memory,
  [from, to]: readonly [from: number, to: number]
): number =>
  Math.max(
    ...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).map((sample) => sample[of])
  )

/** The resident memory of any process now, in megabytes. */
export const residentMegabytes = (pid: number | undefined): number => {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return Math.round((Number(stdout) * 1024) / 1e6)
}
