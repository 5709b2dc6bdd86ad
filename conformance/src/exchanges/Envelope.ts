import { isTableStatus } from "../catalogue/ErrorCodes.ts"
import * as Expect from "../engine/Expect.ts"
import { type Exchange, isIn, type Request, statusOf } from "../wire/Exchange.ts"
import { isObject } from "../wire/Json.ts"
import { newerRoot } from "../wire/Sending.ts"

/** Which exchanges the rules about the bodies of the newer surface speak of. */

/** Most rules ask it of every exchange, some thousands in a run. */
const paths = new WeakMap<Request, string>()

const pathOf = ({ request }: Exchange): string => {
  const path = paths.get(request) ?? new URL(request.url).pathname
  paths.set(request, path)
  return path
}

/** What brokers a third party's set-up answers is not shown (§4.2). */
const isBrokering = (exchange: Exchange): boolean => pathOf(exchange).startsWith(`${newerRoot}/oauth/`)

const isAnsweredBelowRoot = (exchange: Exchange): boolean =>
  exchange.answer !== null && pathOf(exchange).startsWith(`${newerRoot}/`) && !isBrokering(exchange)

/** A call of the newer surface, on a path that somebody named, that was answered. */
export const isCall = (exchange: Exchange): boolean => exchange.kind === "call" && isAnsweredBelowRoot(exchange)

/** The same on a path that nobody named. */
export const isUnknownPath = (exchange: Exchange): boolean =>
  exchange.kind === "unknown path" && isAnsweredBelowRoot(exchange)

/** The answer's body is not empty. */
export const hasBody = ({ answer }: Exchange): boolean => answer !== null && answer.text !== ""

/** An answer to verify whose fields stand at the top: §2.2 shows it so (SIL-05). */
const isFlatVerify = (exchange: Exchange): boolean =>
  exchange.request.method === "POST" &&
  pathOf(exchange).endsWith("/verify") &&
  Expect.valueAt(exchange, "data") === undefined

/**
 * A success that has to be `{ data, meta }`: one with a body, and a read or a create even without, for these show a
 * resource.
 */
export const isEnvelopedSuccess = (exchange: Exchange): boolean =>
  isCall(exchange) &&
  isIn(exchange, 2) &&
  !isFlatVerify(exchange) &&
  (hasBody(exchange) || exchange.request.method === "GET" || statusOf(exchange) === 201)

/** An error that has to be in the envelope: at a status of the table, on a known path. */
export const isEnvelopedError = (exchange: Exchange): boolean => isCall(exchange) && isTableStatus(statusOf(exchange))

/** An error whose body has an object under `error`, as the envelope has it. */
export const hasErrorObject = (exchange: Exchange): boolean => isObject(Expect.valueAt(exchange, "error"))

/** The error stands in the envelope: an object of three strings. */
export const errorEnvelope = (exchange: Exchange): Expect.Met => {
  const outer = Expect.type(exchange, "error", "object")
  if (outer.length > 0) return outer
  return ["code", "message", "requestId"].flatMap((name) => Expect.type(exchange, `error.${name}`, "string"))
}
