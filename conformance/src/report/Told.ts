import type { Verdict } from "../engine/Verdict.ts"
import { storyOf } from "../evidence/Difference.ts"
import type { RecordedExchange, Report, ReportedDifference, RuleReport } from "./Report.ts"
import { foundIn, isBroken } from "./Reporting.ts"

const code = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

const unseen = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Surrogate}\ufeff]/gu

/**
 * A text with what cannot be seen written out: control characters, which could command a terminal, marks that turn the
 * direction of writing, and halves of characters. Line ends and tabs are kept.
 */
export const visible = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(unseen, code)

/** A text in one line. */
export const inLine = (text: string): string => visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}… (${text.length - max} characters more)`

const maxValueChars = 300

/** An expected or an actual value in one line: a text as it stands, where that is no riddle. */
export const value = (told: ReportedDifference["actual"]): string => {
  const isPlain = typeof told === "string" && told !== "" && told.trim() === told
  return cut(inLine(isPlain ? told : JSON.stringify(told)), maxValueChars)
}

/** What was there, where it was. */
export const actual = (found: ReportedDifference): string => {
  const { actual: told, kind } = found
  if (kind === "missing" && told === null) return "nothing"
  return storyOf(found)?.map(inLine).join("; ") ?? value(told)
}

/** `body.error.code: expected ALREADY_LINKED, got CONFLICT (#214)`. */
export const difference = (found: ReportedDifference): string =>
  `${inLine(found.at)}: expected ${value(found.expected)}, got ${actual(found)} (${found.kind}, #${found.exchange})`

/** The same in lines: a story has one for each of its own. */
export const differenceLines = (found: ReportedDifference): ReadonlyArray<string> => {
  const story = storyOf(found)?.map(inLine)
  return story === undefined
    ? [difference(found)]
    : [`${inLine(found.at)}: expected ${value(found.expected)}, got`, ...story.map((line) => `  ${line}`)]
}

/** `answered 409` or why there was no answer. */
export const outcome = ({ answer, silence }: RecordedExchange): string =>
  answer === null ? `no answer (${silence})` : String(answer.status)

/** Path and query, without the host that all exchanges share. */
const target = (url: string): string => url.replace(/^https:\/\/[^/]*/, "")

/** `#214 POST /openapi/v1/credentials/cred_8x/link → 409, request id 01J…`. */
export const exchangeLine = (exchange: RecordedExchange): string => {
  const { answer, number, request } = exchange
  const id = answer?.headers["x-request-id"]
  const told = `#${number} ${request.method} ${cut(inLine(target(request.url)), 200)} → ${outcome(exchange)}`
  return id === undefined ? told : `${told}, request id ${cut(inLine(id), 60)}`
}

/** `must · section 3, 7.1`. */
export const standing = ({ level, sections }: RuleReport): string =>
  `${level === "OBSERVE" ? "observed only" : level.toLowerCase()} · section ${sections.join(", ")}`

/** A verdict in words that stand in a sentence. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  pass: "passed",
  fail: "failed",
  warn: "warning",
  baselined: "baselined",
  blocked: "blocked",
  inconclusive: "inconclusive",
  "not-applicable": "not applicable",
  observed: "observed",
  error: "fault of the suite",
  elsewhere: "kept elsewhere",
  unchecked: "unchecked"
}

/** The order in which a reader wants them: what is wrong, what could not be told, what is well, what is not judged. */
export const readingOrder: ReadonlyArray<Verdict> = [
  "fail",
  "error",
  "warn",
  "baselined",
  "blocked",
  "inconclusive",
  "pass",
  "observed",
  "not-applicable",
  "unchecked",
  "elsewhere"
]

/** Whether a reader has something to do about it. */
export const isOpen = (verdict: Verdict): boolean =>
  ["fail", "error", "warn", "baselined", "blocked", "inconclusive"].includes(verdict)

/** What was run against what: `wcs-conformance 0.1.0 · catalogue 9f3c · staging (acme 2.14) · https://… · ceiling …`. */
export const headerLine = ({ header }: Report): string => {
  const { product, version } = header.deployment
  const deployment = [product, version].filter((part) => part !== undefined).join(" ")
  return [
    `wcs-conformance ${header.suiteVersion}`,
    `catalogue ${header.catalogueDigest}`,
    `${inLine(header.profile)}${deployment === "" ? "" : ` (${inLine(deployment)})`}`,
    inLine(header.target),
    `ceiling ${header.ceiling}`
  ].join(" · ")
}

/** The findings of a rule that its verdict comes from. */
export const decisive = (rule: RuleReport): RuleReport["findings"] => {
  const verdict = foundIn(rule)
  return rule.findings.filter(({ outcome: found }) => found === verdict || (verdict === "warn" && found === "fail"))
}

/** What is wrong with the baseline of a run, one sentence for each entry. */
export const complaints = ({ baseline }: Report): ReadonlyArray<string> =>
  (baseline?.complaints ?? []).map(({ rule, why }) => `${rule}: ${why}`)

/** What a rule was seen to come to, each value once. */
export const observed = ({ findings }: RuleReport): ReadonlyArray<string> => [
  ...new Set(findings.flatMap((finding) => (finding.observed === undefined ? [] : [value(finding.observed)])))
]

/** The exchanges that a rule's verdict rests on. */
export const evidence = (rule: RuleReport, { exchanges }: Pick<Report, "exchanges">): Array<RecordedExchange> => {
  const numbers = new Set(
    decisive(rule).flatMap(({ differences, exchanges: own }) => [
      ...own,
      ...differences.map(({ exchange }) => exchange)
    ])
  )
  return exchanges.filter(({ number }) => numbers.has(number))
}

/** Curl receives no delivery, and makes neither codes nor signatures of a web login. */
const isBeyondCurl = (rule: RuleReport, { exchanges }: Pick<Report, "exchanges">): boolean => {
  const beyond = new Set(
    exchanges.flatMap(({ kind, number }) => (kind === "delivery" || kind === "web" ? [number] : []))
  )
  const differences = decisive(rule).flatMap((finding) => finding.differences)
  return differences.some(({ at, exchange }) => at === "delivery" || beyond.has(exchange))
}

/** Whether a script shows again what is wrong with a rule. */
export const isShownAgain = (rule: RuleReport, report: Pick<Report, "exchanges">): boolean =>
  isBroken(rule) && !isBeyondCurl(rule, report)

/** Where the script that shows again what is wrong with a rule lies, relative to the report. */
export const reproPath = (rule: string): string => `repro/${rule}.sh`

/** Seconds that a run took; undefined where it did not end. */
export const seconds = ({ header }: Report): number | undefined =>
  header.endedAt === null ? undefined : (Date.parse(header.endedAt) - Date.parse(header.startedAt)) / 1000
