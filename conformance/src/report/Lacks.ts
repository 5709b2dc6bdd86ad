import { budgetLack, ceilingLack, requestsLack, timeLack } from "../engine/Selection.ts"
import { impacts, impactTexts } from "../profile/Impact.ts"
import { type Need, needs } from "../profile/Need.ts"
import { isPassedInPart } from "./Headline.ts"
import type { Report, RuleReport } from "./Report.ts"
import * as ReportText from "./ReportText.ts"

/** A need that blocks rules. */
export interface Lack {
  readonly name: string
  readonly text: string
  /** Alternative profile lines that meet it; empty if none can. */
  readonly lines: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RuleReport>
}

const known: Readonly<Record<string, Need>> = needs

const mostSeconds = 86_400

/** A limit in whole minutes that is twice as long as a run took. */
const longer = (seconds: number): number => Math.min(mostSeconds, Math.ceil((2 * seconds) / 60) * 60)

/**
 * Returns the meaning of an entry of `lacks`, and the alternative profile lines that meet it. `seconds` is the time
 * that the run took.
 */
export const lackTextOf = (name: string, seconds = 900): Pick<Lack, "text" | "lines"> => {
  const need = known[name]
  if (need !== undefined) return { text: need.text, lines: need.lines }
  if (name === budgetLack) {
    return { text: "more requests than --budget allows", lines: ['"run": { "budget": 1000 }'] }
  }
  if (name === requestsLack) {
    return { text: "more requests than the run may send", lines: ['"run": { "requests": 10000 }'] }
  }
  if (name === timeLack) {
    return { text: "more seconds than the run may take", lines: [`"run": { "secondsInAll": ${longer(seconds)} }`] }
  }
  const impact = impacts.find((one) => name === ceilingLack(one))
  return impact === undefined
    ? { text: "not supported by the profiles of this release", lines: [] }
    : { text: `permission for the run: ${impactTexts[impact]}`, lines: [`"run": { "ceiling": "${impact}" }`] }
}

/** Returns the needs of the blocked rules, those that unlock most rules first. */
export const lacksOf = (report: Report): ReadonlyArray<Lack> => {
  const byLack = new Map<string, Array<RuleReport>>()
  for (const rule of report.rules) {
    if (rule.verdict !== "blocked" && !isPassedInPart(rule)) continue
    for (const name of rule.lacks) byLack.set(name, [...(byLack.get(name) ?? []), rule])
  }
  return [...byLack]
    .map(([name, blocked]) => ({ name, ...lackTextOf(name, ReportText.seconds(report)), rules: blocked }))
    .toSorted((left, right) => right.rules.length - left.rules.length)
}

/** The element id of a need in the page. */
export const lackId = (name: string): string => `lack-${name.replaceAll(/[^\w]+/g, "-")}`
