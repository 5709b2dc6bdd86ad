import { type KillRate, recordedCounts } from "@wcs/conformance/release/Counts"
import { Console, Effect } from "effect"
import { writeCounts } from "../../selftest/WrittenCounts.ts"
import { faults } from "../faults/Faults.ts"
import { falseAlarms, rateOf, verdictsOn } from "./Measure.ts"
import type { Verdict } from "./Verdict.ts"
import { worsenings } from "./Worse.ts"

const percent = (part: number, whole: number): string => `${Math.floor((part * 1000) / whole) / 10} %`

const told = ({ areas, found, faults: all }: KillRate): string =>
  [
    ...areas.map((area) => `${area.area} ${area.found} of ${area.faults} (${percent(area.found, area.faults)})`),
    `second server: ${found} of ${all} faults found (${percent(found, all)})`
  ].join("\n")

/** A survivor, and why it survives: no walk comes to its place, or its other findings. */
const toldSurvivor = ({ beside, name, walks }: Verdict): string => {
  if (walks === 0) return `${name}: no walk comes to this place`
  const among = beside.length === 0 ? "" : `; ${beside.slice(0, 5).join(", ")}${beside.length > 5 ? ", …" : ""}`
  return `${name}: survives ${walks} walks${among}`
}

/**
 * Judges the faults of the second server whose names contain a text, by default all, and prints the survivors. Records
 * the rate if all were judged and it is not worse than before. Returns the exit code.
 */
export const measure = Effect.fn("Told.measure")(function* (text = "") {
  const judged = faults.filter(({ name }) => name.includes(text))
  const verdicts = yield* verdictsOn(judged)
  for (const verdict of verdicts) if (verdict.failing.length === 0) yield* Console.log(toldSurvivor(verdict))
  if (text !== "") {
    const found = verdicts.filter(({ failing }) => failing.length > 0).length
    yield* Console.log(`${found} of ${judged.length} faults found`)
    return found === judged.length ? 0 : 1
  }
  const rate = rateOf(verdicts, yield* falseAlarms())
  yield* Console.log(told(rate))
  const complaints = worsenings(rate, recordedCounts().secondServer)
  for (const complaint of complaints) yield* Console.error(complaint)
  if (complaints.length > 0) return 1
  yield* Effect.sync(() => writeCounts({ secondServer: rate }))
  return 0
})
