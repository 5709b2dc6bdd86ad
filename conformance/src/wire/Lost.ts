import { type Exchange, unconnected } from "./Exchange.ts"
import { frontOf } from "./Front.ts"

/**
 * The pauses before further attempts of steps that lost an answer. Another server may take over immediately; one that
 * starts again is ready after the last pause.
 */
export const pausesSeconds: ReadonlyArray<number> = [0, 5]

/**
 * Whether the deployment was not reached: the connection failed, or something in front of it answered. Such an exchange
 * says nothing about the deployment, however often it is repeated.
 */
export const isUnreached = (exchange: Exchange): boolean => {
  if (exchange.kind === "plain" || exchange.kind === "delivery") return false
  return exchange.answer === null ? unconnected.has(exchange.silence) : frontOf(exchange) !== undefined
}

/**
 * Whether an answer was lost on its way, so that the result of the call is unknown. For plain HTTP any refusal is
 * allowed, silence included (SIL-03).
 */
export const isLost = (exchange: Exchange): boolean =>
  isUnreached(exchange) || (exchange.silence === "reset" && exchange.kind !== "plain" && exchange.kind !== "delivery")
