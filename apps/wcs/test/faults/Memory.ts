import { spawnSync } from "node:child_process"

/** The resident memory of a process in megabytes. */
export const residentMegabytes = (pid: number | undefined): number => {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return Math.round(Number(stdout) / 1024)
}

/** The greatest of some samples, from a share of them to another. */
export const greatest = (samples: ReadonlyArray<number>, from: number, to: number): number =>
  Math.max(...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)))
