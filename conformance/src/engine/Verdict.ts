import type { Level } from "../catalogue/Rule.ts"
import type { Finding } from "../judgement/Finding.ts"
import { requestsLack, timeLack } from "./Selection.ts"

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

/** Whether the run's own limits left the rest of a rule open: its requests or its time. */
export const isCutShort = ({ lacks = [], outcome }: Pick<Finding, "lacks" | "outcome">): boolean =>
  outcome === "blocked" && lacks.length > 0 && lacks.every((lack) => lack === requestsLack || lack === timeLack)

/**
 * Returns the verdict of all findings about a rule; undefined without findings. A rule that passed at some places keeps
 * that verdict if only the run's limits left others open.
 */
export const verdictOf = (level: Level, findings: ReadonlyArray<Finding>): Verdict | undefined => {
  const hasPassed = findings.some(({ outcome }) => outcome === "pass")
  const counted = hasPassed ? findings.filter((finding) => !isCutShort(finding)) : findings
  const worst = precedence.find((outcome) => counted.some((finding) => finding.outcome === outcome))
  return worst === "fail" && level !== "MUST" ? "warn" : worst
}
