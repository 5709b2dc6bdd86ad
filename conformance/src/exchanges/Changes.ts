import { idOf } from "../calls/Reading.ts"
import { fieldPosition, readingOf, returnedId } from "../calls/VerifyCalls.ts"
import type { JudgedRuleId } from "../catalogue/Catalogue.ts"
import * as Expect from "../judgement/Expect.ts"
import { newerRoot } from "../profile/Roots.ts"
import { at, type Json } from "../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { counts, envelope, errors, itemsIn, noConflict, outcomes, shapes } from "./BatchAnswers.ts"
import { lastOf } from "./Creates.ts"
import { isCall, originOf, pathOf, sentBy } from "./Envelope.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

const isPost =
  (form: RegExp) =>
  (exchange: Exchange): boolean =>
    exchange.request.method === "POST" && isCall(exchange) && form.test(pathOf(exchange))

const isBatch = isPost(new RegExp(`^${newerRoot}/credentials/(link|transfer)$`))
const isVerify = isPost(new RegExp(`^${newerRoot}/credentials/[^/]+/verify$`))

/** A batch that was carried out. Rules about items prove nothing without one. */
const hasItems = (exchange: Exchange): boolean => isBatch(exchange) && isIn(exchange, 2) && itemsIn(exchange).length > 0

/** The items name only credentials that were asked for, each at most once. */
const namesAsked = (batch: Exchange): Expect.Met => {
  const asked = at(sentBy(batch), "credentialIds")
  if (!Array.isArray(asked) || new Set(asked.map(String)).size !== asked.length) return []
  const seen = new Set<string>()
  return itemsIn(batch).flatMap((item, index) => {
    const id = String(at(item, "credentialId") ?? "")
    const isWrong = !asked.includes(id) || seen.has(id)
    seen.add(id)
    const where = `body.data.${index}.credentialId`
    return isWrong ? Expect.difference(batch, "wrong-value", where, "a credential of the request", id) : []
  })
}

const isVerified = (exchange: Exchange): boolean => isVerify(exchange) && isIn(exchange, 2)

const fieldAt = (exchange: Exchange, name: Parameters<typeof fieldPosition>[1]): string =>
  fieldPosition(readingOf(exchange), name)

const strings = (exchange: Exchange): Expect.Met => [
  ...Expect.type(exchange, fieldAt(exchange, "eligibility"), "string"),
  ...Expect.type(exchange, fieldAt(exchange, "statusDetail"), "string"),
  ...Expect.type(exchange, fieldAt(exchange, "correlationId"), "non-empty string"),
  ...Expect.type(exchange, fieldAt(exchange, "requestId"), "non-empty string")
]

const hasDate = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== ""

const isDay = (text: Json | undefined): boolean =>
  typeof text === "string" &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) &&
  new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)

const dated = (exchange: Exchange): Expect.Met => {
  const position = fieldAt(exchange, "expiryDate")
  const value = Expect.valueAt(exchange, position)
  return !hasDate(value) || isDay(value)
    ? []
    : Expect.difference(exchange, "wrong-value", `body.${position}`, "a date, YYYY-MM-DD", value)
}

const textOrNull = (exchange: Exchange): Expect.Met => {
  const position = fieldAt(exchange, "errorMessage")
  return Expect.valueAt(exchange, position) === null ? [] : Expect.type(exchange, position, "string")
}

const sentId = (exchange: Exchange): Json | undefined => at(sentBy(exchange), "correlationId")

/** VER-06 judges the literal. */
const isEchoed = (id: Json | undefined): boolean => typeof id === "string" && id !== "string"

const echoes = (exchange: Exchange): Expect.Met =>
  Expect.value(exchange, fieldAt(exchange, "correlationId"), sentId(exchange) ?? null)

/** Generated ids are new each time. */
const generatedAnew = (exchanges: ReadonlyArray<Exchange>): Expect.Met => {
  const seen = new Set<string>()
  return exchanges.flatMap((exchange) => {
    const id = returnedId(exchange)
    if (id === undefined || sentId(exchange) !== undefined) return []
    const where = `body.${fieldAt(exchange, "correlationId")}`
    if (seen.has(id)) return Expect.difference(exchange, "repeated", where, "another id", id)
    seen.add(id)
    return []
  })
}

const isDelete = (exchange: Exchange): boolean => exchange.request.method === "DELETE" && isCall(exchange)

const keyOf = ({ request }: Exchange): string => request.url

/** The resources that the run created, by the end of their URLs on each host. */
const createdIds = (all: ReadonlyArray<Exchange>): ReadonlySet<string> =>
  new Set(
    all.flatMap((exchange) => {
      const id = statusOf(exchange) === 201 && isCall(exchange) ? idOf(Expect.valueAt(exchange, "data")) : undefined
      return id === undefined ? [] : [`${originOf(exchange)} ${id}`]
    })
  )

/** A refusal of a delete for the state of the resource, which no credential has a state for. */
const isRefusedForState = (exchange: Exchange): boolean =>
  exchange.principal === "admin" &&
  [400, 409, 422].includes(statusOf(exchange)) &&
  /\/credentials\/[^/]+$/.test(pathOf(exchange))

/** The first delete of a resource of the run is 204, if it is not refused. No 204 has a body. */
const deletesAre204 = (exchanges: ReadonlyArray<Exchange>, all: ReadonlyArray<Exchange>): Expect.Met => {
  const created = createdIds(all)
  const seen = new Set<string>()
  return exchanges.flatMap((exchange) => {
    if (!isIn(exchange, 2) && !isRefusedForState(exchange)) return []
    const isFirst = !seen.has(keyOf(exchange))
    seen.add(keyOf(exchange))
    const isOurs = created.has(`${originOf(exchange)} ${lastOf(pathOf(exchange))}`)
    const wrong = isFirst && isOurs ? Expect.status(exchange, 204) : []
    return wrong.length > 0 || statusOf(exchange) !== 204 ? wrong : Expect.empty(exchange)
  })
}

const isOfTwo = (exchange: Exchange): boolean => /\/(workers|credentials)\/[^/]+$/.test(pathOf(exchange))

const deleteRule = (rule: JudgedRuleId, isOwn: (exchange: Exchange) => boolean): ExchangeRule => ({
  rule,
  appliesTo: (exchange) => isDelete(exchange) && isOwn(exchange),
  judge: (exchanges, all) => deletesAre204(exchanges, all),
  whenUnseen: "nothing"
})

/** Rules about every change of a run: batches, verifications and deletes. */
export const changeRules: ReadonlyArray<ExchangeRule> = [
  besides("BLK-01", (exchange) => hasItems(exchange) && exchange.request.url.endsWith("/link"), envelope),
  besides("BLK-02", (exchange) => hasItems(exchange) && exchange.request.url.endsWith("/transfer"), envelope),
  besides("BLK-03", hasItems, (batch) => [...shapes(batch), ...namesAsked(batch)]),
  besides("BLK-06", hasItems, errors),
  besides("BLK-07", hasItems, counts),
  besides("BLK-12", isBatch, noConflict),
  besides("BLK-18", hasItems, outcomes),
  besides("VER-01", isVerified, strings),
  besides("VER-02", isVerified, dated),
  besides("VER-03", isVerified, textOrNull),
  besides("VER-04", (exchange) => isVerified(exchange) && isEchoed(sentId(exchange)), echoes),
  { rule: "VER-05", appliesTo: isVerified, judge: generatedAnew, whenUnseen: "nothing" },
  deleteRule("DEL-01", isOfTwo),
  deleteRule("DEL-03", (exchange) => !isOfTwo(exchange))
]
