import { Schema } from "effect"
import { packageFile, packageText } from "../PackageFile.ts"

const Area = Schema.Struct({
  /** The area of rules, such as `OWN`. */
  area: Schema.String,
  faults: Schema.Int,
  found: Schema.Int,
  /** The faults on which no rule fails, by name. */
  survivors: Schema.Array(Schema.String)
})
export type Area = typeof Area.Type

/**
 * The recorded rate of the suite on a second implementation of the specification: the single faults that make a rule
 * fail, by area, and the false alarms without a fault.
 */
export const KillRate = Schema.Struct({
  faults: Schema.Int,
  found: Schema.Int,
  /** Rules that fail, warn or are blocked on the server without a fault. */
  falseAlarms: Schema.Array(Schema.String),
  areas: Schema.Array(Area)
})
export type KillRate = typeof KillRate.Type

const name = "kill-rate.json"

export const rateFile = packageFile(name)

/** The rate that was recorded for this release. */
export const recordedRate = (): KillRate => Schema.decodeUnknownSync(Schema.fromJsonString(KillRate))(packageText(name))
