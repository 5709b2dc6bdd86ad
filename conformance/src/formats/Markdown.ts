import type { Verdict } from "../engine/Verdict.ts"
import { storyOf } from "../judgement/Difference.ts"
import { counted } from "../report/Headline.ts"
import type { Report, ReportedDifference, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { remedies } from "../repro/Remedy.ts"
import { inLine } from "../text/Visible.ts"

/** Escapes text for Markdown: no markup, HTML, mentions or links. */
const plain = (text: string): string =>
  inLine(text)
    .replaceAll(/[\\`*_{}[\]<>#|~$&]/g, (char) => `\\${char}`)
    .replaceAll("@", "@\u200b")
    .replaceAll("://", ":\u200b//")

/** Formats text as code, even with backquotes in it. Not for tables: a bar would end the cell. */
const code = (text: string): string => {
  const line = inLine(text)
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([quotes]) => quotes.length))
  const fence = "`".repeat(longest + 1)
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`
}

const row = (...cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** CI systems cut long summaries. The report itself is complete. */
const maxShown = 40

const differenceLines = (found: ReportedDifference): ReadonlyArray<string> => {
  const story = storyOf(found)
  const expected = `- ${code(found.at)}: expected ${code(ReportText.value(found.expected))}, got`
  return story === undefined
    ? [`${expected} ${code(ReportText.actual(found))} (exchange ${found.exchange})`]
    : [expected, "", ...story.map((line) => `      ${inLine(line)}`), ""]
}

const broken = (rule: RuleReport, report: Report): ReadonlyArray<string> => [
  `### ${rule.id}: ${ReportText.verdictWords[rule.verdict]} (${ReportText.standing(rule)})`,
  "",
  plain(rule.text),
  "",
  ...ReportText.decisive(rule)
    .flatMap(({ differences }) => differences)
    .flatMap(differenceLines),
  ...rule.reasons.map((reason) => `- ${plain(reason)}`),
  ...remedies(rule, report).map((remedy) => `- To keep the rule: ${plain(remedy)}`),
  ...ReportText.evidence(rule, report)
    .slice(0, 6)
    .map((exchange) => `- ${code(ReportText.exchangeLine(exchange))}`),
  ...(ReportText.isShownAgain(rule, report) ? [`- ${code(`sh ${ReportText.reproPath(rule.id)}`)}`] : []),
  ""
]

const table = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<string> =>
  rules.length === 0
    ? []
    : [
        "<details>",
        `<summary>${counted(rules.length, "rule")} not judged because something is missing</summary>`,
        "",
        row("Rule", "Level", "Verdict", "Why"),
        row("---", "---", "---", "---"),
        ...rules.map(({ id, level, reasons, verdict }) =>
          row(id, level.toLowerCase(), ReportText.verdictWords[verdict], plain(reasons.join("; ")))
        ),
        "",
        "</details>",
        ""
      ]

const countsTable = (report: Report): ReadonlyArray<string> => {
  const levels = ["MUST", "SHOULD", "MAY", "OBSERVE"] as const
  const shown = ReportText.readingOrder.filter((verdict) =>
    levels.some((level) => (report.counts[level][verdict] ?? 0) > 0)
  )
  return [
    row("Level", ...shown.map((verdict) => ReportText.verdictWords[verdict])),
    row("---", ...shown.map(() => "---:")),
    ...levels.map((level) =>
      row(level.toLowerCase(), ...shown.map((verdict) => String(report.counts[level][verdict] ?? 0)))
    ),
    ""
  ]
}

const baseline = (report: Report): ReadonlyArray<string> => {
  const complaints = ReportText.complaints(report)
  return complaints.length === 0
    ? []
    : ["### Baseline entries to fix", "", ...complaints.map((one) => `- ${plain(one)}`), ""]
}

/** Returns a summary in GitHub Markdown for continuous integration. */
export const markdown = (report: Report): string => {
  const of = (...verdicts: ReadonlyArray<Verdict>) =>
    verdicts.flatMap((verdict) => report.rules.filter((rule) => rule.verdict === verdict))
  const bad = of("fail", "error", "warn", "baselined")
  const more = bad.length - maxShown
  return [
    `## Conformance of ${plain(report.header.profile)}`,
    "",
    `**${plain(report.headline)}**`,
    "",
    ...countsTable(report),
    ...baseline(report),
    ...bad.slice(0, maxShown).flatMap((rule) => broken(rule, report)),
    ...(more > 0 ? [`… and ${counted(more, "rule")} more, in the report.`, ""] : []),
    // the headline already gives the reason if nothing was judged
    ...(report.header.ending.as === "unreachable" ? [] : table(of("blocked", "inconclusive"))),
    ...(report.residue.length === 0
      ? []
      : [
          `Left behind: ${report.residue.map(({ name, type, why }) => `${type} ${code(name)} (${why})`).join(", ")}.`,
          ""
        ]),
    plain(ReportText.headerLine(report)),
    ""
  ].join("\n")
}
