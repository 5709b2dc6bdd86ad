import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bundle, downloads } from "@wcs/deployment/ConsoleBundle"
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

/** The size of all scripts that the largest screen downloads. */
const scriptRow = async (): Promise<Row> => {
  const made = await bundle()
  const screens = [...downloads(made)].sort(([, left], [, right]) => right - left)
  const [largest = "", bytes = Number.NaN] = screens[0] ?? []
  const [smallest = "", fewest = Number.NaN] = screens.at(-1) ?? []
  return {
    what: "script of the console's largest screen, gzip",
    against: fixedLimit,
    ours: { side: "script", unit: "kB", samples: [{ value: bytes / 1000 }] },
    goal: { direction: "at most", bar: 45, aim: 40 },
    note: `${largest} in ${made.scripts.get(largest)?.size} files; least: ${smallest} ${(fewest / 1000).toFixed(1)} kB`
  }
}

/** The list with the highest median. */
const slowestOf = (lists: Readonly<Record<string, ReadonlyArray<number>>>): readonly [string, ReadonlyArray<number>] =>
  Object.entries(lists).reduce((slowest, list) => (medianOf(list[1]) > medianOf(slowest[1]) ? list : slowest))

/** Measures the size of the console's largest screen, and in Chromium the time until each list shows its first rows. */
export const measureConsole = async ({ place, plan, say }: Bench): Promise<ReadonlyArray<Row>> => {
  const { consoleWorkers: workers } = plan
  say(`console: size of the scripts, first rows with ${workers} workers`)
  const measured = await firstRows(place(), workers).then(
    (lists) => ({ lists }),
    (error: unknown) => ({ fault: String(error) })
  )
  const script = await scriptRow()
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
