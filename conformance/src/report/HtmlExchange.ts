import { curl } from "./Curl.ts"
import { counted } from "./Headline.ts"
import { indented } from "./Indented.ts"
import { escaped } from "./Markup.ts"
import type { RecordedExchange } from "./Report.ts"
import * as Told from "./Told.ts"

const link = (number: number): string => `<a href="#exchange-${number}">#${number}</a>`

/** Numbers of exchanges, as links to those that the page has. */
export const links = (numbers: ReadonlyArray<number>, known: ReadonlyMap<number, unknown>): string =>
  numbers.map((number) => (known.has(number) ? link(number) : `#${number}`)).join(", ")

/** Bodies are whole in the JSON report. */
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

/** Who asked: the suite, as one of the profile's principals, or the deployment, which delivers something. */
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
  `<summary><code>${escaped(Told.exchangeLine(exchange))}</code></summary>`

/** A request and what came of it, folded; under its own id where it is the one that links lead to. */
export const exchangeDetails = (exchange: RecordedExchange, isLinkedTo = false): string =>
  `<details class="exchange">${line(exchange)}<div class="wire"${isLinkedTo ? ` id="exchange-${exchange.number}"` : ""}>` +
  `${request(exchange)}${answer(exchange)}${asCurl(exchange)}</div></details>`

/** The line of an exchange that stands elsewhere on the page: it is unfolded here by the script, and linked without. */
export const exchangeReference = (exchange: RecordedExchange): string =>
  `<details class="exchange" data-exchange="${exchange.number}">${line(exchange)}` +
  `<p>In full: ${link(exchange.number)}</p></details>`
