import type { Level } from "../catalogue/Rule.ts"
import type { Finding } from "./Finding.ts"

/** What a run says about one rule. Only `pass` is green. */
export const verdicts = [
  "pass",
  /** A must was broken. */
  "fail",
  /** A should, or something that is only allowed, was broken; or what a rule itself calls a warning. */
  "warn",
  /** It is broken as the baseline of the run says: known, and not passed. */
  "baselined",
  /** It could not be judged: something is missing, and `reason` names it. */
  "blocked",
  "inconclusive",
  "not-applicable",
  "observed",
  /** The suite itself failed. */
  "error",
  /** Kept by callers or by the console, and judged there. */
  "elsewhere",
  /** No check of this release judges it. */
  "unchecked"
] as const
export type Verdict = (typeof verdicts)[number]

/** The worst first: what one part of a rule lacks, the whole rule lacks. */
const precedence = ["fail", "error", "blocked", "inconclusive", "warn", "pass", "observed", "not-applicable"] as const

/** What all findings about one rule of a level come to; undefined where there are none. */
export const verdictOf = (level: Level, findings: ReadonlyArray<Finding>): Verdict | undefined => {
  const worst = precedence.find((outcome) => findings.some((finding) => finding.outcome === outcome))
  return worst === "fail" && level !== "MUST" ? "warn" : worst
}
