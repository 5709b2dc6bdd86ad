import type { Verdict } from "../engine/Verdict.ts"
import { storyOf } from "../judgement/Difference.ts"
import { counted } from "../report/Headline.ts"
import { lackId } from "../report/Lacks.ts"
import type { RecordedExchange, Report, ReportedDifference, RuleReport } from "../report/Report.ts"
import { isBroken } from "../report/Reporting.ts"
import * as ReportText from "../report/ReportText.ts"
import { remedies } from "../repro/Remedy.ts"
import { isObject, type Json } from "../text/Json.ts"
import { inLine } from "../text/Visible.ts"
import { exchangeDetails, exchangeReference, links } from "./HtmlExchange.ts"
import { escaped, prose } from "./Markup.ts"

/** A verdict as a coloured word. The colour repeats what the word says. */
export const badge = (verdict: Verdict): string =>
  `<span class="badge ${verdict}">${ReportText.verdictWords[verdict]}</span>`

type Known = ReadonlyMap<number, RecordedExchange>

const pair = (name: string, text: string): string =>
  `<div class="${name.toLowerCase()}"><dt>${name}</dt><dd><code>${escaped(text)}</code></dd></div>`

/** The actual value. A timeline has one line for each call. */
const got = (found: ReportedDifference): string => {
  const story = storyOf(found)?.map(inLine)
  if (story === undefined) return pair("Got", ReportText.actual(found))
  return `<div class="got"><dt>Got</dt><dd><pre>${escaped(story.join("\n"))}</pre></dd></div>`
}

const differences = (rule: RuleReport, known: Known): string => {
  const items = ReportText.decisive(rule).flatMap(({ differences: found, walk }) =>
    found.map(
      (one) =>
        `<li><p><code>${escaped(one.at)}</code> <span class="quiet">· ${one.kind} · ` +
        `${links([one.exchange], known)} · ${one.place === undefined ? "" : `${escaped(inLine(one.place))} · `}` +
        `${escaped(walk)}</span></p>` +
        `<dl>${pair("Expected", ReportText.value(one.expected))}${got(one)}</dl></li>`
    )
  )
  return items.length === 0
    ? ""
    : `<ul class="differences" aria-label="Differences from the expected response">${items.join("\n")}</ul>`
}

const seen = (value: Json, depth = 0): string => {
  if (!isObject(value) || Object.keys(value).length === 0 || depth > 2)
    return `<code>${escaped(ReportText.value(value))}</code>`
  const entries = Object.entries(value).map(
    ([name, inner]) => `<div><dt>${escaped(ReportText.value(name))}</dt><dd>${seen(inner, depth + 1)}</dd></div>`
  )
  return `<dl class="seen">${entries.join("")}</dl>`
}

/** Distinct observed values; objects as a list of names and values. */
const observed = ({ findings }: RuleReport): string => {
  const values = new Map(
    findings.flatMap(({ observed: one }) => (one === undefined ? [] : [[JSON.stringify(one), one] as const]))
  )
  return values.size === 0
    ? ""
    : `<div class="observed"><p>Seen:</p>${[...values.values()].map((one) => seen(one)).join("")}</div>`
}

/** The places that were judged, and those that were not. */
const places = ({ places: own }: RuleReport): string => {
  if (own === undefined) return ""
  const missing = own.missing.map((place) => `<li>${escaped(inLine(place))}</li>`).join("")
  const list =
    missing === "" ? "" : `<details class="more"><summary>Not judged at</summary><ul>${missing}</ul></details>`
  return `<p class="quiet">Judged at ${own.probed} of ${own.of} places.</p>${list}`
}

/** Why a rule was not judged, and what would unlock it. */
const reasons = ({ lacks, reasons: told, verdict }: RuleReport): ReadonlyArray<string> => {
  if (verdict !== "blocked" || lacks.length === 0) return told.map((reason) => `<p>${escaped(reason)}</p>`)
  const ways = lacks.map((name) => `<a href="#${lackId(name)}">${escaped(name)}</a>`).join(", ")
  const more = told.filter((reason) => reason !== `needs ${lacks.join(", ")}`)
  return [...more.map((reason) => `<p>${escaped(reason)}</p>`), `<p>Needs ${ways}.</p>`]
}

const maxWhole = 12
const maxReferred = 40

/** The exchanges of a verdict; those with differences first. */
const inOrder = (rule: RuleReport, report: Report): ReadonlyArray<RecordedExchange> => {
  const wrong = new Set(
    ReportText.decisive(rule).flatMap(({ differences }) => differences.map(({ exchange }) => exchange))
  )
  const rank = ({ number }: RecordedExchange) => (wrong.has(number) ? 0 : 1)
  return ReportText.evidence(rule, report).toSorted((left, right) => rank(left) - rank(right))
}

const evidence = (rule: RuleReport, report: Report): string => {
  const exchanges = inOrder(rule, report)
  if (exchanges.length === 0) return ""
  const whole = isBroken(rule) || rule.verdict === "error" ? exchanges.slice(0, maxWhole) : []
  const referred = exchanges.slice(whole.length, whole.length + maxReferred)
  const more = exchanges.length - whole.length - referred.length
  const folded = [
    `<details class="more"><summary>${counted(exchanges.length - whole.length, `${whole.length === 0 ? "" : "more "}exchange`)}</summary>`,
    ...referred.map(exchangeReference),
    ...(more === 0 ? [] : [`<p class="quiet">and ${more} more, in report.json</p>`]),
    "</details>"
  ]
  return [...whole.map((exchange) => exchangeDetails(exchange)), ...(referred.length === 0 ? [] : folded)].join("\n")
}

/** One rule with its verdict and evidence. */
export const ruleArticle = (rule: RuleReport, report: Report, known: Known): string =>
  [
    `<article class="rule ${rule.verdict} ${rule.level}" id="${rule.id}" aria-labelledby="${rule.id}-name">`,
    `<h4 id="${rule.id}-name">${badge(rule.verdict)} <a href="#${rule.id}">${rule.id}</a> ` +
      `<span class="quiet">${ReportText.standing(rule)}</span></h4>`,
    `<p>${prose(rule.text)}</p>`,
    rule.accept === undefined ? "" : `<p class="quiet">Accepted: ${prose(rule.accept)}</p>`,
    differences(rule, known),
    ...remedies(rule, report).map((remedy) => `<p>To keep the rule: ${escaped(remedy)}</p>`),
    ...reasons(rule),
    observed(rule),
    places(rule),
    evidence(rule, report),
    ReportText.isShownAgain(rule, report) ? `<p>Reproduce: <code>sh ${ReportText.reproPath(rule.id)}</code></p>` : "",
    "</article>"
  ]
    .filter((part) => part !== "")
    .join("\n")
