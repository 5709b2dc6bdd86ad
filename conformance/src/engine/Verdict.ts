import type { Level } from "../catalogue/Rule.ts"
import type { Finding } from "./Finding.ts"

/** The verdicts on a rule. Only `pass` is green. */
export const verdicts = [
  "pass",
  /** A MUST was broken. */
  "fail",
  /** A SHOULD or MAY was broken, or the rule itself calls the breach a warning. */
  "warn",
  /** The rule fails as the baseline says: a known failure, not a pass. */
  "baselined",
  /** The rule could not be judged; `reason` names what is missing. */
  "blocked",
  "inconclusive",
  "not-applicable",
  "observed",
  /** The suite failed. */
  "error",
  /** Callers or the console keep the rule. It is judged there. */
  "elsewhere",
  /** This release does not check the rule. */
  "unchecked"
] as const
export type Verdict = (typeof verdicts)[number]

/** Worst first: a rule has the worst outcome of its findings. */
const precedence = ["fail", "error", "blocked", "inconclusive", "warn", "pass", "observed", "not-applicable"] as const

/** Returns the verdict of all findings about a rule; undefined without findings. */
export const verdictOf = (level: Level, findings: ReadonlyArray<Finding>): Verdict | undefined => {
  const worst = precedence.find((outcome) => findings.some((finding) => finding.outcome === outcome))
  return worst === "fail" && level !== "MUST" ? "warn" : worst
}
