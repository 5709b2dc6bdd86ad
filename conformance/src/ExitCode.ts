import type { Report } from "./report/Report.ts"

/** What the process ends with. */
export const exitCodes = {
  /** Every must that was asked about, applies and is judged by this release passed. */
  passed: 0,
  /** A must was broken; or, where that was asked for, a should; or the baseline is not right. */
  failed: 1,
  /** Bad usage or a bad profile: nothing was sent. */
  usage: 2,
  /** The deployment did not answer, or refused the credentials, before anything was judged. */
  unreachable: 3,
  /** Nothing was broken, but a must could not be judged, or nothing was judged at all. */
  unjudged: 4,
  /** The suite itself failed. */
  fault: 5,
  /** The run was told to end early: it cleaned up, and its report is partial. */
  interrupted: 130
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The least binding level whose breach fails a run. */
export type FailOn = "must" | "should"

/**
 * What a run ends with. Its own faults outweigh what it found, and what was found broken outweighs what was not
 * judged. What a baseline knows to be broken fails nothing, as long as nothing is wrong with the baseline itself. Rules that no check of this release judges, that are kept elsewhere or that were not asked about are counted
 * in the headline and change nothing here.
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
