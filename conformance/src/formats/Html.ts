import { createHash } from "node:crypto"
import type { Report } from "../report/Report.ts"
import { sectionOf, sections } from "../report/Sections.ts"
import { inLine } from "../text/Visible.ts"
import { exchangeDetails } from "./HtmlExchange.ts"
import { ruleArticle } from "./HtmlRule.ts"
import { script } from "./HtmlScript.ts"
import { style } from "./HtmlStyle.ts"
import { attention, controls, sectionId, summary } from "./HtmlSummary.ts"
import { escaped } from "./Markup.ts"

const digest = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/**
 * The content security policy: only the page's own style and script, no requests and no other script, even if a
 * response of the deployment contains markup.
 */
const policy = [
  "default-src 'none'",
  `style-src ${digest(style)}`,
  `script-src ${digest(script)}`,
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

const bySections = (report: Report): string => {
  const bySection = Map.groupBy(report.rules, sectionOf)
  const known = new Map(report.exchanges.map((exchange) => [exchange.number, exchange]))
  return sections
    .flatMap(({ number, title }) => {
      const rules = bySection.get(number) ?? []
      if (rules.length === 0) return []
      const id = sectionId(number)
      return [
        `<section class="of-specification" data-section="${id}" aria-labelledby="${id}">`,
        `<h3 id="${id}">${number} ${title}</h3>`,
        ...rules.map((rule) => ruleArticle(rule, report, known)),
        "</section>"
      ]
    })
    .join("\n")
}

/**
 * Returns the report as one self-contained page: rules by section of the specification, with their exchanges. Reading,
 * filtering by verdict and level, and unfolding work without script. The script adds filters by text and section, and
 * copies commands.
 */
export const html = (report: Report): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Conformance of ${escaped(inLine(report.header.profile))}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#rules">To the rules</a>
<header>
${summary(report)}
</header>
<main>
${attention(report)}
<section aria-labelledby="rules">
<h2 id="rules">Rules by section of the specification</h2>
<div class="sides">
<div class="side">
${controls(report)}
</div>
<div class="list">
${bySections(report)}
</div>
</div>
</section>
<section class="exchanges" aria-labelledby="exchanges">
<h2 id="exchanges">Exchanges</h2>
<p class="quiet">Those that the rules above rest on, without their secrets. In a command, $TOKEN stands for the bearer token, and each ‹…› for a secret to put in. All bodies are whole in report.json.</p>
${report.exchanges.map((exchange) => exchangeDetails(exchange, true)).join("\n")}
</section>
</main>
<script>${script}</script>
</body>
</html>
`
