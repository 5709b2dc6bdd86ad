import { spawn } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { faults } from "@wcs/specimen/faults/Faults"
import { judgeAll } from "@wcs/specimen/selftest/Jobs"
import * as Hub from "@wcs/specimen/target/Hub"
import { start } from "@wcs/specimen/target/Start"
import { alarmsIn, judge } from "@wcs/specimen/target/Target"
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

/** Runs the suite against its second server in this process, without sockets. */
const inProcess = (): Promise<Sample> =>
  Effect.gen(function* () {
    const target = yield* start(Hub.make())
    const begun = performance.now()
    const events = yield* judge(target)
    const value = performance.now() - begun
    const alarms = alarmsIn(events)
    if (alarms.length > 0) return yield* Effect.die(new Error(alarms.join(", ")))
    return { value }
  }).pipe(Effect.scoped, Effect.runPromise)

const everyFault = async (): Promise<Sample> => {
  const begun = performance.now()
  await Effect.runPromise(judgeAll({ faults }))
  return { value: performance.now() - begun }
}

/** Measures judging our own deployment over sockets, the second server in process, and every fault of it. */
export const measureConformance = async ({ place, plan, say }: Bench): Promise<ReadonlyArray<Row>> => {
  say("conformance: over HTTPS, in process")
  const rounds = Math.ceil(plan.coldStarts / 2)
  const series = await interleaved(rounds, "ms", { "over HTTPS": () => overSockets(place()), "in process": inProcess })
  say(`conformance: ${faults.length} faults`)
  const all = await interleaved(1, "ms", { faults: everyFault })
  return [
    {
      what: "conformance, full run on our own server, over HTTPS",
      against: fixedLimit,
      ours: series("over HTTPS"),
      goal: { direction: "at most", bar: 5, aim: 4 }
    },
    {
      what: "conformance, full run on the second server, in process",
      against: fixedLimit,
      ours: series("in process"),
      goal: { direction: "at most", bar: 1.2, aim: 1 }
    },
    {
      what: `self-test of the suite, ${faults.length} faults`,
      against: fixedLimit,
      ours: all("faults"),
      goal: { direction: "at most", bar: 60, aim: 45 }
    }
  ]
}
