import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { run } from "@wcs/conformance/Cli"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Report } from "@wcs/conformance/report/Report"
import { Console, Effect } from "effect"

/** The result of a command line. */
export interface Ran {
  readonly code: number
  /** Standard output and error. */
  readonly told: string
}

/** A console that writes only to a list. */
const recording = (lines: Array<string>): Console.Console => {
  const write = (...args: ReadonlyArray<unknown>) => void lines.push(`${args.join(" ")}\n`)
  return Object.assign(Object.create(console), { log: write, error: write, warn: write, info: write, debug: write })
}

/** Runs a command line in this process with its own environment. Returns its exit code and output. */
export const commandLine = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ran> => {
  const told: Array<string> = []
  const { write } = process.stdout
  const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]))
  Object.assign(process.env, environment)
  process.stdout.write = (chunk: string | Uint8Array) => told.push(String(chunk)) > 0
  try {
    const code = await Effect.runPromise(
      run(args).pipe(Effect.provide(NodeServices.layer), Effect.provideService(Console.Console, recording(told)))
    )
    return { code, told: told.join("") }
  } finally {
    process.stdout.write = write
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Runs a function with a temporary folder. */
export const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes a profile into a folder and returns its file. */
export const writeProfile = (folder: string, profile: Profile): string => {
  const file = join(folder, "profile.json")
  writeFileSync(file, JSON.stringify(profile))
  return file
}

/** Reads the report of a run from a folder. */
export const reportIn = (folder: string): Report => JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))
