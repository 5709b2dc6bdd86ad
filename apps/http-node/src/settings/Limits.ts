import { defaultRateLimits, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import { defaultLifetimeSeconds, maxLegacyLifetimeSeconds } from "@wcs/domain/access/TokenLifetime"
import { type BodyLimits, defaultBodyLimits } from "@wcs/http/request/BodyBudget"
import { jsonLimitBytes } from "@wcs/http/request/JsonSize"
import { Effect } from "effect"
import { integer, required, type Variable } from "./Variable.ts"

/** How long tokens live, how often one may call, and how much one may send. */
export interface LimitSettings {
  readonly tokenLifetimeSeconds: number
  readonly legacyTokenLifetimeSeconds: number
  readonly rateLimits: RateLimits
  readonly bodyLimits: BodyLimits
}

const callsRange = "a whole number from 1 to 1000000000"
const calls = integer(1, 1_000_000_000)

const rate = (name: string, tier: keyof RateLimits, meaning: string): Variable<number> => ({
  name,
  must: callsRange,
  standard: String(defaultRateLimits[tier]),
  meaning,
  read: calls
})

const bodyBytes = (name: string, limit: keyof BodyLimits, meaning: string): Variable<number> => ({
  name,
  must: `a whole number from ${jsonLimitBytes} to 4000000000`,
  standard: String(defaultBodyLimits[limit]),
  meaning,
  read: integer(jsonLimitBytes, 4_000_000_000) // one body of the largest size must fit
})

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  tokenLifetimeSeconds: {
    name: "WCS_TOKEN_LIFETIME_SECONDS",
    must: "a whole number from 1 to 86400",
    standard: String(defaultLifetimeSeconds.oauth),
    meaning: "How long an access token lives.",
    read: integer(1, 86_400)
  },
  legacyTokenLifetimeSeconds: {
    name: "WCS_LEGACY_TOKEN_LIFETIME_SECONDS",
    must: `a whole number from 1 to ${maxLegacyLifetimeSeconds}`,
    standard: String(defaultLifetimeSeconds.legacy),
    meaning: "How long a token of the legacy surface lives; at most 90 days.",
    read: integer(1, maxLegacyLifetimeSeconds)
  },
  standard: rate(
    "WCS_RATE_STANDARD",
    "standard",
    "Calls a minute, per OAuth client or user, and logins, per user name."
  ),
  intensive: rate("WCS_RATE_INTENSIVE", "intensive", "Bulk and other costly calls a minute, per OAuth client or user."),
  unauthenticated: rate(
    "WCS_RATE_UNAUTHENTICATED",
    "unauthenticated",
    "Calls a minute whose caller is unknown, per address: without a good token, to documents, to unknown hosts and paths, or unreadable."
  ),
  tokenFailures: rate(
    "WCS_RATE_TOKEN_FAILURES",
    "tokenFailures",
    "Failures at the token endpoint and at login a minute, per address and client id or user name."
  ),
  addressFailures: rate(
    "WCS_RATE_ADDRESS_FAILURES",
    "addressFailures",
    "The same failures a minute, per address. Clients behind one address share this limit."
  ),
  loginFailures: rate(
    "WCS_RATE_LOGIN_FAILURES",
    "loginFailures",
    "Failures at login a minute, per user name, from wherever: beyond that nobody logs in under it until the minute is over, tokens work on."
  ),
  tokensIssued: rate("WCS_RATE_TOKENS_ISSUED", "tokensIssued", "Tokens a minute, per OAuth client or user."),
  callerBodyBytes: bodyBytes(
    "WCS_BODY_BYTES_PER_CALLER",
    "callerBytes",
    "Bytes of one caller's bodies while they are received; above it, calls are refused with 503."
  ),
  totalBodyBytes: bodyBytes(
    "WCS_BODY_BYTES",
    "totalBytes",
    "Bytes of all bodies while they are received; above it, calls are refused with 503."
  )
} as const

export const read = Effect.gen(function* () {
  return {
    tokenLifetimeSeconds: yield* required(variables.tokenLifetimeSeconds),
    legacyTokenLifetimeSeconds: yield* required(variables.legacyTokenLifetimeSeconds),
    rateLimits: {
      standard: yield* required(variables.standard),
      intensive: yield* required(variables.intensive),
      unauthenticated: yield* required(variables.unauthenticated),
      tokenFailures: yield* required(variables.tokenFailures),
      addressFailures: yield* required(variables.addressFailures),
      loginFailures: yield* required(variables.loginFailures),
      tokensIssued: yield* required(variables.tokensIssued)
    },
    bodyLimits: {
      callerBytes: yield* required(variables.callerBodyBytes),
      totalBytes: yield* required(variables.totalBodyBytes)
    }
  } satisfies LimitSettings
})
