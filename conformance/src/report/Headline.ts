import type { Verdict } from "../engine/Verdict.ts"
import type { Report, RuleReport } from "./Report.ts"

/** Formats a count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Groups equal texts, largest group first. Groups of equal size keep their order. */
const grouped = (texts: ReadonlyArray<string>): ReadonlyArray<readonly [text: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted(([, left], [, right]) => right - left)
}

/** The number of groups in the headline; the report has all of them. */
const maxLacks = 5

/** Such as `9 need limited tokens, 3 second tenant, 2 other needs, 1 for another reason`. */
const byLack = (rules: ReadonlyArray<RuleReport>, verb: (count: number) => string): string => {
  const lacking = grouped(rules.filter(({ lacks }) => lacks.length > 0).map(({ lacks }) => lacks.join(" and ")))
  const most = lacking.length > maxLacks + 1 ? lacking.slice(0, maxLacks) : lacking
  const rest = lacking.slice(most.length).reduce((sum, [, count]) => sum + count, 0)
  const told = most.map(([lack, count], index) => `${count} ${index === 0 ? `${verb(count)} ` : ""}${lack}`)
  const other = rules.filter(({ lacks }) => lacks.length === 0).length
  return [
    ...told,
    ...(rest === 0 ? [] : [`${rest} other needs`]),
    ...(other === 0 ? [] : [counted(other, "for another reason", "for other reasons")])
  ].join(", ")
}

const blocked = (rules: ReadonlyArray<RuleReport>): string =>
  `${rules.length} blocked: ${byLack(rules, (count) => (count === 1 ? "needs" : "need"))}`

/** Whether the run's own limits left some places of a passed rule open. */
export const isPassedInPart = ({ lacks, verdict }: Pick<RuleReport, "lacks" | "verdict">): boolean =>
  verdict === "pass" && lacks.length > 0

/** Rules that are not applicable because the profile declares their needs as not offered. */
const notOffered = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<RuleReport> =>
  rules.filter(({ lacks, verdict }) => verdict === "not-applicable" && lacks.length > 0)

const notApplicable = (rules: ReadonlyArray<RuleReport>, more = ""): string => {
  const lacking = notOffered(rules)
  const why = lacking.length === 0 ? "" : ` (not offered: ${byLack(lacking, () => "").replaceAll("  ", " ")})`
  return `${rules.length} ${more}not applicable${why}`
}

/**
 * Summarises the run in one line. It counts every MUST of the server, including those that were not judged, and gives
 * the reasons. So it never looks better than the run was.
 */
export const headlineOf = ({ baseline, header, rules }: Pick<Report, "baseline" | "header" | "rules">): string => {
  const { as, sentence } = header.ending
  if (as === "unreachable") return `judged nothing: ${sentence}`
  const musts = rules.filter(({ level, verdict }) => level === "MUST" && verdict !== "elsewhere")
  const of = (verdict: Verdict) => musts.filter((rule) => rule.verdict === verdict)
  const count = (verdict: Verdict) => of(verdict).length
  const inAll = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length
  const isAsked = ({ id }: RuleReport) => header.only === null || header.only.includes(id)
  const inPart = of("pass").filter(isPassedInPart).length
  const unchecked = of("unchecked").filter(isAsked).length
  const notAsked = musts.filter((rule) => !isAsked(rule)).length
  const warned = count("warn")
  const warnings = inAll("warn")
  const observations = inAll("observed")
  const known = count("baselined")
  const othersKnown = inAll("baselined") - known
  const othersNotOffered = notOffered(rules.filter(({ level }) => level !== "MUST"))
  const complaints = baseline?.complaints.length ?? 0
  const judged = count("pass") + count("fail") + warned + known
  const parts = [
    `judged ${judged} of ${musts.length} musts: ${count("pass")} passed, ${count("fail")} failed` +
      (inPart === 0 ? "" : `, ${inPart} passed at some of their places only`) +
      (warned === 0 ? "" : `, ${warned} passed with a warning`) +
      (known === 0 ? "" : `, ${known} broken and baselined`),
    ...(complaints === 0 ? [] : [`${counted(complaints, "entry", "entries")} of the baseline to fix`]),
    ...(count("error") === 0 ? [] : [`${count("error")} not judged because of a fault in the suite`]),
    ...(count("blocked") === 0 ? [] : [blocked(of("blocked"))]),
    ...(count("inconclusive") === 0 ? [] : [`${count("inconclusive")} inconclusive`]),
    ...(count("not-applicable") === 0 ? [] : [notApplicable(of("not-applicable"))]),
    ...(othersNotOffered.length === 0 ? [] : [notApplicable(othersNotOffered, "more ")]),
    ...(unchecked === 0 ? [] : [`${unchecked} unchecked in this release`]),
    ...(notAsked === 0 ? [] : [`${notAsked} not selected`]),
    ...(othersKnown === 0 ? [] : [`${othersKnown} more baselined`]),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
    ...(observations === 0 ? [] : [counted(observations, "observation")])
  ]
  const early = as === "finished" ? "" : `${as}: `
  const repeated = header.repeats === undefined ? "" : `in ${header.repeats.length} runs `
  return `${early}${repeated}${parts.join("; ")}`
}
