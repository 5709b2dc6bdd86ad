import { styleText } from "node:util"
import type { Verdict } from "../engine/Verdict.ts"
import { remedies } from "../repro/Remedy.ts"
import { counted } from "./Headline.ts"
import type { Report, RuleReport } from "./Report.ts"
import * as Told from "./Told.ts"

export interface Options {
  readonly color: boolean
  /** The folder of the reports, for printed paths; default: the current folder. */
  readonly folder?: string
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
const width = 108

/** Wraps a text and indents its lines. */
const wrapped = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.map((line) => `${indent}${line}`)
}

const maxExchanges = 6

const exchangesOf = (rule: RuleReport, report: Report): ReadonlyArray<string> => {
  const evidence = Told.evidence(rule, report)
  const more = evidence.length - maxExchanges
  return [
    ...evidence.slice(0, maxExchanges).map((exchange) => `${indent}${Told.exchangeLine(exchange)}`),
    ...(more > 0 ? [`${indent}… and ${counted(more, "exchange")} more`] : [])
  ]
}

const broken = (rule: RuleReport, report: Report, options: Options): ReadonlyArray<string> => {
  const folder = options.folder === undefined ? "" : `${options.folder.replace(/\/$/, "")}/`
  const found = Told.decisive(rule)
  return [
    `  ${paint(rule.verdict, options)(label(rule.verdict))}${rule.id}  ${Told.standing(rule)}`,
    ...wrapped(rule.text),
    ...found.flatMap(({ differences }) => differences.flatMap(Told.differenceLines).map((line) => `${indent}${line}`)),
    ...rule.reasons.map((reason) => `${indent}${Told.inLine(reason)}`),
    ...remedies(rule, report).map((remedy) => `${indent}To keep the rule: ${remedy}`),
    ...exchangesOf(rule, report),
    ...(Told.isShownAgain(rule, report) ? [`${indent}sh ${folder}${Told.reproPath(rule.id)}`] : []),
    ""
  ]
}

/** A reason and the rules that were not judged because of it. */
const unjudged = ([reason, rules]: readonly [string, ReadonlyArray<RuleReport>], options: Options) => {
  const [verdict = "blocked"] = rules.map((rule) => rule.verdict)
  const musts = rules.filter(({ level }) => level === "MUST").length
  const others = rules.length - musts
  const counts = [...(musts === 0 ? [] : [counted(musts, "must")]), ...(others === 0 ? [] : [counted(others, "other")])]
  return [
    `  ${paint(verdict, options)(label(verdict))}${reason}`,
    ...wrapped(`${counts.join(", ")}: ${rules.map(({ id }) => id).join(" ")}`)
  ]
}

const byReason = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<readonly [string, ReadonlyArray<RuleReport>]> => [
  ...Map.groupBy(rules, ({ reasons }) =>
    reasons.length === 0 ? "no reason was recorded" : reasons.map(Told.inLine).join("; ")
  )
]

const residue = ({ residue: left }: Report): ReadonlyArray<string> =>
  left.length === 0
    ? []
    : [
        `  left behind: ${counted(left.length, "thing")}`,
        ...left.map(({ name, type, why }) => `${indent}${type} ${Told.inLine(name)}: ${why}`),
        ""
      ]

const baseline = (report: Report): ReadonlyArray<string> => {
  const complaints = Told.complaints(report)
  return complaints.length === 0
    ? []
    : [
        `  to fix in the baseline: ${counted(complaints.length, "entry", "entries")}`,
        ...complaints.map((one) => `${indent}${Told.inLine(one)}`),
        ""
      ]
}

const took = (report: Report): string => {
  const seconds = Told.seconds(report)
  const places = Told.places(report)
  const told = `  ${counted(report.counts.requests, "request")}${seconds === undefined ? "" : ` in ${seconds.toFixed(1)} s`}`
  return places === undefined ? told : `${told}; ${places}`
}

/** Formats a report for a terminal: problems first, headline last. */
export const terminal = (report: Report, options: Options): string => {
  const of = (...verdicts: ReadonlyArray<Verdict>) =>
    verdicts.flatMap((verdict) => report.rules.filter((rule) => rule.verdict === verdict))
  const open =
    report.header.ending.as === "unreachable" ? [] : [...byReason(of("blocked")), ...byReason(of("inconclusive"))]
  const lines = [
    Told.headerLine(report),
    "",
    ...of("fail", "error", "warn", "baselined").flatMap((rule) => broken(rule, report, options)),
    ...open.flatMap((rules) => unjudged(rules, options)),
    ...(open.length === 0 ? [] : [""]),
    ...baseline(report),
    ...residue(report),
    took(report),
    ...(options.folder === undefined
      ? []
      : [
          `  report: ${options.folder.replace(/\/$/, "")}/report.html${open.length === 0 ? "" : ", which lists what would unlock more rules"}`
        ]),
    Told.inLine(report.headline)
  ]
  return `${lines.join("\n")}\n`
}
