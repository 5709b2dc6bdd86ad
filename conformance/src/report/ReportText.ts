import type { Verdict } from "../engine/Verdict.ts"
import { storyOf } from "../judgement/Difference.ts"
import { inLine } from "../text/Visible.ts"
import type { RecordedExchange, Report, ReportedDifference, RuleReport } from "./Report.ts"
import { foundIn, isBroken } from "./Reporting.ts"

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}… (${text.length - max} characters more)`

const maxValueChars = 300

/** Formats an expected or actual value in one line. Plain texts have no quotes. */
export const value = (told: ReportedDifference["actual"]): string => {
  const isPlain = typeof told === "string" && told !== "" && told.trim() === told
  return cut(inLine(isPlain ? told : JSON.stringify(told)), maxValueChars)
}

/** Formats the actual value of a difference. */
export const actual = (found: ReportedDifference): string => {
  const { actual: told, kind } = found
  if (kind === "missing" && told === null) return "nothing"
  return storyOf(found)?.map(inLine).join("; ") ?? value(told)
}

/** `, POST /workers by a personal token`: the place of a difference, if it is known. */
const placeOf = ({ place }: ReportedDifference): string => (place === undefined ? "" : `, ${inLine(place)}`)

/** `body.error.code: expected ALREADY_LINKED, got CONFLICT (wrong-value, #214, POST /credentials/{id}/link by …)`. */
export const difference = (found: ReportedDifference): string =>
  `${inLine(found.at)}: expected ${value(found.expected)}, got ${actual(found)} ` +
  `(${found.kind}, #${found.exchange}${placeOf(found)})`

/** Formats a difference in lines. The actual value of a race is a timeline, with a line for each call. */
export const differenceLines = (found: ReportedDifference): ReadonlyArray<string> => {
  const story = storyOf(found)?.map(inLine)
  return story === undefined
    ? [difference(found)]
    : [`${inLine(found.at)}: expected ${value(found.expected)}, got`, ...story.map((line) => `  ${line}`)]
}

/** The status, or why there was no response. */
export const outcome = ({ answer, silence }: RecordedExchange): string =>
  answer === null ? `no answer (${silence})` : String(answer.status)

/** Path and query, without the host. */
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

/** Verdicts as words in a sentence. */
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

/** The order for readers: problems, not judged, passed, not applicable. */
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

/** Whether the reader has to act on the verdict. */
export const isOpen = (verdict: Verdict): boolean =>
  ["fail", "error", "warn", "baselined", "blocked", "inconclusive"].includes(verdict)

/** The command of the suite that made a report. */
export const commandOf = ({ header }: Pick<Report, "header">): string => header.suite ?? "wcs-conformance"

/** Such as `wcs-conformance 0.1.0 · catalogue 9f3c · staging (acme 2.14) · https://… · ceiling …`. */
export const headerLine = (report: Report): string => {
  const { header } = report
  const { product, version } = header.deployment
  const deployment = [product, version].filter((part) => part !== undefined).join(" ")
  return [
    `${commandOf(report)} ${header.suiteVersion}`,
    `catalogue ${header.catalogueDigest}`,
    `${inLine(header.profile)}${deployment === "" ? "" : ` (${inLine(deployment)})`}`,
    inLine(header.target),
    `ceiling ${header.ceiling}`
  ].join(" · ")
}

/** The findings that decide the verdict of a rule. */
export const decisive = (rule: RuleReport): RuleReport["findings"] => {
  const verdict = foundIn(rule)
  return rule.findings.filter(({ outcome: found }) => found === verdict || (verdict === "warn" && found === "fail"))
}

/** The errors in the baseline of a run, one sentence per entry. */
export const complaints = ({ baseline }: Report): ReadonlyArray<string> =>
  (baseline?.complaints ?? []).map(({ rule, why }) => `${rule}: ${why}`)

/** The distinct observed values of a rule. */
export const observed = ({ findings }: RuleReport): ReadonlyArray<string> => [
  ...new Set(findings.flatMap((finding) => (finding.observed === undefined ? [] : [value(finding.observed)])))
]

/** The exchanges that a verdict relies on. */
export const evidence = (rule: RuleReport, { exchanges }: Pick<Report, "exchanges">): Array<RecordedExchange> => {
  const numbers = new Set(
    decisive(rule).flatMap(({ differences, exchanges: own }) => [
      ...own,
      ...differences.map(({ exchange }) => exchange)
    ])
  )
  return exchanges.filter(({ number }) => numbers.has(number))
}

/** curl cannot receive deliveries, and cannot make the codes and signatures of a web login. */
const isBeyondCurl = (rule: RuleReport, { exchanges }: Pick<Report, "exchanges">): boolean => {
  const beyond = new Set(
    exchanges.flatMap(({ kind, number }) => (kind === "delivery" || kind === "web" ? [number] : []))
  )
  const differences = decisive(rule).flatMap((finding) => finding.differences)
  return differences.some(({ at, exchange }) => at === "delivery" || beyond.has(exchange))
}

/** Whether a script can reproduce the failure of a rule. */
export const isShownAgain = (rule: RuleReport, report: Pick<Report, "exchanges">): boolean =>
  isBroken(rule) && !isBeyondCurl(rule, report)

/** The path of the reproduction script of a rule, relative to the report. */
export const reproPath = (rule: string): string => `repro/${rule}.sh`

/** The duration of a run in seconds; undefined if it did not end. */
export const seconds = ({ header }: Report): number | undefined =>
  header.endedAt === null ? undefined : (Date.parse(header.endedAt) - Date.parse(header.startedAt)) / 1000

/** `places: 845 of 850`: the places that were judged, of those that the deployment offers; undefined without any. */
export const places = ({ rules }: Report): string | undefined => {
  const known = rules.flatMap(({ places: own }) => own ?? [])
  const sum = (count: "of" | "probed") => known.reduce((total, one) => total + one[count], 0)
  return known.length === 0 ? undefined : `places: ${sum("probed")} of ${sum("of")}`
}
