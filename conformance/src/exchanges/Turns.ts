import type { JudgedRuleId } from "../catalogue/Catalogue.ts"
import * as Expect from "../judgement/Expect.ts"
import { callOf } from "../judgement/Place.ts"
import type { Profile } from "../profile/Profile.ts"
import { furtherTokensOf, validRules } from "../profile/ValidTokens.ts"
import { isObject, type Json } from "../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { requestHeader } from "../wire/Signature.ts"
import { isCall, originOf } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

// The rules about valid tokens, judged by the calls that they make in turn.

const isUsual = (exchange: Exchange): boolean =>
  requestHeader(exchange, "authorization")?.startsWith("Bearer ") !== false

/** Whether a refusal may be about the spelling of the prefix. */
const isOfPrefix = (exchange: Exchange): boolean => !isUsual(exchange) && statusOf(exchange) === 401

/** Whether a call was not refused as one that was refused before. Its content may be refused. */
const isMade = (again: Exchange, refused: Exchange): boolean =>
  [401, 403].includes(statusOf(refused)) ? ![0, 401, 403, 429].includes(statusOf(again)) : !isIn(again, 4)

const stepOf = ({ step, walk }: Exchange): string => `${walk} ${step}`

/**
 * The calls that a token made in turn and that were refused, although they were made then: by the same token with the
 * usual prefix, or by the admin.
 */
const refusedIn = (exchanges: ReadonlyArray<Exchange>, all: ReadonlyArray<Exchange>): ReadonlyArray<Exchange> => {
  const refused = exchanges.filter((exchange) => isIn(exchange, 4))
  const steps = new Set(refused.map(stepOf))
  const same = all.filter((one) => steps.has(stepOf(one)) && isUsual(one) && isCall(one))
  const again = Map.groupBy(same, stepOf)
  const isDone = (exchange: Exchange) => (one: Exchange) =>
    one.number > exchange.number &&
    one.request.url === exchange.request.url &&
    one.principal === (isOfPrefix(exchange) ? exchange.principal : "admin") &&
    isMade(one, exchange)
  return refused.filter((exchange) => again.get(stepOf(exchange))?.some(isDone(exchange)) === true)
}

const anyBut = (exchange: Exchange): Expect.Met =>
  Expect.difference(exchange, "status", "status", `any but ${statusOf(exchange)}`, statusOf(exchange))

/** The rule that a refusal of a valid token breaks. */
const ruleOf = (exchange: Exchange, profile: Profile): JudgedRuleId | undefined => {
  const status = statusOf(exchange)
  if (isOfPrefix(exchange)) return "AUT-03"
  if (exchange.principal === "personalToken") return status === 401 ? "AUT-08" : "AUT-10"
  if (exchange.principal === "secondClient") return status === 403 ? "OAU-18" : "AUT-10"
  const further = furtherTokensOf(profile).find(({ as }) => as === exchange.principal)
  // the enrolled user is a Super Admin; the privileges of the others are unknown
  return status === 401 || further?.valid === "AUT-15" ? further?.valid : undefined
}

/** The tokens with which those of a rule are compared: from OAuth, or of a user without a second factor. */
const isComparable = (rule: JudgedRuleId, { principal }: Exchange, { principals }: Profile): boolean =>
  rule === "AUT-15" && principals.personalToken !== undefined
    ? principal === "personalToken"
    : principal === "secondClient" || (principal === "admin" && "oauth" in principals.admin)

const kindOf = (value: Json | undefined): string =>
  Array.isArray(value) ? "list" : isObject(value) ? "object" : "none"

/** The envelope of an answer: the kind of its data, and the names in its meta. */
const shapeOf = (exchange: Exchange): string => {
  const meta = Expect.valueAt(exchange, "meta")
  const names = isObject(meta) ? Object.keys(meta).toSorted().join(", ") : "none"
  return `${kindOf(exchange.answer?.json)} with data: ${kindOf(Expect.valueAt(exchange, "data"))}, meta: ${names}`
}

/** Successes with another status or another envelope than any success of the tokens that they are compared with. */
const unlike = (
  rule: JudgedRuleId,
  exchanges: ReadonlyArray<Exchange>,
  all: ReadonlyArray<Exchange>,
  profile: Profile
): Expect.Met => {
  const usual = Map.groupBy(
    all.filter((one) => isCall(one) && isIn(one, 2) && isComparable(rule, one, profile)),
    (one) => callOf(one, profile)
  )
  return exchanges.flatMap((exchange) => {
    const known = usual.get(callOf(exchange, profile)) ?? []
    if (known.length === 0 || !isIn(exchange, 2)) return []
    const status = Expect.status(exchange, ...new Set(known.map(statusOf)))
    if (status.length > 0) return status
    const shape = shapeOf(exchange)
    return known.some((one) => shapeOf(one) === shape)
      ? []
      : Expect.difference(exchange, "wrong-type", "body", "as with another token", shape)
  })
}

/** An OAuth token of the first tenant, on its host. */
const isByClient = (exchange: Exchange, { newer, principals }: Profile): boolean =>
  (exchange.principal === "secondClient" || (exchange.principal === "admin" && "oauth" in principals.admin)) &&
  isCall(exchange) &&
  originOf(exchange) === new URL(newer.tenantBaseUrl).origin

/** The calls that were refused to a token, although it made the same one before and another one later. */
const refusedLater: ExchangeRule["judge"] = (exchanges, _, profile) => {
  const refused = exchanges.filter((exchange) => isUsual(exchange) && statusOf(exchange) === 401)
  return refused.flatMap((exchange) => {
    const others = exchanges.filter((one) => one.principal === exchange.principal && isIn(one, 2))
    const isSame = (one: Exchange) => callOf(one, profile) === callOf(exchange, profile)
    const isBetween =
      others.some((one) => one.number < exchange.number && isSame(one)) &&
      others.some((one) => one.number > exchange.number)
    return isBetween ? anyBut(exchange) : []
  })
}

const isBy = (rule: JudgedRuleId, exchange: Exchange, profile: Profile): boolean => {
  if (!isCall(exchange) || exchange.principal === null) return false
  if (rule === "AUT-03") return !isUsual(exchange)
  if (rule === "AUT-08") return exchange.principal === "personalToken"
  if (rule === "AUT-10") return ["personalToken", "secondClient"].includes(exchange.principal)
  if (rule === "OAU-18") return exchange.principal === "secondClient"
  return furtherTokensOf(profile).some(({ as, valid }) => as === exchange.principal && valid === rule)
}

/** The rules about valid tokens. Walks judge them too. */
export const turnRules: ReadonlyArray<ExchangeRule> = [
  { rule: "OAU-05", appliesTo: isByClient, judge: refusedLater, whenUnseen: "nothing" },
  ...(["AUT-03", "AUT-08", "AUT-10", "OAU-18", ...validRules] as const).map(
    (rule): ExchangeRule => ({
      rule,
      appliesTo: (exchange, profile) => isBy(rule, exchange, profile),
      judge: (exchanges, all, profile) => [
        ...refusedIn(exchanges, all)
          .filter((exchange) => ruleOf(exchange, profile) === rule)
          .flatMap(anyBut),
        ...(rule === "AUT-10" || rule === "AUT-15" ? unlike(rule, exchanges, all, profile) : [])
      ],
      whenUnseen: "nothing"
    })
  )
]
