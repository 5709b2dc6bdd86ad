import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type Bench, type Engine, makeBench } from "./Bench.ts"
import type { Dataset } from "./data/Dataset.ts"
import { Processes, pinning } from "./load/Processes.ts"
import { describeMachine } from "./Machine.ts"
import { measureColdStart } from "./measurements/ColdStart.ts"
import { measureCompliance } from "./measurements/Compliance.ts"
import { measureConformance } from "./measurements/Conformance.ts"
import { measureConsole } from "./measurements/Console.ts"
import { measureDelivering } from "./measurements/Delivering.ts"
import { measureFairness } from "./measurements/Fairness.ts"
import { measureFirstPages } from "./measurements/FirstPages.ts"
import { measureLinking, measurePostgresLinking } from "./measurements/Linking.ts"
import { measureLists } from "./measurements/Lists.ts"
import { measureLogins } from "./measurements/Logins.ts"
import { measureMoving } from "./measurements/Moving.ts"
import { measureOpenLoops } from "./measurements/OpenLoops.ts"
import { measurePostgresDelivering } from "./measurements/PostgresDelivering.ts"
import { measurePostgresReading, measureReading } from "./measurements/Reading.ts"
import { full, type Plan, quick } from "./Plan.ts"
import { plotOf } from "./Plot.ts"
import { type Postgres, startPostgres } from "./Postgres.ts"
import { captionOf, jsonOf, textOf } from "./Report.ts"
import { type Row, verdictOf } from "./Row.ts"

const results = fileURLToPath(new URL("../results/", import.meta.url))
/** The plot that the README shows. */
const plot = fileURLToPath(new URL("../table.svg", import.meta.url))

/** The measurements in order, each with its small data set and engine. */
const measurements = {
  reading: { over: "linkable", on: "SQLite", measure: measureReading },
  linking: { over: "linkable", on: "SQLite", measure: measureLinking },
  moving: { over: "linkable", on: "SQLite", measure: measureMoving },
  compliance: { over: "few", on: "SQLite", measure: measureCompliance },
  lists: { over: "few", on: "SQLite", measure: measureLists },
  pages: { over: "few", on: "SQLite", measure: measureFirstPages },
  fairness: { over: "few", on: "SQLite", measure: measureFairness },
  logins: { over: "few", on: "SQLite", measure: measureLogins },
  delivering: { over: "few", on: "SQLite", measure: measureDelivering },
  open: { over: "linkable", on: "SQLite", measure: measureOpenLoops },
  "postgres-reading": { over: "linkable", on: "Postgres", measure: measurePostgresReading },
  "postgres-linking": { over: "linkable", on: "Postgres", measure: measurePostgresLinking },
  "postgres-compliance": { over: "few", on: "Postgres", measure: measureCompliance },
  "postgres-pages": { over: "few", on: "Postgres", measure: measureFirstPages },
  "postgres-delivering": { over: "few", on: "Postgres", measure: measurePostgresDelivering },
  start: { over: "few", on: "SQLite", measure: measureColdStart },
  console: { over: "few", on: "SQLite", measure: measureConsole },
  conformance: { over: "few", on: "SQLite", measure: measureConformance }
} as const satisfies Record<
  string,
  {
    readonly over: "linkable" | "few"
    readonly on: Engine
    readonly measure: (bench: Bench, dataset: Dataset) => Promise<ReadonlyArray<Row>>
  }
>

type Name = keyof typeof measurements
const names = Object.keys(measurements) as ReadonlyArray<Name>

const usage = `npm run bench -- [--quick] [--gate] [--only ${names.join(",")}] [--rows N] [--data DIR] [--profile DIR]

  --quick    fewer measurements and less data: a few minutes
  --gate     exit with code 1 if a bar is missed or a row is void
  --only     some of the measurements; "postgres" stands for all on Postgres
  --rows     rows of each resource in the large store, a multiple of 1000; default 1000000, with --quick 50000
  --data     directory for the data of the run, on the disk to measure
  --profile  directory for the processor profile of each server (node --cpu-prof)`

