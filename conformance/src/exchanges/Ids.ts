import { isTableStatus } from "../catalogue/ErrorCodes.ts"
import * as Expect from "../judgement/Expect.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"
import { hasErrorObject, isCall, isUnknownPath } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

const header = "x-request-id"

/** The positions of the request id in an answer. Each is judged separately, because the header may differ (SIL-14). */
const positions: ReadonlyArray<readonly [at: string, idOf: (exchange: Exchange) => unknown]> = [
  [`header ${header}`, (exchange) => Expect.headerOf(exchange, header)],
  ["body.meta.requestId", (exchange) => Expect.valueAt(exchange, "meta.requestId")],
  ["body.error.requestId", (exchange) => Expect.valueAt(exchange, "error.requestId")]
]

const repeats = (exchanges: ReadonlyArray<Exchange>): Expect.Met =>
  positions.flatMap(([at, idOf]) => {
    const seen = new Set<string>()
    return exchanges.flatMap((exchange) => {
      const id = idOf(exchange)
      if (typeof id !== "string") return []
      if (seen.has(id)) return Expect.difference(exchange, "repeated", at, "a unique id", id)
      seen.add(id)
      return []
    })
  })

const isOfNewerSurface = (exchange: Exchange): boolean =>
  isCall(exchange) || exchange.kind === "unknown path" || exchange.kind === "token"

/** An error in the envelope. Its status is in the table, or the deployment sends that error in the envelope too. */
const isInEnvelope = (exchange: Exchange): boolean =>
  (isCall(exchange) || isUnknownPath(exchange)) &&
  statusOf(exchange) >= 400 &&
  hasErrorObject(exchange) &&
  ((isCall(exchange) && isTableStatus(statusOf(exchange))) || Expect.valueAt(exchange, "error.requestId") !== undefined)

const sameAsHeader = (exchange: Exchange): Expect.Met => {
  const id = Expect.valueAt(exchange, "error.requestId")
  const missing = Expect.type(exchange, "error.requestId", "non-empty string")
  return missing.length > 0
    ? missing
    : Expect.header(exchange, header, (value) => value === id, `${JSON.stringify(id)}, as in error.requestId`)
}

/** Rules about request ids. */
export const idRules: ReadonlyArray<ExchangeRule> = [
  {
    rule: "RID-01",
    appliesTo: isInEnvelope,
    judge: (exchanges) => exchanges.flatMap(sameAsHeader),
    whenUnseen: "blocked"
  },
  {
    rule: "RID-07",
    appliesTo: (exchange) =>
      isOfNewerSurface(exchange) && positions.some(([, idOf]) => typeof idOf(exchange) === "string"),
    judge: repeats,
    atLeast: 2,
    whenUnseen: "blocked"
  }
]
