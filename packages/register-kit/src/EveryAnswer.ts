import type { ExchangeRule } from "@wcs/conformance/exchanges/ExchangeRule"
import * as Expect from "@wcs/conformance/judgement/Expect"
import { at, isObject, parse } from "@wcs/conformance/text/Json"
import { type Exchange, isIn, statusOf } from "@wcs/conformance/wire/Exchange"
import { hasWord } from "@wcs/conformance/wire/Words"
import { isCalendarDate } from "@wcs/domain/shared/Instant"
import { comparable } from "@wcs/domain/verification/Register"
import { saidDetails } from "@wcs/register/GatewayContract"
import type { AlwaysRuleId } from "./Catalogue.ts"

/** The most bytes of an answer. */
const maxBytes = 16 * 1024

const isAnswered = ({ answer }: Exchange): boolean => answer !== null

const isOk = (exchange: Exchange): boolean => statusOf(exchange) === 200

/** Whether an answer has a body whose fields can be judged. */
const hasFields = (exchange: Exchange): boolean => isOk(exchange) && isObject(exchange.answer?.json)

const isRefused = (exchange: Exchange): boolean => isIn(exchange, 4) || isIn(exchange, 5)

const isBusy = (exchange: Exchange): boolean => [429, 503].includes(statusOf(exchange))

/** A rule about each answer to which it applies. */
const each = (
  rule: AlwaysRuleId,
  appliesTo: (exchange: Exchange) => boolean,
  differences: (exchange: Exchange) => Expect.Met
): ExchangeRule<AlwaysRuleId> => ({
  rule,
  appliesTo,
  judge: (exchanges) => exchanges.flatMap(differences),
  whenUnseen: rule === "GWY-18" || rule === "GWY-19" ? "not-applicable" : "blocked"
})

/** The secret of a request; undefined without one. */
const secretOf = ({ request }: Exchange): string | undefined => {
  const [, sent = ""] = request.headers.find(([name]) => name === "Authorization") ?? []
  const [, scheme = "", credentials = ""] = /^(\w+) (.+)$/.exec(sent) ?? []
  const secret =
    scheme === "Basic"
      ? Buffer.from(credentials, "base64")
          .toString("utf8")
          .replace(/^[^:]*:/, "")
      : credentials
  return secret === "" ? undefined : secret
}

const showsSecret = (exchange: Exchange): Expect.Met => {
  const secret = secretOf(exchange)
  const { headers = {}, text = "" } = exchange.answer ?? {}
  const shown = [...Object.entries(headers).map(([name, value]) => [`header ${name}`, value]), ["body", text]]
  return shown.flatMap(([where = "", value = ""]) =>
    secret !== undefined && value.includes(secret)
      ? Expect.difference(exchange, "disclosed", where, "no secret", "the secret of the request")
      : []
  )
}

const wrongDate = (exchange: Exchange): Expect.Met => {
  const date = Expect.valueAt(exchange, "expiryDate") ?? null
  return date === null || (typeof date === "string" && isCalendarDate(date))
    ? []
    : Expect.difference(exchange, "wrong-value", "body.expiryDate", "a date that exists, YYYY-MM-DD, or null", date)
}

const wrongMatched = (exchange: Exchange): Expect.Met => {
  const matched = Expect.valueAt(exchange, "matched")
  const names: ReadonlyArray<unknown> = comparable
  return matched === undefined || (Array.isArray(matched) && matched.every((one) => names.includes(one)))
    ? []
    : Expect.difference(exchange, "wrong-value", "body.matched", `a list of ${comparable.join(", ")}`, matched)
}

const tooLarge = (exchange: Exchange): Expect.Met => {
  const bytes = Buffer.byteLength(exchange.answer?.text ?? "")
  return bytes > maxBytes
    ? Expect.difference(exchange, "wrong-value", "body", `at most ${maxBytes} bytes`, `${bytes} bytes`)
    : []
}

const isRetryAfter = (text: string): boolean =>
  /^\d{1,9}$/.test(text) || (/GMT$/.test(text) && !Number.isNaN(Date.parse(text)))

/** The shortest name that a refusal is searched for. */
const minChars = 4

const repeatsPerson = (exchange: Exchange): Expect.Met => {
  const asked = parse(exchange.request.body)
  return ["identifier", "holder.lastName", "holder.birthDate"].flatMap((path) => {
    const value = at(asked, path)
    return typeof value === "string" && value.length >= minChars && hasWord(exchange.answer?.text ?? "", value)
      ? Expect.difference(exchange, "disclosed", "body", `no ${path} of the query`, `the ${path} of the query`)
      : []
  })
}

/** The rules that every answer of a gateway can break. */
export const everyAnswer: ReadonlyArray<ExchangeRule<AlwaysRuleId>> = [
  each("GWY-03", isAnswered, showsSecret),
  each("GWY-10", isOk, (exchange) => Expect.type(exchange, "", "object")),
  each("GWY-11", isOk, (exchange) =>
    Expect.header(exchange, "content-type", (type) => /^application\/json\b/i.test(type), "application/json")
  ),
  each("GWY-12", hasFields, (exchange) => Expect.oneOf(exchange, "statusDetail", saidDetails)),
  each("GWY-13", hasFields, wrongDate),
  each("GWY-14", hasFields, wrongMatched),
  each("GWY-15", isOk, tooLarge),
  each(
    "GWY-16",
    () => true,
    (exchange) => (exchange.silence === "timeout" ? Expect.answered(exchange) : [])
  ),
  each("GWY-17", isAnswered, (exchange) =>
    isIn(exchange, 3) ? Expect.difference(exchange, "status", "status", "no redirect", statusOf(exchange)) : []
  ),
  each("GWY-18", isBusy, (exchange) => Expect.header(exchange, "retry-after", isRetryAfter, "seconds or a date")),
  each("GWY-19", isRefused, repeatsPerson)
]
