import { Schema } from "effect"
import { packageFile, packageText } from "./PackageFile.ts"

const Area = Schema.Struct({
  /** The area of rules, such as `OWN`. */
  area: Schema.String,
  faults: Schema.Int,
  found: Schema.Int,
  /** The faults that are found, but not by the rule and the kind of difference that their rows expect, by name. */
  otherwise: Schema.Array(Schema.String),
  /** The faults on which no rule fails, by name. */
  survivors: Schema.Array(Schema.String)
})
export type Area = typeof Area.Type

/**
 * The rate of the suite on a second implementation of the specification: the single faults that make a rule fail, by
 * area, and the false alarms without a fault.
 */
const KillRate = Schema.Struct({
  faults: Schema.Int,
  found: Schema.Int,
  /** Rules that fail, warn or are blocked on the server without a fault. */
  falseAlarms: Schema.Array(Schema.String),
  areas: Schema.Array(Area)
})
export type KillRate = typeof KillRate.Type

/** The recorded counts of this release. Tests compare them with those of a run, and a budget chooses walks by them. */
const Counts = Schema.Struct({
  /** The requests that each walk sent to the second server, clean-up included, by walk. */
  requests: Schema.Record(Schema.String, Schema.Int),
  /** The places at which each rule is judged on the second server: all that it offers. */
  places: Schema.Record(Schema.String, Schema.Int),
  secondServer: KillRate
})
export type Counts = typeof Counts.Type

/** The name of the file, in the folder of this package. */
export const countsName = "counts.json"

export const countsFile = packageFile(countsName)

export const recordedCounts = (): Counts =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Counts))(packageText(countsName) ?? "")
