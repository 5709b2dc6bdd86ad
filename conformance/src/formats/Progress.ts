import { ruleOf } from "../catalogue/Catalogue.ts"
import { type Verdict, verdictOf } from "../engine/Verdict.ts"
import type { Event } from "../evidence/Event.ts"
import type { Finding } from "../judgement/Finding.ts"
import { counted } from "../report/Headline.ts"
import { inLine } from "../text/Visible.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { label, paint } from "./Terminal.ts"

export interface Options {
  /** Whether one line can be overwritten. Otherwise each finished walk gets a line. */
  readonly isTty: boolean
  readonly color: boolean
  /** The width of the terminal; default: 80. */
  readonly columns?: number | undefined
  /** Rules with an entry in the baseline. Only the end of the run shows whether they fail as the entry says. */
  readonly baselined?: ReadonlySet<string>
}

/** The state of the progress display. */
export interface Progress {
  readonly walks: number
  readonly ended: number
  readonly requests: number
  /** The latest call: method and path. */
  readonly latest: string
  /** The broken rules and suite faults that were printed. Each is printed once. */
  readonly told: ReadonlySet<string>
}

export const begin: Progress = { walks: 0, ended: 0, requests: 0, latest: "", told: new Set() }

/** The number of characters that are shown of the latest call. */
const maxLatest = 40

/** A line that wraps could not be overwritten, so it is shorter than the terminal is wide. */
const line = ({ ended, latest, requests, told, walks }: Progress, seconds: number, columns = 80): string =>
  (
    `  ${ended} of ${counted(walks, "walk")}, ${counted(requests, "request")}, ${seconds} s` +
    (told.size === 0 ? "" : `, ${told.size} to review`) +
    (latest === "" ? "" : `: ${latest.slice(0, maxLatest)}`)
  ).slice(0, columns - 1)

const verdictToTell = (finding: Finding, { told }: Progress): Verdict | undefined => {
  const rule = ruleOf(finding.rule)
  const verdict = rule === undefined ? undefined : verdictOf(rule.level, [finding])
  const isBad = verdict === "fail" || verdict === "warn" || verdict === "error"
  return isBad && !told.has(finding.rule) ? verdict : undefined
}

const callOf = ({ request }: Exchange): string => `${request.method} ${inLine(new URL(request.url).pathname)}`

const followed = (progress: Progress, event: Event): Progress => {
  switch (event.type) {
    case "run-started":
      return { ...progress, walks: event.walks.length }
    case "exchange":
      return { ...progress, requests: progress.requests + 1, latest: callOf(event.exchange) }
    case "walk-ended":
      return { ...progress, ended: progress.ended + 1 }
    case "finding":
      return verdictToTell(event.finding, progress) === undefined
        ? progress
        : { ...progress, told: new Set([...progress.told, event.finding.rule]) }
    default:
      return progress
  }
}

const lineOf = (event: Event, before: Progress, options: Options): string | undefined => {
  switch (event.type) {
    case "run-started":
      return `judging ${inLine(event.target)} with ${counted(event.walks.length, "walk")}`
    case "finding": {
      const found = verdictToTell(event.finding, before)
      const { rule, walk } = event.finding
      const isKnown = (found === "fail" || found === "warn") && options.baselined?.has(rule) === true
      const verdict = isKnown ? "baselined" : found
      return verdict === undefined ? undefined : `  ${paint(verdict, options)(label(verdict))}${rule}  in ${walk}`
    }
    case "walk-ended":
      return options.isTty ? undefined : `  ended   ${event.walk}, ${event.millis} ms`
    default:
      return undefined
  }
}

const erased = "\r\u001b[2K"

/** The overwritten line of a terminal, some seconds after the run began. */
export const lineAfter = (progress: Progress, seconds: number, columns?: number): string =>
  `${erased}${line(progress, seconds, columns)}`

/** Processes one event, some seconds after the run began. Returns the new state and the text to print. */
export const follow = (
  before: Progress,
  event: Event,
  options: Options,
  seconds: number
): { readonly progress: Progress; readonly text: string } => {
  const progress = followed(before, event)
  const told = lineOf(event, before, options)
  const text = told === undefined ? "" : `${told}\n`
  if (!options.isTty) return { progress, text }
  return {
    progress,
    text: `${erased}${text}${event.type === "run-ended" ? "" : line(progress, seconds, options.columns)}`
  }
}
