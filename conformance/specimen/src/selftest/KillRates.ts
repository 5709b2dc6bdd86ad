import type { Area, KillRate } from "@wcs/conformance/release/Counts"
import { areaOf } from "../faults/Faults.ts"
import type { Fault } from "../faults/Rows.ts"
import type { Verdict } from "./Verdict.ts"

/** The rate at which faults are found, by area. A fault without a verdict counts as a survivor. */
export const rateOf = (
  faults: ReadonlyArray<Fault>,
  verdicts: ReadonlyArray<Verdict>,
  falseAlarms: ReadonlyArray<string>
): KillRate => {
  const byName = new Map(verdicts.map((verdict) => [verdict.name, verdict.as]))
  const areas = [...Map.groupBy(faults, areaOf)].map(([area, own]): Area => {
    const named = (as: Verdict["as"]) =>
      own.filter(({ name }) => (byName.get(name) ?? "survivor") === as).map(({ name }) => name)
    const survivors = named("survivor")
    return { area, faults: own.length, found: own.length - survivors.length, otherwise: named("otherwise"), survivors }
  })
  return {
    faults: faults.length,
    found: areas.reduce((sum, { found }) => sum + found, 0),
    falseAlarms,
    areas: areas.toSorted((a, b) => (a.area < b.area ? -1 : 1))
  }
}
