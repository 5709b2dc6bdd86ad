import { createHash } from "node:crypto"
import { counted } from "../Headline.ts"
import type { RecordedExchange, Report, RuleReport } from "../Report.ts"
import type { Verdict } from "../Verdict.ts"
import { style } from "./HtmlStyle.ts"
import { escaped } from "./Markup.ts"
import { sectionOf, sections } from "./Sections.ts"
import * as Told from "./Told.ts"

/** The page may show its own style and nothing else: no script, no request, whatever a deployment answered. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`

const badge = (verdict: Verdict): string => `<span class="badge ${verdict}">${Told.verdictWords[verdict]}</span>`

const link = (number: number): string => `<a href="#exchange-${number}">#${number}</a>`

const links = (numbers: ReadonlyArray<number>, known: ReadonlySet<number>): string =>
  numbers.map((number) => (known.has(number) ? link(number) : `#${number}`)).join(", ")

/** Bodies are whole in the JSON report. */
const maxBodyChars = 4000

const body = (label: string, text: string, omitted = 0): string => {
  if (text === "") return `<p class="quiet">${label}: empty</p>`
  const more = Math.max(0, text.length - maxBodyChars) + omitted
  const cut = more === 0 ? "" : `<p class="quiet">${counted(more, "character")} more</p>`
  return `<pre tabindex="0" role="group" aria-label="${label}">${escaped(text.slice(0, maxBodyChars))}</pre>${cut}`
}

const headers = (pairs: ReadonlyArray<readonly [name: string, value: string]>): string =>
  pairs.map(([name, value]) => `${name}: ${value}`).join("\n")

const wire = (exchange: RecordedExchange): string => {
  const { answer, request } = exchange
  const sent = [`${request.method} ${request.url}`, headers(request.headers)].filter((part) => part !== "").join("\n")
  return [
    `<h5>Request${exchange.principal === null ? "" : ` of ${escaped(exchange.principal)}`}</h5>`,
    `<pre tabindex="0" role="group" aria-label="Request line and headers">${escaped(sent)}</pre>`,
    body("Request body", request.body),
    `<h5>Answer after ${exchange.millis} ms</h5>`,
    answer === null
      ? `<p>None: ${exchange.silence}.</p>`
      : `<pre tabindex="0" role="group" aria-label="Status and headers">${escaped(
          [String(answer.status), headers(Object.entries(answer.headers))].join("\n")
        )}</pre>${body("Answer body", answer.text, answer.omitted)}`
  ].join("\n")
}

const exchangeDetails = (exchange: RecordedExchange, id = ""): string =>
  `<details class="exchange"><summary><code>${escaped(Told.exchangeLine(exchange))}</code></summary>` +
  `<div${id}>${wire(exchange)}</div></details>`

