import * as Expect from "../judgement/Expect.ts"
import { isObject } from "../text/Json.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"
import { hasBody, isCall, isEnvelopedError, isEnvelopedSuccess } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

const isJsonType = (type: string): boolean => /^[\w.+-]+\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())

const isOfAnySurface = (exchange: Exchange): boolean =>
  isCall(exchange) || exchange.kind === "token" || exchange.kind === "legacy"

/** Answers that need a JSON body: successes, tokens included, and errors in the envelope. */
const hasJsonBody = (exchange: Exchange): boolean =>
  hasBody(exchange) && ((isOfAnySurface(exchange) && isIn(exchange, 2)) || isEnvelopedError(exchange))

/** Rules about the form of all bodies. */
export const bodyRules: ReadonlyArray<ExchangeRule> = [
  {
    rule: "TRN-07",
    appliesTo: hasJsonBody,
    judge: (exchanges) =>
      exchanges.flatMap((exchange) =>
        exchange.answer?.json === undefined
          ? Expect.difference(exchange, "not-json", "body", "JSON", exchange.answer?.text.slice(0, 200))
          : []
      ),
    whenUnseen: "blocked"
  },
  {
    rule: "TRN-09",
    appliesTo: hasJsonBody,
    judge: (exchanges) =>
      exchanges.flatMap((exchange) => Expect.header(exchange, "content-type", isJsonType, "a JSON type")),
    whenUnseen: "blocked"
  },
  {
    rule: "ENV-01",
    appliesTo: isEnvelopedSuccess,
    judge: (exchanges) =>
      exchanges.flatMap((exchange) => {
        const data =
          isObject(exchange.answer?.json) && Expect.valueAt(exchange, "data") === undefined
            ? Expect.difference(exchange, "missing", "body.data", "the resource or the list", null)
            : []
        return [...data, ...Expect.type(exchange, "meta", "object")]
      }),
    whenUnseen: "blocked"
  },
  {
    rule: "RID-02",
    appliesTo: (exchange) => isEnvelopedSuccess(exchange) && isObject(exchange.answer?.json),
    judge: (exchanges) => exchanges.flatMap((exchange) => Expect.type(exchange, "meta.requestId", "non-empty string")),
    whenUnseen: "blocked"
  }
]
