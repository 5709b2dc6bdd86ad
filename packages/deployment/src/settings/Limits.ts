import {
  defaultRateLimits,
  defaultTenantMultiple,
  networkMultiple,
  type RateLimits,
  sourceQuestionsMax
} from "@wcs/domain/access/RateLimitTier"
import { defaultLifetimeSeconds, maxLegacyLifetimeSeconds } from "@wcs/domain/access/TokenLifetime"
import { type DocumentQuota, DocumentQuotaOf } from "@wcs/domain/document/Document"
import { type Caps, defaultCaps } from "@wcs/domain/token/TenantCaps"
import { type BodyLimits, defaultBodyLimits } from "@wcs/http/request/BodyBudget"
import { jsonLimitBytes } from "@wcs/http/request/JsonSize"
import { Effect } from "effect"
import { required, type Variable, wholeNumber } from "./Variable.ts"

/** The lifetime of tokens, the rate limits, the caps of a tenant and the limits of request bodies. */
export interface LimitSettings {
  readonly tokenLifetimeSeconds: number
  readonly legacyTokenLifetimeSeconds: number
  readonly rateLimits: RateLimits
  readonly caps: Caps
  readonly bodyLimits: BodyLimits
  readonly documents: DocumentQuota
}

const rate = (name: string, tier: keyof RateLimits, meaning: string): Variable<number> => ({
  name,
  ...wholeNumber(1, 1_000_000_000),
  standard: String(defaultRateLimits[tier]),
  meaning
})

const cap = (name: string, of: keyof Caps, most: number, meaning: string): Variable<number> => ({
  name,
  ...wholeNumber(1, most),
  standard: String(defaultCaps[of]),
  meaning
})

const mebibyte = 1024 * 1024
const documents = DocumentQuotaOf.defaultValue()

