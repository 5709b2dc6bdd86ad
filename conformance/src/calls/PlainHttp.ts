import * as Expect from "../judgement/Expect.ts"
import type { Json } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { isIn, statusOf } from "../wire/Exchange.ts"
import { showsId } from "./Reading.ts"

/**
 * A request over plain HTTP is refused. Any silence and any status but 2xx will do (SIL-03). The answer must not
 * contain the `guarded` texts, and a redirect must not pass on the token.
 */
export const turnedAway = (exchange: Exchange, token: string, guarded: ReadonlyArray<string> = []): Expect.Met => {
  if (exchange.answer === null) {
    return exchange.silence === "too large"
      ? Expect.difference(exchange, "unexpected", "body", "no data", "more than was read")
      : []
  }
  const { status } = exchange.answer
  if (isIn(exchange, 2)) return Expect.difference(exchange, "status", "status", "no 2xx", status)
  const isShown = guarded.some((one) => showsId(exchange, one))
  const isCarriedOn = Expect.headerOf(exchange, "location")?.includes(token) === true
  return [
    ...(isShown ? Expect.difference(exchange, "disclosed", "body", "no data", "the data asked for") : []),
    ...(isCarriedOn ? Expect.difference(exchange, "disclosed", "header location", "no token", "the token") : [])
  ]
}

/** How a request was refused, as SIL-03 records it: `400`, `refused`. */
export const manner = (exchange: Exchange): Json => exchange.silence ?? statusOf(exchange)
