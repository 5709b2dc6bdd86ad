/** Runs the tests of vitest configurations, and counts. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { type Counts, countReport } from "./Counts.ts"

let running: ReturnType<typeof spawn> | undefined
let stoppedBy: "SIGTERM" | "SIGINT" | "SIGHUP" | undefined
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => {
    stoppedBy = signal
    running?.kill(signal)
  })
}

type Environment = Readonly<Record<string, string>>

/** Runs a program to its end. Returns whether it succeeded. A signal ends the whole run after the program has ended. */
export const run = (command: string, args: ReadonlyArray<string>, environment: Environment = {}): Promise<boolean> =>
  new Promise((resolve) => {
    running = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...environment } })
    running.on("error", (error) => {
      console.error(`${command} cannot be run: ${error.message}`)
      resolve(false)
    })
    running.on("exit", (code) => {
      if (stoppedBy !== undefined) process.exit(128 + constants.signals[stoppedBy])
      resolve(code === 0)
    })
  })

const counted = (report: string, passed: boolean): Counts => {
  try {
    return countReport(readFileSync(report, "utf8"), passed)
  } catch (error) {
    console.error(`vitest left no report: ${error}`)
    return { passed: 0, failed: 1 }
  }
}

/** Runs the tests of a vitest configuration. Returns their counts, and vitest's report if there is one. */
export const reported = async (
  config: string,
  args: ReadonlyArray<string> = [],
  environment: Environment = {}
): Promise<{ readonly counts: Counts; readonly report: string | undefined }> => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-test-"))
  const report = join(folder, "report.json")
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    const passed = await run("vitest", ["run", "--config", config, "--root", ".", ...reporters, ...args], environment)
    return { counts: counted(report, passed), report: existsSync(report) ? readFileSync(report, "utf8") : undefined }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the tests of a vitest configuration. */
export const tests = async (...run: Parameters<typeof reported>): Promise<Counts> => (await reported(...run)).counts

/** Prints the last line of a run, and sets the exit code. */
export const conclude = (counts: ReadonlyArray<Counts>): void => {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0)
  const failed = counts.reduce((sum, count) => sum + count.failed, 0)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
