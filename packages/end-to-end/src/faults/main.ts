/**
 * `npm run faults`: runs every fault scenario in full, and prints one table of the figures. Exits with 1 if anything
 * was lost or a test failed. Arguments are filters of test files, or options of vitest.
 */
import { conclude, reported } from "../Running.ts"
import { linesOf, rowsOf } from "./Table.ts"

const scenarios = "packages/end-to-end/test/faults"

/** Scenarios that measure times: each needs the machine for itself. */
const alone = ["Overload", "Neighbours", "Connections", "Hostile", "ImportKilled"].map((name) => `${scenarios}/${name}`)

const together = [
  ...["Kill", "DiskFull", "Refused", "PostgresRestarts", "ClockSteps"].map((name) => `${scenarios}/${name}`),
  ...["packages/sqlite", "packages/store-sql/test/Transactions", "packages/store-sql/test/migrations/MigrationsKilled"],
  ...["packages/delivery/test/Killed", "packages/delivery/test/watch"]
]

const given = process.argv.slice(2)
const environment = {
  WCS_FAULT_ROUNDS: process.env["WCS_FAULT_ROUNDS"] ?? "50",
  WCS_WATCH_CARDS: process.env["WCS_WATCH_CARDS"] ?? "1000",
  WCS_WATCH_DAYS: process.env["WCS_WATCH_DAYS"] ?? "120"
}
const run = (args: ReadonlyArray<string>) => reported(".dev/vitest.config.ts", args, environment)

const runs =
  given.length > 0 ? [await run(given)] : [await run(together), await run(["--no-file-parallelism", ...alone])]
const rows = runs.flatMap(({ report }) => (report === undefined ? [] : rowsOf(report, process.cwd())))
for (const line of linesOf(rows)) console.log(line)
conclude(runs.map(({ counts }) => counts))
if (rows.some(({ lost }) => lost > 0)) process.exitCode = 1