/** Measurements that take as long as all others together. A quick run includes them on request only. */
const lengthy: ReadonlyArray<Name> = [
  "lists",
  "pages",
  "fairness",
  "compliance",
  "postgres-compliance",
  "postgres-pages",
  "postgres-delivering",
  "console",
  "conformance"
]

/** Whether a word of `--only` names a measurement or its kind, such as `postgres`. */
const isNamed = (name: Name, word: string): boolean => name === word || name.startsWith(`${word}-`)

const chosen = (only: string | undefined, isQuick: boolean): ReadonlyArray<Name> | undefined => {
  if (only === undefined) return isQuick ? names.filter((name) => !lengthy.includes(name)) : names
  const words = only.split(",")
  return words.every((word) => names.some((name) => isNamed(name, word)))
    ? names.filter((name) => words.some((word) => isNamed(name, word)))
    : undefined
}

/** The number of rows must be a multiple of 1000, so that every group of rows has the same size. */
const planOf = (plan: Plan, rows: string | undefined): Plan | undefined => {
  if (rows === undefined) return plan
  return /^[1-9]\d{0,4}000$/.test(rows) ? { ...plan, manyRows: Number(rows) } : undefined
}

const measureAll = async (bench: Bench, wanted: ReadonlyArray<Name>): Promise<ReadonlyArray<Row>> => {
  const { plan } = bench
  const sizes = {
    linkable: { workers: 1_000, credentials: plan.credentials },
    few: { workers: plan.fewRows, credentials: plan.fewRows }
  }
  const made = new Map<string, Dataset>()
  const rows: Array<Row> = []
  for (const name of wanted) {
    const { measure, on, over } = measurements[name]
    const key = `${over} ${on}`
    const dataset = made.get(key) ?? (await bench.dataset(sizes[over], on))
    made.set(key, dataset)
    rows.push(...(await measure(bench, dataset)))
  }
  return rows
}

/** Measures, prints the table, saves the numbers, and returns the exit code. */
export const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      gate: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      only: { type: "string" },
      rows: { type: "string" },
      data: { type: "string" },
      profile: { type: "string" }
    }
  })
  const wanted = chosen(values.only, values.quick)
  const plan = planOf(values.quick ? quick : full, values.rows)
  if (values.help || wanted === undefined || plan === undefined) {
    console.error(usage)
    return values.help ? 0 : 2
  }
  const startedAt = new Date()
  const pins = pinning()
  const below = values.data ?? tmpdir()
  const folder = mkdtempSync(join(below, "wcs-bench-"))
  const processes = new Processes(pins, values.profile === undefined ? undefined : resolve(values.profile))
  const say = (text: string) =>
    console.error(`${((Date.now() - startedAt.getTime()) / 1000).toFixed(0).padStart(4)} s  ${text}`)
  let postgres: Promise<Postgres> | undefined
  const started = () => {
    postgres ??= startPostgres(below)
    return postgres
  }
  try {
    const described = describeMachine(folder, pins)
    const bench = makeBench(folder, plan, processes, await processes.client(), say, started)
    const rows = await measureAll(bench, wanted)
    const machine = { ...described, postgres: postgres === undefined ? null : (await started()).facts }
    console.log(textOf(machine, rows))
    const mode = values.quick ? "quick" : "full"
    mkdirSync(results, { recursive: true })
    writeFileSync(join(results, "latest.json"), `${jsonOf(machine, mode, startedAt, rows)}\n`)
    const isWhole = values.only === undefined && values.rows === undefined
    writeFileSync(isWhole ? plot : join(results, "latest.svg"), plotOf(captionOf(machine, mode, startedAt), rows))
    await bench.client.stop()
    return values.gate && rows.some((row) => ["miss", "void"].includes(verdictOf(row))) ? 1 : 0
  } finally {
    processes.kill()
    await postgres?.then(
      ({ stop }) => stop(),
      () => undefined
    )
    rmSync(folder, { recursive: true, force: true })
  }
}
