import { isPassedInPart } from "./Headline.ts"
import type { Report } from "./Report.ts"

/** The exit codes of the process. */
export const exitCodes = {
  /** Every selected MUST that applies and that this release judges passed. */
  passed: 0,
  /** A MUST failed, or a SHOULD if requested, or the baseline is wrong. */
  failed: 1,
  /** Wrong usage or profile: no request was sent. */
  usage: 2,
  /** The deployment did not answer or refused the credentials before any rule was judged. */
  unreachable: 3,
  /** Nothing failed, but a MUST could not be judged, or nothing was judged. */
  unjudged: 4,
  /** The suite failed. */
  fault: 5,
  /** The run was interrupted: it cleaned up, and its report is partial. */
  interrupted: 130
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The lowest level whose failure fails a run. */
export type FailOn = "must" | "should"

/**
 * The exit code of a run. Internal errors outweigh failures, and failures outweigh unjudged rules. Failures in the
 * baseline do not count, unless the baseline itself is wrong. Rules without a check in this release, rules kept
 * elsewhere and rules outside the selection do not count either.
 */
export const exitCodeOf = ({ baseline, header, rules }: Report, failOn: FailOn = "must"): ExitCode => {
  const has = (...verdicts: ReadonlyArray<string>) => rules.some(({ verdict }) => verdicts.includes(verdict))
  if (header.ending.as === "interrupted") return exitCodes.interrupted
  if (header.ending.as === "broken off" || has("error")) return exitCodes.fault
  if (header.ending.as === "unreachable") return exitCodes.unreachable
  if (baseline !== null && baseline.complaints.length > 0) return exitCodes.failed
  if (has("fail") || (failOn === "should" && has("warn"))) return exitCodes.failed
  const isOpen = rules.some(
    (rule) => rule.level === "MUST" && (["blocked", "inconclusive"].includes(rule.verdict) || isPassedInPart(rule))
  )
  return isOpen || !has("pass", "warn", "baselined") ? exitCodes.unjudged : exitCodes.passed
}
