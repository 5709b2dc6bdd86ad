import { isTableStatus } from "../catalogue/ErrorCodes.ts"
import * as Expect from "../judgement/Expect.ts"
import { newerRoot } from "../profile/Roots.ts"
import { isObject, type Json, parse } from "../text/Json.ts"
import { type Exchange, isIn, type Request, statusOf } from "../wire/Exchange.ts"

/** The exchanges to which the rules about bodies of the newer surface apply. */

/** A cache: rules read the URL of every exchange, thousands in a run. */
const urls = new WeakMap<Request, { readonly origin: string; readonly path: string }>()

const urlOf = ({ request }: Exchange) => {
  const known = urls.get(request)
  if (known !== undefined) return known
  const { origin, pathname } = new URL(request.url)
  const url = { origin, path: pathname }
  urls.set(request, url)
  return url
}

export const pathOf = (exchange: Exchange): string => urlOf(exchange).path

export const originOf = (exchange: Exchange): string => urlOf(exchange).origin

/** The specification does not document the answers of calls that broker a third party's set-up (§4.2). */
const isBrokering = (exchange: Exchange): boolean => pathOf(exchange).startsWith(`${newerRoot}/oauth/`)

const isAnsweredBelowRoot = (exchange: Exchange): boolean =>
  exchange.answer !== null && pathOf(exchange).startsWith(`${newerRoot}/`) && !isBrokering(exchange)

/** A cache: most rules ask this of every exchange. */
const calls = new WeakMap<Exchange, boolean>()

/** An answered call of the newer surface on a known path. */
export const isCall = (exchange: Exchange): boolean => {
  if (exchange.kind !== "call") return false
  const known = calls.get(exchange)
  if (known !== undefined) return known
  const isOne = isAnsweredBelowRoot(exchange)
  calls.set(exchange, isOne)
  return isOne
}

/** A cache: several rules read what a request sent. */
const bodies = new WeakMap<Request, Json | undefined>()

/** The JSON body of a request; undefined without one. */
export const sentBy = ({ request }: Exchange): Json | undefined => {
  if (!bodies.has(request)) bodies.set(request, request.body === "" ? undefined : parse(request.body))
  return bodies.get(request)
}

/** An answered call of the newer surface on an unknown path. */
export const isUnknownPath = (exchange: Exchange): boolean =>
  exchange.kind === "unknown path" && isAnsweredBelowRoot(exchange)

export const hasBody = ({ answer }: Exchange): boolean => answer !== null && answer.text !== ""

/** A verify answer with its fields at the top level, as §2.2 shows them (SIL-05). */
const isFlatVerify = (exchange: Exchange): boolean =>
  exchange.request.method === "POST" &&
  pathOf(exchange).endsWith("/verify") &&
  Expect.valueAt(exchange, "data") === undefined

/** A success that must be `{ data, meta }`: any with a body, and every read or create. */
export const isEnvelopedSuccess = (exchange: Exchange): boolean =>
  isCall(exchange) &&
  isIn(exchange, 2) &&
  !isFlatVerify(exchange) &&
  (hasBody(exchange) || exchange.request.method === "GET" || statusOf(exchange) === 201)

/** An error that must be in the envelope: a status of the table on a known path. */
export const isEnvelopedError = (exchange: Exchange): boolean => isCall(exchange) && isTableStatus(statusOf(exchange))

/** The error body has an object under `error`, as the envelope has. */
export const hasErrorObject = (exchange: Exchange): boolean => isObject(Expect.valueAt(exchange, "error"))

/** The error envelope: an object of three strings. */
export const errorEnvelope = (exchange: Exchange): Expect.Met => {
  const outer = Expect.type(exchange, "error", "object")
  if (outer.length > 0) return outer
  return ["code", "message", "requestId"].flatMap((name) => Expect.type(exchange, `error.${name}`, "string"))
}
