import { type Exchange, statusOf } from "./Exchange.ts"

/** A gateway could not reach a server, or had no answer from it in time (RFC 9110, sections 15.6.3 to 15.6.5). */
const ofGateways = [502, 503, 504]

/**
 * Whether an answer was lost on its way: nobody can tell whether the call was carried out. One that has a request id was
 * given by the deployment itself (RID-01). How plain HTTP is turned away is open (SIL-03), silence included.
 */
export const isLost = (exchange: Exchange): boolean => {
  if (exchange.kind === "plain" || exchange.kind === "delivery") return false
  if (exchange.answer === null) return exchange.silence === "refused" || exchange.silence === "reset"
  return ofGateways.includes(statusOf(exchange)) && exchange.answer.headers["x-request-id"] === undefined
}
