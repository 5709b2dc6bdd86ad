import { countedMost } from "@wcs/domain/webhook/BacklogStore"
import { readable } from "../Output.ts"
import type { Failing } from "./FailingWebhooks.ts"
import type { Figures } from "./Figures.ts"

/** Text that a terminal can highlight. */
type Highlight = (text: string) => string

const perSecond = (rate: number): string => `${rate < 10 ? rate.toFixed(2) : rate.toFixed(0)}/s`

const time = (millis: number | null): string => {
  if (millis === null) return "-"
  return millis < 1000 ? `${millis < 10 ? millis.toFixed(1) : millis.toFixed(0)} ms` : `${(millis / 1000).toFixed(1)} s`
}

const latencies = ({ p50, p95, p99 }: Figures["requests"]): string =>
  `p50 ${time(p50)}, p95 ${time(p95)}, p99 ${time(p99)}`

/** A count of waiting work, which stops at the most. */
const amount = (count: number): string =>
  count >= countedMost ? `${countedMost.toLocaleString("en")} or more` : String(count)

const percent = (ratio: number): string => `${(ratio * 100).toFixed(0)} %`

/** The rows of a screen: a name and its values. Rows that need attention are highlighted. */
const rowsOf = ({ deliveries, deliveryLag, process, register, requests, waiting }: Figures) =>
  [
    [
      "requests",
      `${perSecond(requests.all)}; ${perSecond(requests.clientErrors)} with 4xx, ${perSecond(requests.refusedAccess)} refused access`,
      false
    ],
    ["errors", `${perSecond(requests.serverErrors)} with 5xx`, requests.serverErrors > 0],
    ["latency", latencies(requests), false],
    [
      "deliveries",
      `${perSecond(deliveries.taken)} taken; lag ${time(deliveryLag * 1000)}; p50 ${time(deliveries.p50)}, p99 ${time(deliveries.p99)}`,
      false
    ],
    [
      "failed attempts",
      `${perSecond(deliveries.refused)} refused, ${perSecond(deliveries.unanswered)} unanswered, ${perSecond(deliveries.unsent)} unsent`,
      deliveries.refused + deliveries.unanswered + deliveries.unsent > 0
    ],
    [
      "register",
      `${perSecond(register.concluded)} concluded, ${perSecond(register.postponed)} postponed; p50 ${time(register.p50)}, p99 ${time(register.p99)}`,
      register.postponed > 0
    ],
    [
      "waiting events",
      `${amount(waiting.events)}; ${amount(waiting.deadLetters)} dead letters`,
      waiting.deadLetters > 0
    ],
    ["waiting deliveries", `${amount(waiting.deliveries)} due, ${amount(waiting.laterDeliveries)} later`, false],
    [
      "waiting verifications",
      `${amount(waiting.verifications)} due, ${amount(waiting.laterVerifications)} later, ${amount(waiting.reviews)} for a person`,
      false
    ],
    [
      "process",
      `processor ${percent(process.cpu)}, memory ${(process.memoryBytes / 2 ** 20).toFixed(0)} MiB, event loop ${percent(process.eventLoop)}`,
      process.eventLoop > 0.9
    ]
  ] as const

const nameWidth = 22

/** The failing webhooks as a table. Without the socket of a server, only their number is known. */
const failingLines = (count: number, failing: Failing): ReadonlyArray<string> => {
  if (count === 0) return ["no failing webhooks"]
  return failing === undefined
    ? [`failing webhooks: ${amount(count)}; run wcs top on the machine of the server to list them`]
    : [`failing webhooks: ${amount(count)}`, readable({ webhooks: failing })]
}

/** One screen. With `isSinceStart`, the figures are averages since the start of the processes. */
export const linesOf = (
  figures: Figures,
  failing: Failing,
  isSinceStart: boolean,
  highlight: Highlight
): ReadonlyArray<string> => {
  const span = isSinceStart ? "since the start" : `the last ${figures.seconds.toFixed(0)} s`
  const processes = figures.processes === 1 ? "1 process" : `${figures.processes} processes`
  return [
    `wcs ${figures.version}, ${processes}, ${span}`,
    "",
    ...rowsOf(figures).map(([name, text, isBad]) => {
      const row = name.padEnd(nameWidth) + text
      return isBad ? highlight(row) : row
    }),
    "",
    ...failingLines(figures.failingWebhooks, failing)
  ]
}
