import type { Verdict } from "../engine/Verdict.ts"
import { alternatives } from "../profile/Need.ts"
import { counted } from "../report/Headline.ts"
import { type Lack, lackId, lacksOf } from "../report/Lacks.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { sectionOf, sections } from "../report/Sections.ts"
import { inLine } from "../text/Visible.ts"
import { badge } from "./HtmlRule.ts"
import { escaped, prose } from "./Markup.ts"

const levels = ["MUST", "SHOULD", "MAY", "OBSERVE"] as const

const verdictsIn = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<Verdict> =>
  ReportText.readingOrder.filter((verdict) => rules.some((rule) => rule.verdict === verdict))

/** The verdict of the page: the worst of its MUST rules. It is green only if nothing is open. */
const standing = ({ baseline, header, rules }: Report): Verdict => {
  if (header.ending.as !== "finished") return "error"
  if ((baseline?.complaints ?? []).length > 0) return "fail"
  const musts = rules.filter(({ level }) => level === "MUST")
  const worst = (["fail", "error", "blocked", "inconclusive", "baselined"] as const).find((verdict) =>
    musts.some((rule) => rule.verdict === verdict)
  )
  return worst ?? (musts.some(({ verdict }) => verdict === "pass") ? "pass" : "blocked")
}

const headline = (report: Report): string => {
  const [first = "", ...rest] = inLine(report.headline).split("; ")
  const more = rest.length === 0 ? "" : `<span class="rest">; ${escaped(rest.join("; "))}</span>`
  return `<p class="headline ${standing(report)}">${escaped(first)}${more}</p>`
}

/** A bar of the MUST rules by verdict. The table beside the rules has the same numbers. */
const bar = ({ rules }: Report): string => {
  const musts = rules.filter(({ level, verdict }) => level === "MUST" && verdict !== "elsewhere")
  let at = 0
  const parts = verdictsIn(musts).map((verdict) => {
    const width = musts.filter((rule) => rule.verdict === verdict).length
    at += width
    return `<rect class="${verdict}" x="${at - width}" width="${width}" height="1"/>`
  })
  return `<svg class="bar" viewBox="0 0 ${Math.max(1, at)} 1" preserveAspectRatio="none" aria-hidden="true">${parts.join("")}</svg>`
}

const facts = (report: Report): string => {
  const { header } = report
  const seconds = ReportText.seconds(report)
  const told: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Target", header.target],
    ["Deployment", [header.deployment.product, header.deployment.version].filter(Boolean).join(" ") || undefined],
    ["Contact", header.deployment.contact],
    ["Started", header.startedAt],
    ["Ended", header.endedAt === null ? "never" : `${header.endedAt} (${header.ending.as})`],
    ["Requests", `${report.counts.requests}${seconds === undefined ? "" : ` in ${seconds.toFixed(1)} s`}`],
    ["Ceiling", header.ceiling],
    ["Run", header.run],
    ["Suite", `${header.suiteVersion}, catalogue ${header.catalogueDigest}`]
  ]
  const pairs = told.flatMap(([name, text]) =>
    text === undefined ? [] : [`<div><dt>${name}</dt><dd>${escaped(text)}</dd></div>`]
  )
  return `<dl class="facts">${pairs.join("\n")}</dl>`
}

/** The top of the page: the judged deployment and the result. */
export const summary = (report: Report): string =>
  [
    '<p class="kicker">Conformance report</p>',
    `<h1>${escaped(inLine(report.header.profile))}</h1>`,
    headline(report),
    bar(report),
    facts(report)
  ].join("\n")

const brokenList = ({ rules }: Report): string => {
  const broken = (["fail", "error", "warn", "baselined"] as const).flatMap((verdict) =>
    rules.filter((rule) => rule.verdict === verdict)
  )
  if (broken.length === 0) return ""
  const items = broken.map(
    ({ id, text, verdict }) => `<li>${badge(verdict)} <a href="#${id}">${id}</a> ${prose(text)}</li>`
  )
  return `<section aria-labelledby="broken"><h2 id="broken">Problems</h2><ul class="broken">${items.join("\n")}</ul></section>`
}

const complaintList = (report: Report): string => {
  const complaints = ReportText.complaints(report).map((one) => `<li>${escaped(one)}</li>`)
  return complaints.length === 0
    ? ""
    : `<section aria-labelledby="baseline"><h2 id="baseline">Baseline entries to fix</h2><ul>${complaints.join("\n")}</ul></section>`
}

