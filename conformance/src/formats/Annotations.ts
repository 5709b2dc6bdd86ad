import type { Report, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { inLine } from "../text/Visible.ts"

/** Escapes a message of a workflow command (GitHub Actions, "Workflow commands"). */
const escaped = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

const inProperty = (text: string): string => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/** What is wrong with a rule, in one line. */
export const problemOf = (rule: RuleReport): string => {
  const [first] = ReportText.decisive(rule).flatMap(({ differences }) => differences)
  const why = first === undefined ? rule.reasons.map(inLine).join("; ") : ReportText.difference(first)
  return `${inLine(rule.text)} ${ReportText.verdictWords[rule.verdict]}: ${why}`
}

const kinds: Partial<Record<RuleReport["verdict"], string>> = {
  fail: "error",
  error: "error",
  warn: "warning",
  blocked: "notice",
  inconclusive: "notice"
}

/** Returns a workflow command for each rule with a problem. GitHub shows them at the run of the workflow. */
export const annotationsOf = ({ header, headline, rules }: Report): ReadonlyArray<string> =>
  header.ending.as === "unreachable"
    ? [`::error title=wcs-conformance::${escaped(inLine(headline))}`]
    : rules.flatMap((rule) => {
        const kind = rule.level === "OBSERVE" ? undefined : kinds[rule.verdict]
        return kind === undefined ? [] : [`::${kind} title=${inProperty(rule.id)}::${escaped(problemOf(rule))}`]
      })
