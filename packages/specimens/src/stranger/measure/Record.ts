import { readFileSync } from "node:fs"
import { Schema } from "effect"

const Area = Schema.Struct({
  area: Schema.String,
  faults: Schema.Int,
  found: Schema.Int,
  /** The faults on which no rule fails, by name. */
  survivors: Schema.Array(Schema.String)
})
export type Area = typeof Area.Type

/** How many single faults of a second server the suite finds, by area, and its false alarms on that server. */
const KillRate = Schema.Struct({
  faults: Schema.Int,
  found: Schema.Int,
  /** Rules that fail, warn or are blocked on the server without a fault. */
  falseAlarms: Schema.Array(Schema.String),
  areas: Schema.Array(Area)
})
export type KillRate = typeof KillRate.Type

export const rateFile = new URL("../../../../../conformance/kill-rate.json", import.meta.url)

/** The rate that was recorded last. */
export const recordedRate = (): KillRate =>
  Schema.decodeUnknownSync(Schema.fromJsonString(KillRate))(readFileSync(rateFile, "utf8"))

/**
 * The ways in which a rate is worse than the recorded one, one sentence each. In an area with other faults than before,
 * new survivors are allowed.
 */
export const worsenings = (rate: KillRate, recorded: KillRate): ReadonlyArray<string> => [
  ...rate.falseAlarms.map((alarm) => `stranger: false alarm on the server without a fault: ${alarm}`),
  ...rate.areas.flatMap(({ area, faults, survivors }) => {
    const before = recorded.areas.find((one) => one.area === area)
    if (before === undefined || before.faults !== faults) return []
    const known = new Set(before.survivors)
    return survivors.filter((name) => !known.has(name)).map((name) => `stranger: survives now: ${name}`)
  })
]
