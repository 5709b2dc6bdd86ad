import { tokenIn } from "../calls/Grants.ts"
import { tokenIn as legacyTokenIn } from "../calls/LegacyCalls.ts"
import * as Expect from "../judgement/Expect.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Json } from "../text/Json.ts"
import { type Exchange, isIn, shapeIn } from "../wire/Exchange.ts"
import { lifetimeOf, type SecretShape } from "../wire/SecretShape.ts"
import { requestHeader } from "../wire/Signature.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

const isGrant = (exchange: Exchange): boolean => exchange.kind === "token" && tokenIn(exchange) !== undefined

/** The shape of the token of a grant. */
const granted = (exchange: Exchange): SecretShape => shapeIn(exchange, tokenIn(exchange) ?? "")

/** The times of a legacy token, if it is a JWT. */
export const legacyJwt = (exchange: Exchange): SecretShape["jwt"] =>
  shapeIn(exchange, legacyTokenIn(exchange) ?? "").jwt

const isJwt = (exchange: Exchange): Expect.Met => {
  const { jwt, parts } = granted(exchange)
  const actual = `no JWT (parts: ${parts})`
  return jwt === undefined
    ? Expect.difference(exchange, "wrong-value", "body.access_token", "a JWT of three parts", actual)
    : []
}

/** Tolerance in seconds between `expires_in` and the token's own expiry, for clocks and rounding. */
const leewaySeconds = 60

/** Above zero, and at most the remaining lifetime that the token states (RFC 7519, section 4.1.4). */
export const isLifetime = (exchange: Exchange): Expect.Met => {
  const seconds = Expect.valueAt(exchange, "expires_in")
  if (typeof seconds !== "number" || !Number.isInteger(seconds)) return Expect.type(exchange, "expires_in", "integer")
  const own = lifetimeOf(granted(exchange))
  if (seconds > 0 && (own === undefined || seconds <= own + leewaySeconds)) return []
  const expected = own === undefined ? "above 0" : `above 0, and no more than the ${own} s of the token`
  return Expect.difference(exchange, "wrong-value", "body.expires_in", expected, seconds)
}

/** No refresh token; null and an empty string count as none. */
const noRefreshToken = (exchange: Exchange): Expect.Met => {
  const handedOut = Expect.valueAt(exchange, "refresh_token") ?? ""
  return handedOut === "" ? [] : Expect.absent(exchange, "refresh_token")
}

const isNotStored = (exchange: Exchange): Expect.Met =>
  Expect.header(exchange, "cache-control", (value) => /(^|,)\s*no-store\s*(,|$)/i.test(value), "no-store among others")

const grantLifetime = (exchange: Exchange, { oauthLifetimeSeconds = 3600 }: Profile): Expect.Met =>
  Expect.value(exchange, "expires_in", oauthLifetimeSeconds)

/** Whether a time is in Unix seconds: 1e9 is 2001 in seconds, and 1e12 is 2001 in milliseconds. */
const isUnixSeconds = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1e9 && value < 1e12

const times = (exchange: Exchange, where: string, at: (name: string) => Json | undefined): Expect.Met => {
  const [iat, exp] = [at("iat"), at("exp")]
  const wrong = Object.entries({ iat, exp }).flatMap(([name, value]) =>
    isUnixSeconds(value)
      ? []
      : Expect.difference(exchange, "wrong-type", `${where}.${name}`, "whole Unix seconds", value ?? null)
  )
  return wrong.length === 0 && isUnixSeconds(iat) && isUnixSeconds(exp) && exp <= iat
    ? Expect.difference(exchange, "wrong-value", `${where}.exp`, `later than ${iat}`, exp)
    : wrong
}

/** The place of a difference in a token's payload. */
const inPayload = "body.token.payload"

/** The times of a legacy token's answer, and of its payload if the token is a JWT. */
export const legacyTimes = (exchange: Exchange): Expect.Met => {
  const jwt = legacyJwt(exchange)
  return [
    ...times(exchange, "body", (name) => Expect.valueAt(exchange, name)),
    ...(jwt === undefined ? [] : times(exchange, inPayload, (name) => (name === "iat" ? jwt.iat : jwt.exp)))
  ]
}

/** The largest difference in seconds between a token's time and the answer's. */
const toleranceSeconds = 300

