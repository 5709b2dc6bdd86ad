import { areaOf } from "../catalogue/Catalogue.ts"
import type { FailOn } from "../report/ExitCode.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { inLine } from "../text/Visible.ts"
import { escaped, escapedAttribute } from "./Markup.ts"

const attributes = (values: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escapedAttribute(String(value))}"`]))
    .join("")

/** The outcome of a rule in JUnit. */
type Outcome = "passed" | "failure" | "error" | "skipped"

/**
 * Only what fails the run is red. A broken MUST is a failure, and so is a SHOULD with `--fail-on should`. A MUST that
 * could not be judged is an error, and so is a fault of the suite. Everything else that did not pass is skipped, with
 * its reason.
 */
const outcomeOf = ({ level, verdict }: RuleReport, failOn: FailOn): Outcome => {
  switch (verdict) {
    case "pass":
      return "passed"
    case "fail":
      return "failure"
    case "warn":
      return failOn === "should" ? "failure" : "skipped"
    case "error":
      return "error"
    case "blocked":
    case "inconclusive":
      return level === "MUST" ? "error" : "skipped"
    default:
      return "skipped"
  }
}

const details = (rule: RuleReport, report: Report): string =>
  [
    ReportText.standing(rule),
    ...ReportText.decisive(rule).flatMap(({ differences }) => differences.flatMap(ReportText.differenceLines)),
    ...rule.reasons,
    ...ReportText.evidence(rule, report).map(ReportText.exchangeLine),
    ...(ReportText.isShownAgain(rule, report) ? [`sh ${ReportText.reproPath(rule.id)}`] : [])
  ].join("\n")

const messageOf = (rule: RuleReport): string => {
  const [first, ...more] = ReportText.decisive(rule).flatMap(({ differences }) => differences)
  const why = rule.verdict === "baselined" ? `${rule.reasons.join("; ")} · ` : ""
  if (first !== undefined) {
    return `${why}${ReportText.difference(first)}${more.length === 0 ? "" : `, and ${more.length} more`}`
  }
  return [...rule.reasons, ...ReportText.observed(rule)].join("; ") || ReportText.verdictWords[rule.verdict]
}

const kindOf = (rule: RuleReport): string =>
  ReportText.decisive(rule).flatMap(({ differences }) => differences.map(({ kind }) => kind))[0] ?? rule.verdict

const inside = (rule: RuleReport, report: Report, outcome: Outcome): string => {
  const message = messageOf(rule)
  switch (outcome) {
    case "passed":
      return ""
    case "skipped":
      return `<skipped${attributes({ message: `${ReportText.verdictWords[rule.verdict]}: ${message}` })}/>`
    default:
      return `<${outcome}${attributes({ message, type: kindOf(rule) })}>${escaped(details(rule, report))}</${outcome}>`
  }
}

const testcase = (rule: RuleReport, report: Report, outcome: Outcome): string => {
  const about = attributes({
    name: `${rule.id} ${inLine(rule.text)}`,
    classname: `wcs.${areaOf(rule.id)}`,
    time: 0
  })
  const content = inside(rule, report, outcome)
  return content === "" ? `    <testcase${about}/>` : `    <testcase${about}>${content}</testcase>`
}

/** Facts of the run. JUnit has no place for them but the first suite. */
const properties = ({ header, headline }: Report): ReadonlyArray<string> => {
  const { catalogueDigest, ceiling, deployment, profile, run, suiteVersion, target } = header
  const facts = { ...{ run, suiteVersion, catalogueDigest, profile, target, ceiling }, ...deployment, headline }
  return [
    "    <properties>",
    ...Object.entries(facts).map(([name, value]) => `      <property${attributes({ name, value })}/>`),
    "    </properties>"
  ]
}

/** A suite of its own for errors in the baseline: they fail the run and belong to no rule. */
const baselineSuite = (report: Report): ReadonlyArray<string> => {
  const { complaints = [] } = report.baseline ?? {}
  if (complaints.length === 0) return []
  const count = complaints.length
  const about = attributes({ name: "baseline", tests: count, failures: count, errors: 0, skipped: 0, time: 0 })
  const cases = complaints.map(({ rule, why }) => {
    const failure = `<failure${attributes({ message: why, type: "baseline" })}/>`
    return `    <testcase${attributes({ name: rule, classname: "wcs.baseline", time: 0 })}>${failure}</testcase>`
  })
  return [`  <testsuite${about}>`, ...cases, "  </testsuite>"]
}

/** Returns JUnit XML: one suite per area, one case per rule, and one suite for errors in the baseline. */
export const junit = (report: Report, failOn: FailOn = "must"): string => {
  const areas = [...Map.groupBy(report.rules, ({ id }) => areaOf(id))]
  const suites = areas.map(([area, rules], index) => {
    const outcomes = rules.map((rule) => [rule, outcomeOf(rule, failOn)] as const)
    const count = (wanted: Outcome) => outcomes.filter(([, outcome]) => outcome === wanted).length
    const about = attributes({
      name: area,
      tests: rules.length,
      failures: count("failure"),
      errors: count("error"),
      skipped: count("skipped"),
      time: index === 0 ? (ReportText.seconds(report) ?? 0) : 0,
      timestamp: report.header.startedAt.replace(/(\.\d+)?Z$/, "")
    })
    return [
      `  <testsuite${about}>`,
      ...(index === 0 ? properties(report) : []),
      ...outcomes.map(([rule, outcome]) => testcase(rule, report, outcome)),
      "  </testsuite>"
    ].join("\n")
  })
  const mended = baselineSuite(report)
  const name = attributes({ name: `${ReportText.commandOf(report)}: ${report.header.profile}` })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${name}>`,
    ...suites,
    ...mended,
    "</testsuites>",
    ""
  ].join("\n")
}
