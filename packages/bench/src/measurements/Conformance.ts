import { spawn } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { mutants } from "@wcs/specimens/Mutants"
import * as Specimens from "@wcs/specimens/Specimens"
import { findingsOf, judge } from "@wcs/specimens/selftest/Judging"
import { selftest } from "@wcs/specimens/selftest/Selftest"
import { variants } from "@wcs/specimens/Variants"
import { Effect } from "effect"
import type { Bench } from "../Bench.ts"
import { fixedLimit, type Row } from "../Row.ts"
import { interleaved, type Sample } from "../Series.ts"

const program = fileURLToPath(new URL("../../../end-to-end/src/conformance/main.ts", import.meta.url))

const millisBetween = (begin: string, end: string): number => Date.parse(end) - Date.parse(begin)

/** Runs the suite over HTTPS against its own server. The suite itself reports how long judging took. */
const overSockets = async (folder: string): Promise<Sample> => {
  mkdirSync(folder, { recursive: true })
  const child = spawn(process.execPath, [program, "--quiet", "--out", folder], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  const code = await new Promise((resolve) => child.once("close", resolve))
  if (code !== 0) throw new Error(`the conformance run ended with ${code}`)
  const { header } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))
  return { value: millisBetween(header.startedAt, header.endedAt) }
}

/** The same in this process, without sockets. */
const inProcess = (): Promise<Sample> =>
  Effect.gen(function* () {
    const start = yield* Specimens.make
    const target = yield* start({ name: "ours" }, true)
    const begun = performance.now()
    const events = yield* judge(target)
    const value = performance.now() - begun
    const failed = findingsOf(events).filter(({ outcome }) => outcome === "fail" || outcome === "error")
    if (failed.length > 0) return yield* Effect.die(new Error(`failed: ${failed.map(({ rule }) => rule)}`))
    return { value }
  }).pipe(Effect.scoped, Effect.runPromise)

const wholeMatrix = async (): Promise<Sample> => {
  const begun = performance.now()
  const { complaints } = await Effect.runPromise(selftest(mutants, variants))
  if (complaints.length > 0) throw new Error(complaints.join("\n"))
  return { value: performance.now() - begun }
}

/** Measures judging our own deployment, over sockets and in process, and the whole kill matrix. */
export const measureConformance = async ({ place, plan, say }: Bench): Promise<ReadonlyArray<Row>> => {
  say("conformance: over HTTPS, in process")
  const rounds = Math.ceil(plan.coldStarts / 2)
  const series = await interleaved(rounds, "ms", { "over HTTPS": () => overSockets(place()), "in process": inProcess })
  say(`conformance: ${mutants.length} mutants and ${variants.length} variants`)
  const matrix = await interleaved(1, "ms", { "kill matrix": wholeMatrix })
  const what = "conformance, full run on our own server"
  return [
    {
      what: `${what}, over HTTPS`,
      against: fixedLimit,
      ours: series("over HTTPS"),
      goal: { direction: "at most", bar: 5, aim: 4 }
    },
    {
      what: `${what}, in process`,
      against: fixedLimit,
      ours: series("in process"),
      goal: { direction: "at most", bar: 1.2, aim: 1 }
    },
    {
      what: `whole kill matrix, ${mutants.length} mutants, ${variants.length} variants`,
      against: fixedLimit,
      ours: matrix("kill matrix"),
      goal: { direction: "at most", bar: 60, aim: 45 }
    }
  ]
}
