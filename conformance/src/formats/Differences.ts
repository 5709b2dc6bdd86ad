import type { Verdict } from "../engine/Verdict.ts"
import type { Comparison, OtherObservation, OtherVerdict, Subject } from "../report/Comparison.ts"
import { counted } from "../report/Headline.ts"
import * as ReportText from "../report/ReportText.ts"
import type { Json } from "../text/Json.ts"
import { inLine } from "../text/Visible.ts"

const subject = (name: string, { catalogueDigest, deployment, profile, startedAt, suiteVersion, target }: Subject) => {
  const of = [deployment.product, deployment.version].filter((part) => part !== undefined).join(" ")
  const who = `${profile}${of === "" ? "" : ` (${of})`} at ${target}`
  return `${name} ${inLine(who)}, ${startedAt}, suite ${suiteVersion}, catalogue ${catalogueDigest}`
}

const verdict = (told: Verdict | null, reasons: ReadonlyArray<string>): string =>
  told === null
    ? "not in this catalogue"
    : [ReportText.verdictWords[told], reasons.map(inLine).join("; ")].filter((text) => text !== "").join(": ")

const ofVerdict = ({ left, leftReasons, level, right, rightReasons, rule, text }: OtherVerdict) => [
  `  ${rule}  ${level.toLowerCase()}  ${text}`,
  `    - ${verdict(left, leftReasons)}`,
  `    + ${verdict(right, rightReasons)}`
]

const seen = (values: ReadonlyArray<Json>): string =>
  values.length === 0 ? "nothing was observed" : values.map(ReportText.value).join(", ")

const ofObservation = ({ left, question, right, rule }: OtherObservation) => [
  `  ${rule}  ${question}`,
  `    - ${seen(left)}`,
  `    + ${seen(right)}`
]

const part = (title: string, lines: ReadonlyArray<string>) => (lines.length === 0 ? [] : [title, ...lines, ""])

/** Returns the differences of two results as text: `-` marks the left one, `+` the right one. */
export const differences = (comparison: Comparison): string => {
  const { left, observations, right, rules, verdicts } = comparison
  return [
    subject("-", left),
    subject("+", right),
    "",
    ...part("Verdicts", verdicts.flatMap(ofVerdict)),
    ...part("Observations", observations.flatMap(ofObservation)),
    `${counted(rules, "rule")}: ${counted(verdicts.length, "verdict")} and ` +
      `${counted(observations.length, "observation")} differ`
  ].join("\n")
}
