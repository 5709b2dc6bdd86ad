/**
 * `npm test`: runs every check and every test, also after failures, and prints one line with the number passed.
 *
 * The line is counted from vitest's report; each check counts as one. A skipped test counts as failed, since it proves
 * nothing. Only `.ci/run` runs the container tests, if there is a container engine.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { type Counts, countReport } from "@wcs/end-to-end/Counts"
import { exerciseInCi } from "@wcs/end-to-end/containers/Ci"
import { conclude, reported, run } from "@wcs/end-to-end/Running"

/** Whether to run everything anew, without the results of earlier runs, as CI does. */
const isAnew = process.argv.includes("--anew")

/** Runs one of turbo's tasks of the whole workspace, which counts as one test. */
const check = async (name: string): Promise<Counts> => {
  const options = ["--output-logs=errors-only", ...(isAnew ? ["--force"] : [])]
  const passed = await run("turbo", ["run", `//#${name}`, ...options], { TURBO_TELEMETRY_DISABLED: "1" })
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1 }
}

/** The tests of a package or of this folder. Turbo's hash covers everything that they read. */
interface Tests {
  readonly task: string
  readonly package: string
  readonly directory: string
  readonly command: string
  readonly hash: string
}

const planned = (): ReadonlyArray<Tests> => {
  const args = ["run", "test", "//#workspace", "--dry=json"]
  const plan = execFileSync("turbo", args, { encoding: "utf8", maxBuffer: 256 * 1024 ** 2 })
  const { tasks }: { readonly tasks: ReadonlyArray<Tests> } = JSON.parse(plan)
  return tasks.filter(({ command }) => command.startsWith("vitest "))
}

/** A package can lie in the folder of another one, so only the folder of its tests is its own. */
const folderOf = (one: Tests): string => `${resolve(one.package === "//" ? ".dev" : join(one.directory, "test"))}/`

/** The file that keeps the counts of tests that passed. */
const records = "node_modules/.cache/tests"
const recordOf = ({ hash }: Tests): string => join(records, `${hash}.json`)

/** The counts of the tests in a folder. */
const within = (report: string, folder: string): Counts => {
  const { testResults }: { readonly testResults: ReadonlyArray<{ readonly name: string }> } = JSON.parse(report)
  return countReport(JSON.stringify({ testResults: testResults.filter(({ name }) => name.startsWith(folder)) }), true)
}

const config = ".dev/vitest.config.ts"

/**
 * Runs the tests of each package and of this folder in one vitest, which shares imported modules. Those that passed
 * before are skipped if nothing that they read has changed. They count as they did then, and a line names them.
 */
const packageTests = async (): Promise<ReadonlyArray<Counts>> => {
  if (isAnew) return [(await reported(config)).counts]
  const { known = [], open = [] } = Object.groupBy(planned(), (one) => (existsSync(recordOf(one)) ? "known" : "open"))
  if (known.length > 0) {
    console.log(`Unchanged since they passed: ${known.map((one) => one.package).join(", ")}.`)
  }
  const before = known.map((one): Counts => JSON.parse(readFileSync(recordOf(one), "utf8")))
  if (open.length === 0) return before
  const { counts, report = '{ "testResults": [] }' } = await reported(config, open.map(folderOf))
  const results = open.map((one) => [one, within(report, folderOf(one))] as const)
  const passed = results.filter(([, { failed }]) => failed === 0)
  // A run that fails outside its tests proves nothing.
  if (counts.failed === 0 || passed.length < results.length) {
    mkdirSync(records, { recursive: true })
    for (const [one, own] of passed) writeFileSync(recordOf(one), JSON.stringify(own))
  }
  return [...before, counts]
}

const counts = [await check("types"), await check("lint"), await check("unused"), ...(await packageTests())]
const ofContainers = process.env["WCS_CONTAINERS"] === "brief" ? await exerciseInCi() : "npm run containers runs them"
if (typeof ofContainers === "string") console.log(`The container tests were not run: ${ofContainers}.`)
console.log("The browser tests were not run: npm run browser runs them.")
conclude(typeof ofContainers === "string" ? counts : [...counts, ...ofContainers])