const bodyBytes = (name: string, limit: keyof BodyLimits, meaning: string): Variable<number> => ({
  name,
  ...wholeNumber(jsonLimitBytes, 4_000_000_000), // the largest body must fit
  standard: String(defaultBodyLimits[limit]),
  meaning
})

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  tokenLifetimeSeconds: {
    name: "WCS_TOKEN_LIFETIME_SECONDS",
    ...wholeNumber(1, 86_400),
    standard: String(defaultLifetimeSeconds.oauth),
    meaning: "Lifetime of an access token in seconds."
  },
  legacyTokenLifetimeSeconds: {
    name: "WCS_LEGACY_TOKEN_LIFETIME_SECONDS",
    ...wholeNumber(1, maxLegacyLifetimeSeconds),
    standard: String(defaultLifetimeSeconds.legacy),
    meaning: "Lifetime of a legacy token in seconds, at most 90 days."
  },
  standard: rate(
    "WCS_RATE_STANDARD",
    "standard",
    "Calls per minute of each OAuth client or user. Also logins per minute of each user name."
  ),
  intensive: rate(
    "WCS_RATE_INTENSIVE",
    "intensive",
    "Bulk and other expensive calls per minute of each OAuth client or user."
  ),
  tenantMultiple: {
    name: "WCS_RATE_TENANT_MULTIPLE",
    ...wholeNumber(1, 1000),
    standard: String(defaultTenantMultiple),
    meaning:
      "Calls per minute of all OAuth clients and users of a tenant together, as a multiple of `WCS_RATE_STANDARD` and, for expensive calls, of `WCS_RATE_INTENSIVE`."
  },
  unauthenticated: rate(
    "WCS_RATE_UNAUTHENTICATED",
    "unauthenticated",
    "Unauthenticated calls per minute from each address: calls without a valid token, malformed calls, and calls to public documents, unknown hosts or unknown paths."
  ),
  tokenFailures: rate(
    "WCS_RATE_TOKEN_FAILURES",
    "tokenFailures",
    "Failed token requests and logins per minute from each address with the same client id or user name."
  ),
  addressFailures: rate(
    "WCS_RATE_ADDRESS_FAILURES",
    "addressFailures",
    "Failed token requests and logins per minute from each address. Clients behind one address share this limit. An IPv4 /24 or IPv6 /48 network gets four times as many."
  ),
  loginFailures: rate(
    "WCS_RATE_LOGIN_FAILURES",
    "loginFailures",
    "Failed logins per minute of each user name, from any address. Above it, logins are refused until the minute ends; existing tokens still work."
  ),
  tokensIssued: rate("WCS_RATE_TOKENS_ISSUED", "tokensIssued", "New tokens per minute of each OAuth client or user."),
  clientsMax: cap(
    "WCS_CLIENTS_MAX",
    "clients",
    10_000,
    "Maximum OAuth clients per tenant. Revoked and expired clients do not count."
  ),
  tokensMax: cap(
    "WCS_TOKENS_MAX",
    "tokensPerUser",
    10_000,
    "Maximum personal tokens per user. Revoked and expired tokens do not count."
  ),
  usersMax: cap("WCS_USERS_MAX", "users", 1_000_000, "Maximum users per tenant. Deactivated users do not count."),
  documentsMax: {
    name: "WCS_DOCUMENTS_MAX",
    ...wholeNumber(1, 100_000), // each look at a card counts them
    standard: String(documents.documents),
    meaning: "Maximum documents of credentials per tenant."
  },
  documentMebibytes: {
    name: "WCS_DOCUMENTS_MIB",
    ...wholeNumber(10, 1_000_000),
    standard: String(documents.bytes / mebibyte),
    meaning: "Maximum size of the documents of a tenant together, in MiB. The store and its backups need a third more."
  },
  callerBodyBytes: bodyBytes(
    "WCS_BODY_BYTES_PER_CALLER",
    "callerBytes",
    "Maximum bytes of request bodies of one caller that are being received at the same time. Above it, calls get 503."
  ),
  totalBodyBytes: bodyBytes(
    "WCS_BODY_BYTES",
    "totalBytes",
    "Maximum bytes of all request bodies that are being received at the same time. Above it, calls get 503. One tenant gets at most a quarter, and so do the strangers of one IPv6 /48 or IPv4 /24 network."
  )
} as const

export const read = Effect.gen(function* () {
  const standard = yield* required(variables.standard)
  const intensive = yield* required(variables.intensive)
  const tenantMultiple = yield* required(variables.tenantMultiple)
  const addressFailures = yield* required(variables.addressFailures)
  return {
    tokenLifetimeSeconds: yield* required(variables.tokenLifetimeSeconds),
    legacyTokenLifetimeSeconds: yield* required(variables.legacyTokenLifetimeSeconds),
    rateLimits: {
      standard,
      intensive,
      tenantStandard: standard * tenantMultiple,
      tenantIntensive: intensive * tenantMultiple,
      unauthenticated: yield* required(variables.unauthenticated),
      tokenFailures: yield* required(variables.tokenFailures),
      addressFailures,
      networkFailures: addressFailures * networkMultiple,
      loginFailures: yield* required(variables.loginFailures),
      tokensIssued: yield* required(variables.tokensIssued),
      sourceQuestions: sourceQuestionsMax,
      answerLinks: defaultRateLimits.answerLinks,
      answerPages: defaultRateLimits.answerPages
    },
    caps: {
      clients: yield* required(variables.clientsMax),
      tokensPerUser: yield* required(variables.tokensMax),
      users: yield* required(variables.usersMax)
    },
    bodyLimits: {
      callerBytes: yield* required(variables.callerBodyBytes),
      totalBytes: yield* required(variables.totalBodyBytes)
    },
    documents: {
      documents: yield* required(variables.documentsMax),
      bytes: (yield* required(variables.documentMebibytes)) * mebibyte
    }
  } satisfies LimitSettings
})
