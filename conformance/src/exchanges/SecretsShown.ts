import type { JudgedRuleId } from "../catalogue/Catalogue.ts"
import * as Expect from "../judgement/Expect.ts"
import { groupPathOf } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import { newerRoot } from "../profile/Roots.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"
import { secretAtPosition } from "../wire/WebhookSecrets.ts"
import { isCall, pathOf } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

/** A secret, and the exchange that showed it first. */
interface Shown {
  readonly secret: string
  readonly exchange: Exchange
}

/** The secret that a create of a type shows, at the position that the profile gives. */
const issued =
  (type: "accessToken" | "apiClient") =>
  (exchange: Exchange, profile: Profile): string | undefined => {
    const [position, path] = [profile.groups?.[type]?.create?.secret, groupPathOf(profile, type)]
    if (position === undefined || path === undefined || statusOf(exchange) !== 201) return undefined
    const secret = pathOf(exchange) === `${newerRoot}${path}` ? Expect.valueAt(exchange, position) : undefined
    return typeof secret === "string" && secret !== "" ? secret : undefined
  }

/** No later answer to any call shows a secret. */
const shownAgain = (shown: ReadonlyArray<Shown>, exchanges: ReadonlyArray<Exchange>): Expect.Met =>
  exchanges.flatMap((exchange) => {
    const text = exchange.answer?.text ?? ""
    const again = shown.filter((one) => exchange.number > one.exchange.number && text.includes(one.secret))
    return again.flatMap(({ secret }) =>
      Expect.difference(exchange, "disclosed", "body", "a secret is shown once", secret)
    )
  })

const rule = (
  id: JudgedRuleId,
  secretOf: (exchange: Exchange, profile: Profile) => string | undefined
): ExchangeRule => ({
  rule: id,
  appliesTo: (exchange, profile) =>
    exchange.request.method === "POST" && isCall(exchange) && secretOf(exchange, profile) !== undefined,
  judge: (exchanges, all, profile) => {
    const shown = exchanges.flatMap((exchange) => {
      const secret = secretOf(exchange, profile)
      return secret === undefined ? [] : [{ secret, exchange }]
    })
    if (shown.length === 0) return []
    // a rotation that returns the former secret breaks EVT-08, not this rule
    const showing = new Set(exchanges)
    return shownAgain(
      shown,
      all.filter((exchange) => isCall(exchange) && !showing.has(exchange))
    )
  },
  whenUnseen: "nothing"
})

/** Rules about secrets that a run sees once. */
export const secretRules: ReadonlyArray<ExchangeRule> = [
  rule("AUT-13", issued("accessToken")),
  rule("OAU-23", issued("apiClient")),
  rule("EVT-09", (exchange, profile) => secretAtPosition(profile, exchange))
]
