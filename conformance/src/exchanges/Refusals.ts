import * as Expect from "../judgement/Expect.ts"
import type { Profile } from "../profile/Profile.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"
import { requestHeader } from "../wire/Signature.ts"
import { errorEnvelope, isCall, pathOf } from "./Envelope.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

const is = (status: number) => (exchange: Exchange) => statusOf(exchange) === status && isCall(exchange)

const unauthorizedText = "Unauthorized to perform this action"

/** The place of the text is open (SIL-10), and so is the format of the body. */
export const saysUnauthorized = (exchange: Exchange): Expect.Met =>
  exchange.answer?.text.includes(unauthorizedText) === true
    ? []
    : Expect.difference(exchange, "missing", "body", unauthorizedText, exchange.answer?.text.slice(0, 200) ?? null)

/** No error code; null counts as none. */
export const hasNoCode = (exchange: Exchange): Expect.Met =>
  ["error.code", "code"].flatMap((path) =>
    (Expect.valueAt(exchange, path) ?? null) === null ? [] : Expect.absent(exchange, path)
  )

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/**
 * The operations that the refusal of a method can name. Which one guards a POST that is not a create is open (SIL-13). A
 * change may also need READ of what it tells of, such as the events of a webhook.
 */
const operations: Readonly<Record<string, string>> = {
  GET: "READ",
  PUT: "(UPDATE|READ)",
  PATCH: "(UPDATE|READ)",
  DELETE: "(DELETE|READ)"
}

const limitedOf = ({ principal }: Exchange, { principals }: Profile) => {
  const [, index] = /^limited\.(\d+)/.exec(principal ?? "") ?? []
  return index === undefined ? undefined : principals.limited?.[Number(index)]
}

/** The message names the account of the caller, and an operation. */
const namesCaller = (exchange: Exchange, profile: Profile): Expect.Met => {
  const account = limitedOf(exchange, profile)?.accountUrn
  const urn = account === undefined ? "urn:\\S+" : escaped(account)
  const operation = operations[exchange.request.method] ?? "(READ|CREATE|UPDATE|DELETE)"
  const form = new RegExp(`^${urn} is unauthorized to ${operation} \\S.*\\.$`, "s")
  const words = `${account ?? "<account_urn>"} is unauthorized to ${operation} <entities>.`
  return Expect.matches(exchange, "error.message", form, words)
}

/** ENV-02 judges an error without a message. */
const hasMessage = (exchange: Exchange): boolean => typeof Expect.valueAt(exchange, "error.message") === "string"

const isForbidden = (exchange: Exchange): boolean =>
  is(403)(exchange) && exchange.principal?.startsWith("limited.") === true && hasMessage(exchange)

/** The challenge of §7.2, among others or with more parameters (RFC 9110, section 11.6.1). */
const challenge = /(^|,)\s*Basic\s+(.*,\s*)?realm="service-oauth"/i

export const isChallenged = (exchange: Exchange): Expect.Met =>
  Expect.header(exchange, "www-authenticate", (value) => challenge.test(value), 'Basic realm="service-oauth"')

/** A refused attempt by Basic at the token endpoint: the body names no client. */
const isFailedBasic = (exchange: Exchange): boolean =>
  exchange.kind === "token" &&
  statusOf(exchange) === 401 &&
  /^basic /i.test(requestHeader(exchange, "authorization") ?? "") &&
  !exchange.request.body.includes("client_id")

const isOverLimit = (exchange: Exchange): boolean =>
  statusOf(exchange) === 429 && (exchange.kind === "token" || isCall(exchange))

/** Refused for the limit, with the seconds to wait; in the envelope, but for the token endpoint. */
const saysWhen = (exchange: Exchange): Expect.Met => [
  ...(exchange.kind === "token"
    ? []
    : [...errorEnvelope(exchange), ...Expect.oneOf(exchange, "error.code", ["TOO_MANY_REQUESTS"])]),
  ...Expect.header(exchange, "retry-after", (value) => /^\d+$/.test(value), "whole seconds to wait")
]

const isConflict = (exchange: Exchange): boolean =>
  is(409)(exchange) &&
  /\/credentials\/[^/]+\/link$/.test(pathOf(exchange)) &&
  Expect.valueAt(exchange, "error.code") === "ALREADY_LINKED" &&
  hasMessage(exchange)

const numberIn = (exchange: Exchange, name: string): number | undefined => {
  const text = Expect.headerOf(exchange, name)
  return text === undefined || !/^\d+(\.\d+)?$/.test(text) ? undefined : Number(text)
}

/** The remainder is never above the limit. */
export const withinLimit = (exchange: Exchange): Expect.Met => {
  const [limit, remaining] = ["x-ratelimit-limit", "x-ratelimit-remaining"].map((name) => numberIn(exchange, name))
  if (limit === undefined || remaining === undefined || remaining <= limit) return []
  return Expect.difference(exchange, "wrong-value", "header x-ratelimit-remaining", `at most ${limit}`, remaining)
}

/** Above a year, the value is a timestamp and not a duration. */
const secondsOfAYear = 31_536_000

export const secondsToReset = (exchange: Exchange): Expect.Met =>
  Expect.header(exchange, "x-ratelimit-reset", (value) => Number(value) < secondsOfAYear, "seconds still to wait")

const hasLimits = (exchange: Exchange): boolean =>
  isCall(exchange) && Expect.headerOf(exchange, "x-ratelimit-reset") !== undefined

/** Rules about refusals, and about the limits that answers show. */
export const refusalRules: ReadonlyArray<ExchangeRule> = [
  besides("AUT-06", is(401), saysUnauthorized),
  besides("AUT-07", is(401), hasNoCode),
  besides("PRV-10", isForbidden, namesCaller),
  besides("OAU-14", isFailedBasic, isChallenged),
  besides("RTL-02", hasLimits, withinLimit),
  besides("RTL-03", hasLimits, secondsToReset),
  besides("RTL-04", isOverLimit, saysWhen),
  besides("OWN-05", isConflict, (exchange) =>
    Expect.matches(exchange, "error.message", /transfer/i, "a text that names transfer")
  )
]
