import { counted } from "../report/Headline.ts"
import type { RecordedExchange } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { curl } from "./Curl.ts"
import { indented } from "./Indented.ts"
import { escaped } from "./Markup.ts"

const link = (number: number): string => `<a href="#exchange-${number}">#${number}</a>`

/** Formats exchange numbers, as links if the page has the exchange. */
export const links = (numbers: ReadonlyArray<number>, known: ReadonlyMap<number, unknown>): string =>
  numbers.map((number) => (known.has(number) ? link(number) : `#${number}`)).join(", ")

/** The JSON report has the whole body. */
const maxBodyChars = 4000

const block = (label: string, text: string): string =>
  `<pre tabindex="0" role="group" aria-label="${label}">${escaped(text)}</pre>`

const body = (label: string, text: string, omitted = 0): string => {
  if (text === "") return `<p class="quiet">${label}: empty</p>`
  const shown = indented(text) ?? text
  const more = Math.max(0, shown.length - maxBodyChars) + omitted
  const cut = more === 0 ? "" : `<p class="quiet">${counted(more, "character")} more</p>`
  return `${block(label, shown.slice(0, maxBodyChars))}${cut}`
}

const headers = (pairs: ReadonlyArray<readonly [name: string, value: string]>): string =>
  pairs.map(([name, value]) => `${name}: ${value}`).join("\n")

/** The sender of a request: a principal of the profile, or the deployment for a delivery. */
const asked = ({ kind, principal }: RecordedExchange): string =>
  kind === "delivery" ? "Delivery by the deployment" : `Request${principal === null ? "" : ` of ${escaped(principal)}`}`

const request = (exchange: RecordedExchange): string => {
  const { request: sent } = exchange
  const head = [`${sent.method} ${sent.url}`, headers(sent.headers)].filter((part) => part !== "").join("\n")
  return (
    `<div><p class="label">${asked(exchange)}</p>` +
    `${block("Request line and headers", head)}${body("Request body", sent.body)}</div>`
  )
}

const answer = ({ answer: got, kind, millis, silence }: RecordedExchange): string => {
  const told =
    got === null
      ? `<p>None: ${silence}.</p>`
      : block("Status and headers", [String(got.status), headers(Object.entries(got.headers))].join("\n").trim()) +
        body("Answer body", got.text, got.omitted)
  const answered = kind === "delivery" ? "Answer of the suite" : "Answer"
  return `<div><p class="label">${answered} after ${millis} ms</p>${told}</div>`
}

const asCurl = (exchange: RecordedExchange): string =>
  exchange.kind === "delivery"
    ? ""
    : `<details class="curl"><summary>As curl</summary>${block("curl command", curl(exchange))}</details>`

const line = (exchange: RecordedExchange): string =>
  `<summary><code>${escaped(ReportText.exchangeLine(exchange))}</code></summary>`

/** An exchange as a folded element; with its own id if links lead to it. */
export const exchangeDetails = (exchange: RecordedExchange, isLinkedTo = false): string =>
  `<details class="exchange">${line(exchange)}<div class="wire"${isLinkedTo ? ` id="exchange-${exchange.number}"` : ""}>` +
  `${request(exchange)}${answer(exchange)}${asCurl(exchange)}</div></details>`

/** A reference to an exchange elsewhere on the page. The script unfolds it in place; without script it is a link. */
export const exchangeReference = (exchange: RecordedExchange): string =>
  `<details class="exchange" data-exchange="${exchange.number}">${line(exchange)}` +
  `<p>In full: ${link(exchange.number)}</p></details>`
