import { fields } from "../calls/LegacyCalls.ts"
import * as Expect from "../judgement/Expect.ts"
import { isObject } from "../text/Json.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"
import { requestHeader } from "../wire/Signature.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

const isAt =
  (method: string, form: RegExp) =>
  (exchange: Exchange): boolean =>
    exchange.kind === "legacy" &&
    exchange.request.method === method &&
    isIn(exchange, 2) &&
    form.test(new URL(exchange.request.url).pathname)

const isMe = isAt("GET", /\/users\/me$/)
const isToken = isAt("POST", /\/users\/[^/]+\/token$/)
const isOrganization = isAt("GET", /\/organizations\/me$/)

const isBy = (scheme: string, exchange: Exchange): boolean =>
  requestHeader(exchange, "authorization")?.toLowerCase().startsWith(`${scheme} `) === true

/** The fields of a user, with either scheme. */
export const userFields = (exchange: Exchange): Expect.Met =>
  fields(exchange, {
    id: "integer",
    email: "string",
    first_name: "string",
    surname: "string",
    organization: "object"
  })

/** The organization has its id and name and nothing else (§2.1). */
export const onlyIdAndName = (exchange: Exchange): Expect.Met => {
  const organization = Expect.valueAt(exchange, "organization")
  const others = Object.keys(isObject(organization) ? organization : {}).filter(
    (name) => name !== "id" && name !== "name"
  )
  return [
    ...fields(exchange, { id: "integer", name: "string" }, "organization."),
    ...others.flatMap((name) => Expect.absent(exchange, `organization.${name}`))
  ]
}

/** The fields of an organization with a bearer token. */
export const organizationFields = { id: "integer", name: "string", abn: "string", is_active: "boolean" } as const

/** The three fields of a token's answer. */
export const tokenFields = (exchange: Exchange): Expect.Met =>
  ["token", "iat", "exp"].flatMap((name) => Expect.present(exchange, name, "a value"))

/** Rules about every answer of the legacy surface, to any caller. */
export const legacyAnswerRules: ReadonlyArray<ExchangeRule> = [
  besides("LEG-01", isMe, userFields),
  besides("LEG-02", (exchange) => isMe(exchange) && isBy("basic", exchange), onlyIdAndName),
  besides(
    "LEG-03",
    (exchange) => isMe(exchange) && isBy("bearer", exchange),
    (exchange) => Expect.type(exchange, "is_verified", "boolean")
  ),
  besides(
    "LEG-04",
    (exchange) => isMe(exchange) && isBy("bearer", exchange),
    (exchange) => fields(exchange, organizationFields, "organization.")
  ),
  besides("LEG-05", (exchange) => isToken(exchange) && isBy("basic", exchange), tokenFields),
  besides("LEG-11", isOrganization, (exchange) => fields(exchange, organizationFields))
]
