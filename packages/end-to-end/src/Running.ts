/** Runs the tests of vitest configurations, and counts. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { type Counts, countReport } from "./Counts.ts"

const running = new Set<ChildProcess>()
let stoppedBy: "SIGTERM" | "SIGINT" | "SIGHUP" | undefined
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => {
    stoppedBy = signal
    for (const child of running) child.kill(signal)
  })
}

type Environment = Readonly<Record<string, string>>

/** Waits for the end of a program. Returns whether it succeeded. A signal ends the whole run after all programs. */
const succeeded = (command: string, child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    running.add(child)
    const end = (hasSucceeded: boolean) => {
      running.delete(child)
      if (stoppedBy !== undefined && running.size === 0) process.exit(128 + constants.signals[stoppedBy])
      resolve(hasSucceeded)
    }
    child.once("error", (error) => {
      console.error(`${command} cannot be run: ${error.message}`)
      end(false)
    })
    child.once("close", (code) => end(code === 0))
  })

/** Runs a program to its end. Returns whether it succeeded. */
export const run = (command: string, args: ReadonlyArray<string>, environment: Environment = {}): Promise<boolean> =>
  succeeded(command, spawn(command, args, { stdio: "inherit", env: { ...process.env, ...environment } }))

/** The same for a program beside others: prints its output in one piece, at its end. */
export const runBeside: typeof run = async (command, args, environment = {}) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } })
  const output: Array<Buffer> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk))
  const hasSucceeded = await succeeded(command, child)
  process.stdout.write(Buffer.concat(output))
  return hasSucceeded
}

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
