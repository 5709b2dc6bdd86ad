import type { Report, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { inLine } from "../text/Visible.ts"
import { problemOf } from "./Annotations.ts"

const levels: Partial<Record<RuleReport["verdict"], string>> = {
  fail: "error",
  error: "error",
  warn: "warning",
  baselined: "note",
  inconclusive: "note"
}

/** The calls of a finding, as logical locations: a deployment has no source files. */
const locationsOf = (rule: RuleReport, target: string) => {
  const places = [
    ...new Set(ReportText.decisive(rule).flatMap(({ differences }) => differences.map(({ place }) => place)))
  ]
  const names = places.flatMap((place) => place ?? [])
  return (names.length === 0 ? [rule.surface] : names).map((name) => ({
    physicalLocation: { artifactLocation: { uri: target } },
    logicalLocations: [{ fullyQualifiedName: inLine(name), kind: "resource" }]
  }))
}

/** Returns the rules with problems as SARIF 2.1.0, for tools that collect findings. */
export const sarif = ({ header, rules }: Report): string => {
  const results = rules.flatMap((rule) => {
    const level = levels[rule.verdict]
    if (level === undefined) return []
    return [
      {
        ruleId: rule.id,
        level,
        message: { text: problemOf(rule) },
        locations: locationsOf(rule, header.target),
        partialFingerprints: { rule: rule.id },
        ...(rule.verdict === "baselined" && { suppressions: [{ kind: "external" }] })
      }
    ]
  })
  const descriptors = rules.map(({ id, level, sections, text }) => ({
    id,
    shortDescription: { text: inLine(text) },
    properties: { level, sections }
  }))
  const driver = { name: "wcs-conformance", version: header.suiteVersion, rules: descriptors }
  const invocation = { executionSuccessful: header.ending.as === "finished", startTimeUtc: header.startedAt }
  const runs = [{ tool: { driver }, invocations: [invocation], results }]
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs }, null, 2)}\n`
}
