import { isTableStatus } from "../catalogue/ErrorCodes.ts"
import * as Expect from "../judgement/Expect.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { isCall, isUnknownPath, originOf } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

/** The three headers of §8. */
export const rateLimitHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] as const

const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)

const threeHeaders = (exchange: Exchange): Expect.Met =>
  rateLimitHeaders.flatMap((name) => Expect.header(exchange, name, isNumber, "a number, 0 or more"))

/** Responses that the server sends only after authentication. Others (413, 503) may come before it. */
const isFromBehind = (exchange: Exchange): boolean =>
  isIn(exchange, 2) || isIn(exchange, 3) || isTableStatus(statusOf(exchange))

/** The host on which a principal's credentials are valid: its own tenant's. */
const homeOf = (exchange: Exchange): string =>
  `${exchange.principal?.startsWith("secondTenant") === true ? "second" : "first"} ${originOf(exchange)}`

/**
 * The exchanges with credentials to a host that accepted credentials of that tenant at least once. All of them if none
 * was ever accepted, because valid credentials can then not be distinguished from invalid ones.
 */
const authenticated = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Exchange> => {
  const homes = new Set(exchanges.filter((exchange) => isIn(exchange, 2)).map(homeOf))
  return homes.size === 0 ? exchanges : exchanges.filter((exchange) => homes.has(homeOf(exchange)))
}

/** Everything in a request but the credentials. */
const withoutCredentials = ({ request: { body, headers, method, url } }: Exchange): string =>
  JSON.stringify([method, url, headers.filter(([name]) => name.toLowerCase() !== "authorization"), body])

/** A refusal that the server may send before authentication: of an unknown path, or with a status outside the table. */
const isEarlyRefusal = (exchange: Exchange): boolean =>
  isIn(exchange, 4) && (isUnknownPath(exchange) || (isCall(exchange) && !isTableStatus(statusOf(exchange))))

/**
 * Such refusals that were provably sent after authentication: the same request without credentials returns 401. Those of
 * an expired or revoked token are 401 themselves.
 */
const refusedAfterAuthentication = (all: ReadonlyArray<Exchange>): ReadonlyArray<Exchange> => {
  const early = all.filter(isEarlyRefusal)
  const unauthorized = early.filter((exchange) => exchange.principal === null && statusOf(exchange) === 401)
  const asked = new Set(unauthorized.map(withoutCredentials))
  return early.filter(
    (exchange) => exchange.principal !== null && statusOf(exchange) !== 401 && asked.has(withoutCredentials(exchange))
  )
}

/** Rules about the rate-limit headers. */
export const rateLimitRules: ReadonlyArray<ExchangeRule> = [
  {
    rule: "RTL-01",
    appliesTo: (exchange) => isCall(exchange) && exchange.principal !== null && isFromBehind(exchange),
    judge: (exchanges, all) => [...authenticated(exchanges), ...refusedAfterAuthentication(all)].flatMap(threeHeaders),
    whenUnseen: "blocked"
  },
  {
    rule: "RTL-08",
    appliesTo: (exchange) =>
      (isCall(exchange) && statusOf(exchange) === 401) ||
      (exchange.kind === "token" && (isFromBehind(exchange) || statusOf(exchange) === 401)),
    judge: (exchanges) => exchanges.flatMap(threeHeaders),
    whenUnseen: "blocked"
  }
]
