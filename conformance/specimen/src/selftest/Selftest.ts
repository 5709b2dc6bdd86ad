import { type Area, type KillRate, recordedCounts } from "@wcs/conformance/release/Counts"
import { Console, Effect } from "effect"
import { choices, incompatible } from "../choices/Choices.ts"
import { coveringOf } from "../choices/Covering.ts"
import { faults } from "../faults/Faults.ts"
import * as Hub from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { alarmsIn, judge } from "../target/Target.ts"
import { complaintsAbout, complaintsAboutChoices } from "./Complaints.ts"
import { judgeAll } from "./Jobs.ts"
import { coverage, requestsByWalk } from "./Judged.ts"
import { rateOf } from "./KillRates.ts"
import type { Verdict } from "./Verdict.ts"
import { writeCounts } from "./WrittenCounts.ts"

const percent = (part: number, whole: number): string => `${Math.floor((part * 1000) / whole) / 10} %`

const areaText = ({ area, faults: all, found, otherwise }: Area): string =>
  `${area} ${found} of ${all} (${percent(found, all)}), ${otherwise.length} otherwise`

const rateText = ({ areas, faults: all, found }: KillRate): string =>
  [...areas.map(areaText), `${found} of ${all} faults found (${percent(found, all)})`].join("\n")

/** A fault that is not found as expected, and the reason. */
const missText = ({ as, beside, failing, name, walks }: Verdict): string => {
  if (as === "otherwise") return `${name}: found otherwise: ${failing.slice(0, 5).join(", ")}`
  if (walks === 0) return `${name}: no walk comes to this place`
  const among = beside.length === 0 ? "" : `; ${beside.slice(0, 5).join(", ")}${beside.length > 5 ? ", …" : ""}`
  return `${name}: survives ${walks} walks${among}`
}

/** A run of every walk on the server without a fault: its false alarms, its requests and the judged places. */
export const withoutFault = Effect.gen(function* () {
  const target = yield* start(Hub.make())
  const events = yield* judge(target)
  return { alarms: alarmsIn(events), requests: requestsByWalk(events), covered: coverage(events, target.profile) }
}).pipe(Effect.scoped)

/** Judges the faults whose names contain one of these texts, and prints those that are not found as expected. */
export const someFaults = Effect.fn("Selftest.someFaults")(function* (texts: ReadonlyArray<string>) {
  const judged = faults.filter(({ name }) => texts.some((text) => name.includes(text)))
  const { faults: verdicts } = yield* judgeAll({ faults: judged })
  const missed = verdicts.filter(({ as }) => as !== "expected")
  for (const verdict of missed) yield* Console.log(missText(verdict))
  yield* Console.log(`${judged.length - missed.length} of ${judged.length} faults found as expected`)
  return judged.length > 0 && missed.length === 0 ? 0 : 1
})

/**
 * Judges every fault, and the server with every combination of choices. Prints the complaints. Without a complaint about
 * the faults, records the counts. `isNew` accepts faults that survive now. Returns the exit code.
 */
export const selftest = Effect.fn("Selftest.selftest")(function* (isNew = false) {
  const judging = judgeAll({ faults, servers: coveringOf(choices, incompatible), tried: choices })
  const [all, { alarms, covered, requests }] = yield* Effect.all([judging, withoutFault], { concurrency: 2 })
  const verdicts = all.faults
  for (const verdict of verdicts) if (verdict.as === "survivor") yield* Console.log(missText(verdict))
  const rate = rateOf(faults, verdicts, alarms)
  yield* Console.log(rateText(rate))
  const complaints = [
    ...complaintsAbout(faults, verdicts, rate, isNew ? rate : recordedCounts().secondServer),
    ...covered.flatMap(({ missing, rule }) => missing.map((place) => `${rule}: not judged at ${place}`))
  ]
  for (const complaint of complaints) yield* Console.error(complaint)
  const places = Object.fromEntries(covered.map(({ of, rule }) => [rule, of]))
  if (complaints.length === 0) yield* Effect.sync(() => writeCounts({ requests, places, secondServer: rate }))
  const ofChoices = complaintsAboutChoices(all)
  for (const complaint of ofChoices) yield* Console.error(complaint)
  return complaints.length + ofChoices.length === 0 ? 0 : 1
})
