import { styleText } from "node:util"
import type { Verdict } from "../engine/Verdict.ts"
import { counted, isPassedInPart } from "../report/Headline.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { remedies } from "../repro/Remedy.ts"
import { plainly } from "../repro/Shell.ts"
import { foldedLine } from "../text/LineFolding.ts"
import { inLine } from "../text/Visible.ts"

export interface Options {
  readonly color: boolean
  /** The width of the terminal; undefined if the output is no terminal. */
  readonly columns?: number | undefined
  /** The folder of the reports, for printed paths; default: the current folder. */
  readonly folder?: string
  /** The suite's command as the user types it; default: `wcs-conformance`. */
  readonly command?: string
  /** Whether the rules that were not judged are listed. Otherwise they are counted by cause. */
  readonly lists?: boolean
}

type Paint = (text: string) => string

const colors: Partial<Record<Verdict, "red" | "magenta" | "yellow" | "cyan">> = {
  fail: "red",
  error: "magenta",
  warn: "yellow",
  baselined: "yellow",
  blocked: "cyan",
  inconclusive: "cyan"
}

/** Colours a word by its verdict. The colour repeats what the word says. */
export const paint =
  (verdict: Verdict, { color }: Pick<Options, "color">): Paint =>
  (text) => {
    const hue = colors[verdict]
    return color && hue !== undefined ? styleText(["bold", hue], text, { validateStream: false }) : text
  }

const marks: Partial<Record<Verdict, string>> = {
  fail: "FAIL",
  error: "FAULT",
  warn: "WARN",
  baselined: "KNOWN",
  blocked: "BLOCKED",
  inconclusive: "UNSURE"
}

/** The label of a verdict, padded to equal width. */
export const label = (verdict: Verdict): string => (marks[verdict] ?? verdict.toUpperCase()).padEnd(8)

const indent = " ".repeat(10)
const maxWidth = 108

/** Wraps a text and indents its lines. */
const wrapped = (text: string, { columns = Number.POSITIVE_INFINITY }: Options): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const width = Math.min(maxWidth, columns - indent.length)
  for (const word of text.split(" ")) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.map((line) => `${indent}${line}`)
}

const maxExchanges = 6

const exchangesOf = (rule: RuleReport, report: Report): ReadonlyArray<string> => {
  const evidence = ReportText.evidence(rule, report)
  const more = evidence.length - maxExchanges
  return [
    ...evidence.slice(0, maxExchanges).map((exchange) => `${indent}${ReportText.exchangeLine(exchange)}`),
    ...(more > 0 ? [`${indent}… and ${counted(more, "exchange")} more`] : [])
  ]
}

const broken = (rule: RuleReport, report: Report, options: Options): ReadonlyArray<string> => {
  const folder = options.folder === undefined ? "" : `${options.folder.replace(/\/$/, "")}/`
  const found = ReportText.decisive(rule)
  return [
    `  ${paint(rule.verdict, options)(label(rule.verdict))}${rule.id}  ${ReportText.standing(rule)}`,
    ...wrapped(rule.text, options),
    ...found.flatMap(({ differences }) =>
      differences.flatMap(ReportText.differenceLines).map((line) => `${indent}${line}`)
    ),
    ...rule.reasons.map((reason) => foldedLine(`${indent}${inLine(reason)}`, options.columns)),
    ...remedies(rule, report).map((remedy) => foldedLine(`${indent}To keep the rule: ${remedy}`, options.columns)),
    ...exchangesOf(rule, report),
    ...(ReportText.isShownAgain(rule, report)
      ? [`${indent}sh ${plainly(`${folder}${ReportText.reproPath(rule.id)}`)}`]
      : []),
    ""
  ]
}

const mustsIn = (rules: ReadonlyArray<RuleReport>): number => rules.filter(({ level }) => level === "MUST").length

/** `3 musts, 1 other`. */
const levelsOf = (rules: ReadonlyArray<RuleReport>): string => {
  const musts = mustsIn(rules)
  const others = rules.length - musts
  return [...(musts === 0 ? [] : [counted(musts, "must")]), ...(others === 0 ? [] : [counted(others, "other")])].join(
    ", "
  )
}

const idsOf = (rules: ReadonlyArray<RuleReport>): string => rules.map(({ id }) => id).join(" ")

/** A cause and the rules that were not judged because of it. */
type Cause = readonly [cause: string, rules: ReadonlyArray<RuleReport>]

const causeLine = ([cause, [first]]: Cause, options: Options): string => {
  const verdict = first?.verdict ?? "blocked"
  return `  ${paint(verdict, options)(label(verdict))}${cause}`
}

const causeLines = (cause: Cause, options: Options): ReadonlyArray<string> => [
  foldedLine(causeLine(cause, options), options.columns),
  ...wrapped(`${levelsOf(cause[1])}: ${idsOf(cause[1])}`, options)
]

