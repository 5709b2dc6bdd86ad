import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { Ran } from "../recording.ts"

const program = fileURLToPath(new URL("./migrator.ts", import.meta.url))

/** How many kill points are tried: few in `npm test`, all of them in `npm run faults`. */
export const rounds = Number(process.env["WCS_FAULT_ROUNDS"] ?? 2)

/** Runs the migrations in a process that is killed before a statement. Returns its output and its end. */
export const killedBefore = (place: string, statement: number) =>
  Effect.promise(
    () =>
      new Promise<{ readonly said: string; readonly signal: string | null }>((resolve) => {
        const child = spawn(process.execPath, [program, place, String(statement)], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        let said = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          said += chunk
        })
        child.once("close", (_code, signal) => resolve({ said, signal }))
      })
  )

/** The last statement of a migration. */
export const isStepEnd = ({ text }: Ran): boolean => text.startsWith("INSERT INTO migration")

/** This many numbers below the limit, evenly spread, first and last included. */
const spread = (limit: number, count: number): ReadonlyArray<number> =>
  count >= limit
    ? Array.from({ length: limit }, (_, n) => n)
    : Array.from({ length: count }, (_, n) => Math.round((n * (limit - 1)) / Math.max(1, count - 1)))

/** About this many statements, spread evenly over all of them, and two inside the last migration. */
export const killPoints = (ran: ReadonlyArray<Ran>, count: number): ReadonlyArray<number> => {
  const end = ran.findLastIndex(isStepEnd)
  return [...new Set([...spread(ran.length, Math.ceil(count)), end - 1, end])]
}
