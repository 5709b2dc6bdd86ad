import { codesOf, isTableStatus, statusOfCode } from "../catalogue/ErrorCodes.ts"
import * as Expect from "../judgement/Expect.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { disclosedIn } from "./Disclosure.ts"
import { errorEnvelope, isCall, isEnvelopedError, isUnknownPath } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

const codeOf = (exchange: Exchange): string | undefined => {
  const code = Expect.valueAt(exchange, "error.code")
  return typeof code === "string" ? code : undefined
}

/** An error that need not be in the envelope. Its `error`, if present, is an object. */
const hasOtherError = (exchange: Exchange): boolean =>
  (isCall(exchange) || isUnknownPath(exchange)) &&
  !isEnvelopedError(exchange) &&
  (isIn(exchange, 4) || isIn(exchange, 5)) &&
  statusOf(exchange) !== 401 && // raised before the envelope is built: the body is open (SIL-10)
  Expect.valueAt(exchange, "error") !== undefined

/** A code of the table has its own status, and a status of the table has one of its codes. */
const codeAndStatus = (exchange: Exchange): Expect.Met => {
  const code = codeOf(exchange) ?? ""
  const status = statusOf(exchange)
  const home = statusOfCode(code)
  if (home !== undefined && home !== status) {
    return Expect.difference(exchange, "wrong-value", "status", `${home}, the status of ${code}`, status)
  }
  return isTableStatus(status) && isCall(exchange) ? Expect.oneOf(exchange, "error.code", codesOf(status)) : []
}

/** The newer surface failed with 5xx, on known or unknown paths. */
const isFailure = (exchange: Exchange): boolean =>
  statusOf(exchange) === 500 && (exchange.kind === "unknown path" || isCall(exchange))

const disclosure = (exchange: Exchange): Expect.Met =>
  disclosedIn(exchange.answer?.text ?? "").flatMap(({ what, text }) =>
    Expect.difference(exchange, "disclosed", "body", `no ${what}`, text)
  )

/** Statuses of the token endpoint that a proxy in front of it may send (SIL-21). */
const fromInFront = [405, 413, 414, 431]

const isTokenError = (exchange: Exchange): boolean =>
  exchange.kind === "token" &&
  (isIn(exchange, 4) || statusOf(exchange) === 500) &&
  !fromInFront.includes(statusOf(exchange))

/** Rules about error answers. */
export const errorRules: ReadonlyArray<ExchangeRule> = [
  {
    rule: "ENV-02",
    appliesTo: (exchange) => isEnvelopedError(exchange) || hasOtherError(exchange),
    judge: (exchanges) =>
      exchanges.flatMap((exchange) =>
        isEnvelopedError(exchange) ? errorEnvelope(exchange) : Expect.type(exchange, "error", "object")
      ),
    whenUnseen: "blocked"
  },
  {
    rule: "ENV-03",
    appliesTo: (exchange) => (isCall(exchange) || isUnknownPath(exchange)) && codeOf(exchange) !== undefined,
    judge: (exchanges) => exchanges.flatMap(codeAndStatus),
    whenUnseen: "blocked"
  },
  {
    rule: "ENV-15",
    appliesTo: isFailure,
    judge: (exchanges) =>
      exchanges.flatMap((exchange) => {
        const envelope = errorEnvelope(exchange)
        return envelope.length > 0 ? envelope : Expect.oneOf(exchange, "error.code", codesOf(500))
      }),
    whenUnseen: "not-applicable"
  },
  {
    rule: "ENV-18",
    appliesTo: isFailure,
    judge: (exchanges) => exchanges.flatMap(disclosure),
    whenUnseen: "not-applicable"
  },
  {
    rule: "OAU-15",
    appliesTo: isTokenError,
    judge: (exchanges) =>
      exchanges.flatMap((exchange) => {
        const error = Expect.type(exchange, "error", "non-empty string")
        return exchange.answer?.json === undefined
          ? error
          : [...error, ...Expect.type(exchange, "error_description", "string")]
      }),
    whenUnseen: "blocked"
  }
]