/** Rules that were not judged, by their reasons. */
const byReason = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<Cause> => [
  ...Map.groupBy(rules, ({ reasons }) =>
    reasons.length === 0 ? "no reason was recorded" : reasons.map(inLine).join("; ")
  )
]

/** Rules that were not judged, by the needs that they lack; most MUST rules first. */
const byLack = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<Cause> =>
  [...Map.groupBy(rules, ({ lacks }) => `needs ${lacks.map(inLine).join(" and ")}`)].toSorted(
    ([, left], [, right]) => mustsIn(right) - mustsIn(left)
  )

/** Whether a rule was not judged only because something is missing, and no call failed. */
const isLack = ({ lacks, reasons, verdict }: RuleReport): boolean =>
  verdict !== "pass" && lacks.length > 0 && !reasons.some((reason) => reason.startsWith("prerequisite failed"))

/** The number of causes in the summary, of each kind. */
const maxCauses = 8

/** The causes for which rules were not judged: what the profile lacks in one line each, then the other reasons. */
const summary = (open: ReadonlyArray<RuleReport>, options: Options): ReadonlyArray<string> => {
  const lacking = byLack(open.filter(isLack))
  const others = byReason(open.filter((rule) => !isLack(rule)))
  const rest = [...lacking.slice(maxCauses), ...others.slice(maxCauses)]
  return [
    ...lacking
      .slice(0, maxCauses)
      .map((cause) => foldedLine(`${causeLine(cause, options)}: ${levelsOf(cause[1])}`, options.columns)),
    ...others.slice(0, maxCauses).flatMap((cause) => causeLines(cause, options)),
    ...(rest.length === 0
      ? []
      : [`${indent}… and ${counted(rest.length, "cause")} more: ${levelsOf(rest.flatMap(([, rules]) => rules))}`])
  ]
}

/** Every reason with its rules. */
const list = (open: ReadonlyArray<RuleReport>, options: Options): ReadonlyArray<string> =>
  byReason(open).flatMap((cause) => causeLines(cause, options))

/** The passed rules of a run that judged selected rules. The headline counts only MUST rules. */
const passed = ({ header, rules }: Report, options: Options): ReadonlyArray<string> => {
  const good = rules.filter(({ verdict }) => verdict === "pass")
  return header.only === null || good.length === 0
    ? []
    : [`  PASS    ${counted(good.length, "rule")}`, ...wrapped(`${levelsOf(good)}: ${idsOf(good)}`, options), ""]
}

const residue = ({ residue: left }: Report): ReadonlyArray<string> =>
  left.length === 0
    ? []
    : [
        `  left behind: ${counted(left.length, "thing")}`,
        ...left.map(({ name, type, why }) => `${indent}${type} ${inLine(name)}: ${why}`),
        ""
      ]

const baseline = (report: Report): ReadonlyArray<string> => {
  const complaints = ReportText.complaints(report)
  return complaints.length === 0
    ? []
    : [
        `  to fix in the baseline: ${counted(complaints.length, "entry", "entries")}`,
        ...complaints.map((one) => `${indent}${inLine(one)}`),
        ""
      ]
}

const took = (report: Report): string => {
  const seconds = ReportText.seconds(report)
  const places = ReportText.places(report)
  const told = `  ${counted(report.counts.requests, "request")}${seconds === undefined ? "" : ` in ${seconds.toFixed(1)} s`}`
  return places === undefined ? told : `${told}; ${places}`
}

const reportLine = (folder: string, isOpen: boolean, { command = "wcs-conformance", lists }: Options): string =>
  `  report: ${folder}/report.html` +
  (isOpen ? ", which lists what would unlock more rules" : "") +
  (isOpen && lists !== true ? `\n  to list these rules here: ${command} judge ${plainly(folder)} --list` : "")

/** Formats a report for a terminal: problems first, headline last. */
export const terminal = (report: Report, options: Options): string => {
  const of = (...verdicts: ReadonlyArray<Verdict>) =>
    verdicts.flatMap((verdict) => report.rules.filter((rule) => rule.verdict === verdict))
  const unjudged = [...of("blocked", "inconclusive"), ...of("pass").filter(isPassedInPart)]
  const open = report.header.ending.as === "unreachable" ? [] : unjudged
  const lists = options.lists === true
  const lines = [
    foldedLine(ReportText.headerLine(report), options.columns),
    "",
    ...of("fail", "error", "warn", "baselined").flatMap((rule) => broken(rule, report, options)),
    ...(lists ? list(open, options) : summary(open, options)),
    ...(open.length === 0 ? [] : [""]),
    ...passed(report, options),
    ...baseline(report),
    ...residue(report),
    took(report),
    ...(options.folder === undefined ? [] : [reportLine(options.folder.replace(/\/$/, ""), open.length > 0, options)]),
    foldedLine(inLine(report.headline), options.columns)
  ]
  return `${lines.join("\n")}\n`
}
