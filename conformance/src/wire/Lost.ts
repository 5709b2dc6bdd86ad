import { type Exchange, statusOf } from "./Exchange.ts"

/**
 * Statuses of a gateway that could not reach a server or got no answer in time (RFC 9110, sections 15.6.3 to 15.6.5).
 */
const ofGateways = [502, 503, 504]

/**
 * The pauses before further attempts of steps that lost an answer. Another server may take over immediately; one that
 * starts again is ready after the last pause.
 */
export const pausesSeconds: ReadonlyArray<number> = [0, 5]

/**
 * Whether an answer was lost on its way, so that the result of the call is unknown. An answer with a request id comes
 * from the deployment itself (RID-01). For plain HTTP any refusal is allowed, silence included (SIL-03).
 */
export const isLost = (exchange: Exchange): boolean => {
  if (exchange.kind === "plain" || exchange.kind === "delivery") return false
  if (exchange.answer === null) return exchange.silence === "refused" || exchange.silence === "reset"
  return ofGateways.includes(statusOf(exchange)) && exchange.answer.headers["x-request-id"] === undefined
}