const lackItem = ({ lines, name, rules, text }: Lack): string =>
  [
    `<li id="${lackId(name)}"><details><summary><strong>${escaped(name)}</strong>: ${escaped(text)} ` +
      `<span class="quiet">(${counted(rules.length, "rule")})</span></summary>`,
    `<p>${rules.map(({ id }) => `<a href="#${id}">${id}</a>`).join(" ")}</p>`,
    ...(lines.length === 0
      ? []
      : [`<pre tabindex="0" role="group" aria-label="Profile">${escaped(alternatives(lines).join("\n"))}</pre>`]),
    "</details></li>"
  ].join("")

/** The number of needs that are shown unfolded. The first ones unlock most rules. */
const maxLacks = 10

const lackList = (report: Report): string => {
  const lacks = lacksOf(report)
  const list = (some: ReadonlyArray<Lack>) => `<ul class="lacks">${some.map(lackItem).join("\n")}</ul>`
  const rest = lacks.slice(maxLacks)
  const more =
    rest.length === 0 ? "" : `<details class="rest"><summary>${rest.length} more</summary>${list(rest)}</details>`
  return lacks.length === 0
    ? ""
    : `<section aria-labelledby="lacks"><h2 id="lacks">What would unlock more rules</h2>${list(lacks.slice(0, maxLacks))}${more}</section>`
}

const residueList = ({ residue }: Report): string =>
  residue.length === 0
    ? ""
    : `<section aria-labelledby="residue"><h2 id="residue">Left behind</h2><ul>${residue
        .map(({ name, type, why }) => `<li>${escaped(type)} <code>${escaped(name)}</code>: ${escaped(why)}</li>`)
        .join("\n")}</ul></section>`

/** Everything that the reader has to act on. */
export const attention = (report: Report): string =>
  [complaintList(report), brokenList(report), lackList(report), residueList(report)]
    .filter((part) => part !== "")
    .join("\n")

const box = (name: string, label: string): string =>
  `<label><input type="checkbox" id="show-${name}" checked autocomplete="off"> ${label}</label>`

/** Counts and filter in one table: unchecking a row or column hides its rules. */
const counts = (report: Report): string => {
  const shown = levels.filter((level) => report.rules.some((rule) => rule.level === level))
  const rows = verdictsIn(report.rules).map(
    (verdict) =>
      `<tr><th scope="row">${box(verdict, badge(verdict))}</th>` +
      `${shown.map((level) => `<td class="count">${report.counts[level][verdict] ?? 0}</td>`).join("")}</tr>`
  )
  const head = shown.map((level) => `<th scope="col">${box(level, level.toLowerCase())}</th>`)
  return (
    '<table class="counts"><caption>Show rules by verdict and level</caption>' +
    `<thead><tr><td></td>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`
  )
}

export const sectionId = (number: string): string => `section-${number.replace(".", "-")}`

const tally = (rules: ReadonlyArray<RuleReport>): string => {
  const worth = verdictsIn(rules).filter((verdict) => ReportText.isOpen(verdict))
  const told = worth.length === 0 ? verdictsIn(rules).slice(0, 1) : worth
  return told
    .map((verdict) => `${rules.filter((rule) => rule.verdict === verdict).length} ${ReportText.verdictWords[verdict]}`)
    .join(", ")
}

/** The controls beside the rules, and the links to sections. Controls that need the script are hidden until it runs. */
export const controls = (report: Report): string => {
  const bySection = Map.groupBy(report.rules, sectionOf)
  const present = sections.filter(({ number }) => bySection.has(number))
  const options = present.map(({ number, title }) => `<option value="${sectionId(number)}">${number} ${title}</option>`)
  const ways = present.map(
    ({ number, title }) =>
      `<li><a href="#${sectionId(number)}">${number} ${title}</a> <span class="quiet">${tally(bySection.get(number) ?? [])}</span></li>`
  )
  return [
    '<search class="filter" aria-label="Filter of the rules">',
    counts(report),
    '<div class="scripted" id="filter" hidden>',
    '<label for="filter-text">Text</label><input type="search" id="filter-text" autocomplete="off">',
    '<label for="filter-section">Section</label><select id="filter-section" autocomplete="off">',
    `<option value="">all</option>${options.join("")}</select>`,
    '<p><button type="button" id="filter-open">Only open or broken rules</button> <button type="button" id="filter-all">All</button></p>',
    '<p id="filter-shown" role="status"></p>',
    "</div>",
    "</search>",
    `<nav aria-label="Sections"><ol class="contents">${ways.join("\n")}</ol></nav>`
  ].join("\n")
}