/** The times of the answer equal those in its token, and `iat` is close to the `Date` header if there is one. */
export const agreeing = (issued: Exchange, own: NonNullable<SecretShape["jwt"]>): Expect.Met => {
  const iat = Expect.valueAt(issued, "iat")
  const date = Date.parse(Expect.headerOf(issued, "date") ?? "") / 1000
  const isFar = typeof iat === "number" && Math.abs(iat - date) > toleranceSeconds
  return [
    ...Expect.value(issued, "iat", own.iat),
    ...Expect.value(issued, "exp", own.exp),
    ...(isFar ? Expect.difference(issued, "wrong-value", "header date", "within 5 minutes of iat", iat - date) : [])
  ]
}

const usualSeconds = 30 * 24 * 3600

/** The lifetime of a legacy token. */
export const legacyLifetime = (issued: Exchange, { legacy }: Profile): Expect.Met => {
  const seconds = legacy?.tokenLifetimeSeconds ?? usualSeconds
  const [iat, exp] = ["iat", "exp"].map((name) => Expect.valueAt(issued, name))
  const lifetime = typeof iat === "number" && typeof exp === "number" ? exp - iat : null
  return lifetime === seconds
    ? []
    : Expect.difference(issued, "wrong-value", "body.exp", `${seconds} seconds after iat`, lifetime)
}

/** A token that the legacy surface issued. */
const isIssued = (exchange: Exchange): boolean =>
  exchange.kind === "legacy" &&
  exchange.request.method === "POST" &&
  isIn(exchange, 2) &&
  // a token for another scheme is open (SIL-24)
  requestHeader(exchange, "authorization")?.startsWith("Basic ") === true &&
  /\/users\/[^/]+\/token$/.test(new URL(exchange.request.url).pathname)

export const hasThreeParts = (issued: Exchange): Expect.Met =>
  Expect.shaped(issued, "token", ({ isCompact }) => isCompact, "three parts with dots between them")

const agreesWithJwt = (issued: Exchange): Expect.Met => {
  const jwt = legacyJwt(issued)
  return jwt === undefined ? [] : agreeing(issued, jwt)
}

const grantRules = ["OAU-03", "OAU-04", "OAU-05", "OAU-06", "OAU-16", "OAU-24"] as const
const issueRules = ["LEG-06", "LEG-07", "LEG-08", "LEG-29"] as const

type Expectation = (exchange: Exchange, profile: Profile) => Expect.Met

/** The expectations of every answer that grants a token, by rule. */
const grants: Readonly<Record<(typeof grantRules)[number], Expectation>> = {
  "OAU-03": isJwt,
  "OAU-04": (exchange) => Expect.value(exchange, "token_type", "Bearer"),
  "OAU-05": isLifetime,
  "OAU-06": grantLifetime,
  "OAU-16": noRefreshToken,
  "OAU-24": isNotStored
}

/** The expectations of every token of the legacy surface, by rule. */
const issues: Readonly<Record<(typeof issueRules)[number], Expectation>> = {
  "LEG-06": hasThreeParts,
  "LEG-07": legacyTimes,
  "LEG-08": legacyLifetime,
  "LEG-29": agreesWithJwt
}

/** The differences of answers with a token from a rule. */
export const grantDifferences = (
  rule: (typeof grantRules)[number],
  exchanges: ReadonlyArray<Exchange>,
  profile: Profile
): Expect.Met => exchanges.flatMap((exchange) => grants[rule](exchange, profile))

/** A success of the token endpoint is 200. */
const isDone = (exchange: Exchange): boolean =>
  exchange.kind === "token" && isIn(exchange, 2) && Expect.valueAt(exchange, "access_token") !== undefined

const isByBasic = (exchange: Exchange): boolean => isDone(exchange) && !exchange.request.body.includes("client_id")

const isOk = (exchange: Exchange): Expect.Met => Expect.status(exchange, 200)

/** Rules about every token that a run obtains. */
export const tokenRules: ReadonlyArray<ExchangeRule> = [
  besides("OAU-01", (exchange) => isDone(exchange) && exchange.request.body.includes("client_id"), isOk),
  besides("OAU-02", isByBasic, isOk),
  ...grantRules.map((rule) => besides(rule, isGrant, grants[rule])),
  ...issueRules.map((rule) => besides(rule, isIssued, issues[rule]))
]
