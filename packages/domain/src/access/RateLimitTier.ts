import { Context, Data, type Effect, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"

/** The rate limit tiers (DECISIONS.md#access). Each comment names the calls and the key by which they are counted. */
export const rateLimitTiers = [
  /** Most calls, per OAuth client or per user; successful logins, per user name. */
  "standard",
  /** Expensive calls: verify, bulk, evaluate, ping, redrive, and writes of identity providers. */
  "intensive",
  /** The calls of "standard" and of "intensive" by all principals of a tenant, per tenant. */
  "tenantStandard",
  "tenantIntensive",
  /** Unauthenticated calls, per address. */
  "unauthenticated",
  /** Failures at the token endpoint and at login, per address and client id or user name. */
  "tokenFailures",
  /** The same failures, only per address. */
  "addressFailures",
  /** The same failures, per IPv4 /24 or IPv6 /48 network of the address. */
  "networkFailures",
  /** Failures at login, per user name, from any address. */
  "loginFailures",
  /** Tokens issued, per OAuth client and per user. */
  "tokensIssued",
  /** Questions to the gateways of verification sources, per source. Each source has its own, lower limit. */
  "sourceQuestions",
  /** Requests to the page on which a person answers, per request that is answered. */
  "answerLinks",
  /** The same, also with unknown links, per tenant. */
  "answerPages"
] as const
export type RateLimitTier = (typeof rateLimitTiers)[number]

/** A limit of calls per window. */
export const RateLimit = Schema.Struct({
  calls: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  windowSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3600 }))
})
export type RateLimit = typeof RateLimit.Type

/** Returns whether the value is a limit that an account can have. */
export const isRateLimit = Schema.is(RateLimit)

/** The limit of `networkFailures`, as a multiple of that of `addressFailures`. */
export const networkMultiple = 4

/** Calls allowed per minute in each tier. */
export type RateLimits = Readonly<Record<RateLimitTier, number>>

/** The default budget of a tenant, as a multiple of the limit of one OAuth client or user. */
export const defaultTenantMultiple = 10

/** The highest limit of questions per minute that a verification source can have. */
export const sourceQuestionsMax = 600

export const defaultRateLimits: RateLimits = {
  standard: 600,
  intensive: 60,
  tenantStandard: 600 * defaultTenantMultiple,
  tenantIntensive: 60 * defaultTenantMultiple,
  unauthenticated: 120,
  tokenFailures: 30,
  addressFailures: 300,
  networkFailures: 300 * networkMultiple,
  loginFailures: 10,
  tokensIssued: 60,
  sourceQuestions: sourceQuestionsMax,
  answerLinks: 60,
  answerPages: 1200
}

/** Returns a limit of `calls` per minute. */
export const perMinute = (calls: number): RateLimit => ({ calls, windowSeconds: 60 })

/**
 * Returns the limit that applies to a caller in a tier. The account's own limit applies if its long-run rate is at most
 * that of the tier. So an account's limit can only be stricter than the deployment's.
 */
export const boundBy = (tier: RateLimit, own: RateLimit | null): RateLimit =>
  own !== null && own.calls * tier.windowSeconds <= tier.calls * own.windowSeconds ? own : tier

/** A running window: its start and the calls counted so far. */
export interface Window {
  readonly startedAt: Instant
  readonly used: number
}

/** The state of a limit after a call, as sent in the three headers of §8. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
  /** Whether this call is above the limit. */
  readonly exceeded: boolean
}

/** The limit is used up. Nothing was done (§7.1, 429). */
export class RateLimited extends Data.TaggedError("RateLimited")<{ readonly quota: Quota }> {}

/** Returns whether the window has started and not yet ended. */
export const isUnderWay = ({ startedAt }: Window, { windowSeconds }: RateLimit, now: Instant): boolean =>
  startedAt <= now && now < startedAt + windowSeconds * 1000

/** Returns the given window if it is running, else a new one. */
const current = (window: Window | undefined, limit: RateLimit, now: Instant): Window =>
  window !== undefined && isUnderWay(window, limit, now) ? window : { startedAt: now, used: 0 }

const quota = ({ startedAt, used }: Window, limit: RateLimit, now: Instant, exceeded: boolean): Quota => ({
  limit: limit.calls,
  remaining: Math.max(0, limit.calls - used),
  resetSeconds: Math.max(1, Math.ceil((startedAt + limit.windowSeconds * 1000 - now) / 1000)),
  exceeded
})

/** Returns the quota without counting a call. `exceeded` says whether the next call would be above the limit. */
export const peek = (window: Window | undefined, limit: RateLimit, now: Instant): Quota => {
  const running = current(window, limit, now)
  return quota(running, limit, now, running.used >= limit.calls)
}

/** Returns the quota of a key without calls. */
export const untouched = (limit: RateLimit): Quota => peek(undefined, limit, 0)

/**
 * Returns the strictest of several quotas for one call: the longest wait if any is exceeded, else the fewest calls
 * left.
 */
export const strictest = (quotas: readonly [Quota, ...ReadonlyArray<Quota>]): Quota =>
  quotas.reduce((one, other) => {
    if (one.exceeded !== other.exceeded) return one.exceeded ? one : other
    const isStricter = one.exceeded ? other.resetSeconds > one.resetSeconds : other.remaining < one.remaining
    return isStricter ? other : one
  })

/** Counts one call and returns the new window and the quota. A refused call does not count. */
export const take = (
  window: Window | undefined,
  limit: RateLimit,
  now: Instant
): { readonly window: Window; readonly quota: Quota } => {
  const running = current(window, limit, now)
  if (running.used >= limit.calls) return { window: running, quota: quota(running, limit, now, true) }
  const counted = { ...running, used: running.used + 1 }
  return { window: counted, quota: quota(counted, limit, now, false) }
}

/** A window with its limit. */
export interface Counted {
  readonly window: Window | undefined
  readonly limit: RateLimit
}

/**
 * Counts one call in two windows, or in none if one of them is used up. Returns the new windows, null if none changed,
 * and the strictest quota; of two equal ones, the first.
 */
export const takeBoth = (
  first: Counted,
  second: Counted,
  now: Instant
): { readonly windows: readonly [Window, Window] | null; readonly quota: Quota } => {
  const one = take(first.window, first.limit, now)
  const other = take(second.window, second.limit, now)
  const quota = strictest([one.quota, other.quota])
  return { windows: quota.exceeded ? null : [one.window, other.window], quota }
}

/** The window of a key in a tier, with the account's own limit if it has one. */
export interface RateKey {
  readonly tier: RateLimitTier
  readonly key: string
  readonly own: RateLimit | null
}

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly limits: RateLimits
    /**
     * Counts one call of `key` in a tier by `take`, under the stricter of the tier's limit and `own`. Atomic:
     * concurrent calls never share the last one. Never fails.
     */
    readonly take: (tier: RateLimitTier, key: string, own?: RateLimit | null) => Effect.Effect<Quota>
    /**
     * Counts one call of two keys in different tiers by `takeBoth`. Never fails. Atomic like `take` within each window:
     * neither limit is ever exceeded. If processes share the windows, a refused call may stay counted in the window
     * that did not refuse it. The caller then loses that call until the window ends. If nothing waits, the quota is an
     * `Exit`, and the call has been counted already.
     */
    readonly takeBoth: (first: RateKey, second: RateKey, now: Instant) => Effect.Effect<Quota>
    /** Returns the quota of `key` in a tier by `peek`. Never fails. */
    readonly peek: (tier: RateLimitTier, key: string, own?: RateLimit | null) => Effect.Effect<Quota>
  }
>()("@wcs/domain/RateLimiter") {}
