import type { Report } from "./report/Report.ts"

/** The exit codes of the process. */
export const exitCodes = {
  /** Every selected MUST that applies and that this release checks passed. */
  passed: 0,
  /** A MUST failed, or a SHOULD with `--fail-on should`, or the baseline has errors. */
  failed: 1,
  /** The command line or the profile is invalid. Nothing was sent. */
  usage: 2,
  /** The deployment did not respond, or rejected the credentials, before anything was judged. */
  unreachable: 3,
  /** Nothing failed, but a MUST could not be judged, or nothing was judged. */
  unjudged: 4,
  /** The suite failed. */
  fault: 5,
  /** The run was stopped early. It cleaned up, and its report is partial. */
  interrupted: 130
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The lowest level whose breach fails a run. */
export type FailOn = "must" | "should"

/**
 * Returns the exit code of a report. A fault of the suite outweighs failures, and failures outweigh rules that were not
 * judged. Failures in the baseline do not count while the baseline has no errors. Rules that are unchecked, kept
 * elsewhere or not selected do not count either.
 */
export const exitCodeOf = ({ baseline, header, rules }: Report, failOn: FailOn = "must"): ExitCode => {
  const has = (...verdicts: ReadonlyArray<string>) => rules.some(({ verdict }) => verdicts.includes(verdict))
  if (header.ending.as === "interrupted") return exitCodes.interrupted
  if (header.ending.as === "broken off" || has("error")) return exitCodes.fault
  if (header.ending.as === "unreachable") return exitCodes.unreachable
  if (baseline !== null && baseline.complaints.length > 0) return exitCodes.failed
  if (has("fail") || (failOn === "should" && has("warn"))) return exitCodes.failed
  const isOpen = rules.some(({ level, verdict }) => level === "MUST" && ["blocked", "inconclusive"].includes(verdict))
  return isOpen || !has("pass", "warn", "baselined") ? exitCodes.unjudged : exitCodes.passed
}
