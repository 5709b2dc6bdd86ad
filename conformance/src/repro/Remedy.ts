import { storyOf } from "../judgement/Difference.ts"
import type { RecordedExchange, Report, ReportedDifference, RuleReport } from "../report/Report.ts"
import { isBroken } from "../report/Reporting.ts"
import * as ReportText from "../report/ReportText.ts"
import { inLine } from "../text/Visible.ts"

/** Whether a segment of a path is an id: it contains an underscore or a digit. Versions are names. */
const isId = (segment: string): boolean => /[_\d]/.test(segment) && !/^v\d+$/.test(segment)

/** `POST /openapi/v1/credentials/{id}/link`: the same for every resource. */
const callOf = ({ request }: RecordedExchange): string => {
  const { pathname } = new URL(request.url)
  const path = pathname.split("/").map((segment) => (isId(segment) ? "{id}" : segment))
  return `${request.method} ${inLine(path.join("/"))}`
}

/** One sentence: what a server has to change, so that the difference disappears. */
const remedyOf = (found: ReportedDifference, exchange: RecordedExchange | undefined): string => {
  const call = exchange === undefined ? `#${found.exchange}` : callOf(exchange)
  const expected = ReportText.value(found.expected)
  const at = inLine(found.at)
  if (storyOf(found) !== undefined) return `Give every such sequence of calls this result: ${expected}.`
  if (exchange?.kind === "delivery" || at === "delivery") {
    return found.kind === "unexpected" ? `Send no such delivery: ${expected}.` : `Send ${expected} (${at}).`
  }
  switch (found.kind) {
    case "no-answer":
      return `Answer ${call}.`
    case "status":
      return `Answer ${call} with ${expected} instead of ${ReportText.actual(found)}.`
    case "not-json":
      return `Answer ${call} with a JSON body.`
    case "missing":
      return `Add ${at} to the answer to ${call}: ${expected}.`
    case "wrong-value":
    case "wrong-type":
      return `Return ${expected} as ${at} in the answer to ${call}.`
    case "unexpected":
      return `Leave ${at} out of the answer to ${call}.`
    case "changed":
      return `Change nothing before ${call} shows ${at}: it has to be ${expected} still.`
    case "unchanged":
      return `Change ${at} in the answer to ${call}: ${expected}.`
    case "disclosed":
      return `Do not show the secret as ${at} in the answer to ${call}.`
    case "repeated":
      return `Give ${at} in the answer to ${call} a value that is ${expected}.`
  }
}

const maxRemedies = 3

/** Returns what a server has to change to keep a broken rule, in sentences; empty for other rules. */
export const remedies = (rule: RuleReport, { exchanges }: Pick<Report, "exchanges">): ReadonlyArray<string> => {
  if (!isBroken(rule)) return []
  const known = new Map(exchanges.map((exchange) => [exchange.number, exchange]))
  const differences = ReportText.decisive(rule).flatMap((finding) => finding.differences)
  return [...new Set(differences.map((one) => remedyOf(one, known.get(one.exchange))))].slice(0, maxRemedies)
}
