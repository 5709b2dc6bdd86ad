import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { bundle } from "@wcs/deployment/ConsoleBundle"
import type { Bench } from "../Bench.ts"
import { medianOf } from "../load/Spread.ts"
import { fixedLimit, type Row } from "../Row.ts"
import type { Series } from "../Series.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** The milliseconds until the first row of each list, by path, on a demo with this many workers. */
const firstRows = async (folder: string, workers: number): Promise<Readonly<Record<string, ReadonlyArray<number>>>> => {
  mkdirSync(folder, { recursive: true })
  const demo = spawn(process.execPath, [".dev/demo/main.ts", `--workers=${workers}`, "--port=0", "--json"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => demo.once("close", resolve))
  try {
    const [address] = await Promise.race([once(createInterface(demo.stdout), "line"), ended.then(() => [""])])
    const file = join(folder, "demo.json")
    writeFileSync(file, address)
    const program = "packages/end-to-end/src/browser/FirstRows.ts"
    const { stdout } = await promisify(execFile)(process.execPath, [program, file, "--json"], { cwd: root })
    return JSON.parse(stdout)
  } finally {
    demo.kill("SIGTERM")
    await ended
  }
}

const scriptSeries = async (): Promise<Series> => {
  const { script } = await bundle()
  return { side: "script", unit: "kB", samples: [{ value: gzipSync(script, { level: 9 }).length / 1000 }] }
}

/** The list with the highest median. */
const slowestOf = (lists: Readonly<Record<string, ReadonlyArray<number>>>): readonly [string, ReadonlyArray<number>] =>
  Object.entries(lists).reduce((slowest, list) => (medianOf(list[1]) > medianOf(slowest[1]) ? list : slowest))

/** Measures the size of the console's script, and in Chromium the time until each list shows its first rows. */
export const measureConsole = async ({ place, plan, say }: Bench): Promise<ReadonlyArray<Row>> => {
  const { consoleWorkers: workers } = plan
  say(`console: size of the script, first rows with ${workers} workers`)
  const measured = await firstRows(place(), workers).then(
    (lists) => ({ lists }),
    (error: unknown) => ({ fault: String(error) })
  )
  const script = {
    what: "script of the console, gzip",
    against: fixedLimit,
    ours: await scriptSeries(),
    goal: { direction: "at most", bar: 45, aim: 40 },
    note: "one file for all screens"
  } as const
  const rows = {
    what: `first rows of the slowest list of the console, ${workers} workers`,
    against: fixedLimit,
    goal: { direction: "at most", bar: 0.3, aim: 0.15 }
  } as const
  if ("fault" in measured) {
    const ours: Series = { side: "rows", unit: "ms", samples: [] }
    return [script, { ...rows, ours, voidReason: measured.fault }]
  }
  const [path, millis] = slowestOf(measured.lists)
  const ours: Series = { side: "rows", unit: "ms", samples: millis.map((value) => ({ value })) }
  const medians = Object.entries(measured.lists).map(([list, all]) => `${list} ${medianOf(all).toFixed(0)} ms`)
  return [script, { ...rows, ours, note: `${path}; medians: ${medians.join(", ")}` }]
}
