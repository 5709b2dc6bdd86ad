import * as Expect from "../judgement/Expect.ts"
import { type CallersId, kindOf } from "../wire/CallersId.ts"
import { type Exchange, isIn, type Request, statusOf } from "../wire/Exchange.ts"
import { requestHeader } from "../wire/Signature.ts"
import { isCall, isUnknownPath } from "./Envelope.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

const own = "x-request-id"
const echo = "x-client-request-id"

const idOf = (exchange: Exchange): string | undefined => requestHeader(exchange, own)

/** An error that the controller layer answers. Whether other errors echo the id is open. */
const isError = (exchange: Exchange): boolean => [400, 403, 404, 409, 422].includes(statusOf(exchange))

/** A cache: several rules ask for the kind of every call. */
const kinds = new WeakMap<Request, CallersId>()

const kindIn = (exchange: Exchange): CallersId => {
  const known = kinds.get(exchange.request)
  if (known !== undefined) return known
  const kind = kindOf(idOf(exchange))
  kinds.set(exchange.request, kind)
  return kind
}

const isOf = (kind: CallersId, exchange: Exchange): boolean => isCall(exchange) && kindIn(exchange) === kind

/** UUIDs (RFC 9562, section 4) and ULIDs are equal in either case. */
const isEchoed = (exchange: Exchange): Expect.Met => {
  const id = idOf(exchange) ?? ""
  return Expect.header(exchange, echo, (value) => value.toLowerCase() === id.toLowerCase(), id)
}

/** The positions of the server's own id. */
const notAdopted = (exchange: Exchange): Expect.Met => {
  const id = idOf(exchange) ?? ""
  const positions = [
    [`header ${own}`, Expect.headerOf(exchange, own)],
    ["body.meta.requestId", Expect.valueAt(exchange, "meta.requestId")],
    ["body.error.requestId", Expect.valueAt(exchange, "error.requestId")]
  ] as const
  return positions.flatMap(([at, value]) =>
    value === id ? Expect.difference(exchange, "wrong-value", at, "an id of the server's own", id) : []
  )
}

const isWellFormed = (exchange: Exchange): boolean => isOf("UUID", exchange) || isOf("ULID", exchange)

/** Rules about the request ids of callers, which most calls of a run carry. */
export const callersIdRules: ReadonlyArray<ExchangeRule> = [
  besides(
    "RID-03",
    (exchange) => (isCall(exchange) || isUnknownPath(exchange)) && kindIn(exchange) !== "none",
    notAdopted
  ),
  besides("RID-04", (exchange) => isOf("UUID", exchange) && isIn(exchange, 2), isEchoed),
  besides("RID-05", (exchange) => isOf("ULID", exchange) && isIn(exchange, 2), isEchoed),
  besides(
    "RID-06",
    (exchange) => isOf("malformed", exchange),
    (exchange) => Expect.noHeader(exchange, echo)
  ),
  besides("RID-08", (exchange) => isWellFormed(exchange) && isError(exchange), isEchoed)
]