const table = (caption: string, head: ReadonlyArray<string>, rows: ReadonlyArray<string>): string =>
  `<div class="wide" role="group" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption><thead><tr>` +
  `${head.map((cell) => `<th scope="col">${cell}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`

const differencesTable = (rule: RuleReport, known: ReadonlySet<number>): string => {
  const rows = Told.decisive(rule).flatMap(({ differences, walk }) =>
    differences.map(
      (found) =>
        `<tr><td><code>${escaped(found.at)}</code></td><td><code>${escaped(Told.value(found.expected))}</code></td>` +
        `<td><code>${escaped(Told.actual(found))}</code></td><td>${found.kind}</td>` +
        `<td>${links([found.exchange], known)}</td><td>${escaped(walk)}</td></tr>`
    )
  )
  const head = ["Where", "Expected", "Got", "Kind", "Exchange", "Walk"]
  return rows.length === 0 ? "" : table("What was not as expected", head, rows)
}

const observed = (rule: RuleReport): string => {
  const told = Told.observed(rule).map((text) => `<code>${escaped(text)}</code>`)
  return told.length === 0 ? "" : `<p>Seen: ${told.join(", ")}</p>`
}

const isOpen = ({ verdict }: RuleReport): boolean =>
  ["fail", "error", "warn", "blocked", "inconclusive"].includes(verdict)

const evidence = (rule: RuleReport, report: Report, known: ReadonlySet<number>): string => {
  const exchanges = Told.evidence(rule, report)
  if (exchanges.length === 0) return ""
  const shown = isOpen(rule) ? exchanges.slice(0, 12) : []
  const rest = exchanges.slice(shown.length).map(({ number }) => number)
  return [
    ...shown.map((exchange) => exchangeDetails(exchange)),
    ...(rest.length === 0 ? [] : [`<p class="quiet">Exchanges: ${links(rest, known)}</p>`])
  ].join("\n")
}

const ruleArticle = (rule: RuleReport, report: Report, known: ReadonlySet<number>): string => {
  const isBroken = rule.verdict === "fail" || rule.verdict === "warn"
  return [
    `<article class="rule ${rule.verdict}" id="${rule.id}" aria-labelledby="${rule.id}-name">`,
    `<h4 id="${rule.id}-name">${badge(rule.verdict)} <a href="#${rule.id}">${rule.id}</a> ` +
      `<span class="quiet">${Told.standing(rule)}</span></h4>`,
    `<p>${escaped(rule.text)}</p>`,
    rule.accept === undefined ? "" : `<p class="quiet">Accepted: ${escaped(rule.accept)}</p>`,
    differencesTable(rule, known),
    ...rule.reasons.map((reason) => `<p class="reason">${escaped(reason)}</p>`),
    observed(rule),
    evidence(rule, report, known),
    isBroken ? `<p>See it again: <code>sh ${Told.reproPath(rule.id)}</code></p>` : "",
    "</article>"
  ]
    .filter((part) => part !== "")
    .join("\n")
}

const filter = (report: Report): string => {
  const present = Told.readingOrder.filter((verdict) => report.rules.some((rule) => rule.verdict === verdict))
  const boxes = present.map((verdict) => {
    const count = report.rules.filter((rule) => rule.verdict === verdict).length
    return (
      `<label><input type="checkbox" id="show-${verdict}" checked autocomplete="off"> ` +
      `${badge(verdict)} ${count}</label>`
    )
  })
  return `<fieldset class="filter"><legend>Show rules by verdict</legend>${boxes.join("\n")}</fieldset>`
}

const levels = ["MUST", "SHOULD", "MAY", "OBSERVE"] as const

const counts = (report: Report): string => {
  const shown = Told.readingOrder.filter((verdict) => levels.some((level) => (report.counts[level][verdict] ?? 0) > 0))
  const head = ["Level", ...shown.map((verdict) => Told.verdictWords[verdict])]
  const rows = levels.map(
    (level) =>
      `<tr><th scope="row">${level.toLowerCase()}</th>` +
      `${shown.map((verdict) => `<td class="count">${report.counts[level][verdict] ?? 0}</td>`).join("")}</tr>`
  )
  return table("Rules of each level by verdict", head, rows)
}

const facts = (report: Report): string => {
  const { header } = report
  const seconds = Told.seconds(report)
  const told: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Profile", header.profile],
    ["Deployment", [header.deployment.product, header.deployment.version].filter(Boolean).join(" ") || undefined],
    ["Contact", header.deployment.contact],
    ["Target", header.target],
    ["Suite", `${header.suiteVersion}, catalogue ${header.catalogueDigest}`],
    ["Ceiling", header.ceiling],
    ["Run", header.run],
    ["Started", header.startedAt],
    ["Ended", header.endedAt === null ? "never" : `${header.endedAt} (${header.ending.as})`],
    ["Requests", `${report.counts.requests}${seconds === undefined ? "" : ` in ${seconds.toFixed(1)} s`}`]
  ]
  const pairs = told.flatMap(([name, text]) =>
    text === undefined ? [] : [`<div><dt>${name}</dt><dd>${escaped(text)}</dd></div>`]
  )
  return `<dl class="facts">${pairs.join("\n")}</dl>`
}

const brokenList = (report: Report): string => {
  const broken = (["fail", "error", "warn"] as const).flatMap((verdict) =>
    report.rules.filter((rule) => rule.verdict === verdict)
  )
  if (broken.length === 0) return ""
  const items = broken.map(
    ({ id, text, verdict }) => `<li>${badge(verdict)} <a href="#${id}">${id}</a> ${escaped(text)}</li>`
  )
  return `<section aria-labelledby="broken"><h2 id="broken">What is wrong</h2><ul class="broken">${items.join("\n")}</ul></section>`
}

const residue = ({ residue: left }: Report): string =>
  left.length === 0
    ? ""
    : `<section aria-labelledby="residue"><h2 id="residue">Left behind</h2><ul>${left
        .map(({ name, type, why }) => `<li>${escaped(type)} <code>${escaped(name)}</code>: ${escaped(why)}</li>`)
        .join("\n")}</ul></section>`

const sectionsOf = (report: Report, known: ReadonlySet<number>): string => {
  const bySection = Map.groupBy(report.rules, sectionOf)
  return sections
    .flatMap(({ number, title }) => {
      const rules = bySection.get(number) ?? []
      if (rules.length === 0) return []
      const id = `section-${number.replace(".", "-")}`
      return [
        `<section class="of-specification" aria-labelledby="${id}">`,
        `<h3 id="${id}">${number} ${title}</h3>`,
        ...rules.map((rule) => ruleArticle(rule, report, known)),
        "</section>"
      ]
    })
    .join("\n")
}

/**
 * The report as one page that needs nothing beside itself: rules under the sections of the specification that they come
 * from, filtered by verdict, with the exchanges that they rest on. It is read, filtered and unfolded without scripts.
 */
export const html = (report: Report): string => {
  const known = new Set(report.exchanges.map(({ number }) => number))
  const all = report.exchanges.map((exchange) => exchangeDetails(exchange, ` id="exchange-${exchange.number}"`))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Conformance of ${escaped(Told.inLine(report.header.profile))}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#rules">To the rules</a>
<header>
<h1>Conformance of ${escaped(Told.inLine(report.header.profile))}</h1>
<p class="headline">${escaped(Told.inLine(report.headline))}</p>
${facts(report)}
${counts(report)}
</header>
<main>
${[brokenList(report), residue(report)].filter((part) => part !== "").join("\n")}
<section aria-labelledby="rules">
<h2 id="rules">Rules by section of the specification</h2>
${filter(report)}
${sectionsOf(report, known)}
</section>
<section aria-labelledby="exchanges">
<h2 id="exchanges">Exchanges</h2>
<p class="quiet">Those that the rules above rest on, redacted. All bodies are whole in the JSON report.</p>
${all.join("\n")}
</section>
</main>
</body>
</html>
`
}
