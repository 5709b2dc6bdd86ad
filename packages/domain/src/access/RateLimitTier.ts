import { Context, Data, type Effect, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"

/** What is counted, and together with what (DECISIONS.md#access). */
export const rateLimitTiers = [
  /** Most calls, per OAuth client, or per user; logins that succeed, per user name. */
  "standard",
  /** Calls that cost much: verify, bulk, evaluate, ping, redrive. */
  "intensive",
  /** Calls whose caller is unknown, per address. */
  "unauthenticated",
  /** Failures at the token endpoint and at login, per address and client id or user name. */
  "tokenFailures",
  /** The same failures, per address alone. */
  "addressFailures",
  /** Failures at login, per user name, wherever they come from. */
  "loginFailures",
  /** Tokens issued, per OAuth client and per user. */
  "tokensIssued"
] as const
export type RateLimitTier = (typeof rateLimitTiers)[number]

/** So many calls in each window of so many seconds. */
export const RateLimit = Schema.Struct({
  calls: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  windowSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3600 }))
})
export type RateLimit = typeof RateLimit.Type

/** Whether it is a limit that an account can be given. */
export const isRateLimit = Schema.is(RateLimit)

/** Calls allowed in each window of a minute. */
export type RateLimits = Readonly<Record<RateLimitTier, number>>

export const defaultRateLimits: RateLimits = {
  standard: 600,
  intensive: 60,
  unauthenticated: 120,
  tokenFailures: 30,
  addressFailures: 300,
  loginFailures: 10,
  tokensIssued: 60
}

/** A tier's limit. */
export const perMinute = (calls: number): RateLimit => ({ calls, windowSeconds: 60 })

/**
 * What binds a caller in a tier: its account's own limit where that lets no more through in the long run than the tier
 * does, else the tier's. So an own limit holds for standard and for intensive calls, counts each by itself as ever, and
 * only ever slows down.
 */
export const boundBy = (tier: RateLimit, own: RateLimit | null): RateLimit =>
  own !== null && own.calls * tier.windowSeconds <= tier.calls * own.windowSeconds ? own : tier

/** A window under way: when it began and how many calls it has counted. */
export interface Window {
  readonly startedAt: Instant
  readonly used: number
}

/** How a call stands to its limit: what the three headers of §8 say. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
  /** Whether this call is beyond the limit. */
  readonly exceeded: boolean
}

/** The limit is used up; nothing was done (§7.1, 429). */
export class RateLimited extends Data.TaggedError("RateLimited")<{ readonly quota: Quota }> {}

/** Whether a window is neither over nor lies in the future. */
export const isUnderWay = ({ startedAt }: Window, { windowSeconds }: RateLimit, now: Instant): boolean =>
  startedAt <= now && now < startedAt + windowSeconds * 1000

/** The window that is under way now: the one given, or a new one. */
const current = (window: Window | undefined, limit: RateLimit, now: Instant): Window =>
  window !== undefined && isUnderWay(window, limit, now) ? window : { startedAt: now, used: 0 }

const quota = ({ startedAt, used }: Window, limit: RateLimit, now: Instant, exceeded: boolean): Quota => ({
  limit: limit.calls,
  remaining: Math.max(0, limit.calls - used),
  resetSeconds: Math.max(1, Math.ceil((startedAt + limit.windowSeconds * 1000 - now) / 1000)),
  exceeded
})

/** How things stand, without counting a call. `exceeded` says whether the next call would be beyond the limit. */
export const peek = (window: Window | undefined, limit: RateLimit, now: Instant): Quota => {
  const running = current(window, limit, now)
  return quota(running, limit, now, running.used >= limit.calls)
}

/** How a key stands that has made no call. */
export const untouched = (limit: RateLimit): Quota => peek(undefined, limit, 0)

/** Of several quotas that bind one call, the strictest: the longest wait, or else the fewest calls left. */
export const strictest = (quotas: readonly [Quota, ...ReadonlyArray<Quota>]): Quota =>
  quotas.reduce((one, other) => {
    if (one.exceeded !== other.exceeded) return one.exceeded ? one : other
    const isStricter = one.exceeded ? other.resetSeconds > one.resetSeconds : other.remaining < one.remaining
    return isStricter ? other : one
  })

/** Counts one call: the window afterwards, and how the call stands. A refused call does not count. */
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

/** Counts calls. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly limits: RateLimits
    /**
     * Counts one call of `key` in a tier by `take`, bound by the account's own limit too where there is one; concurrent
     * calls never both get the last one. Never fails.
     */
    readonly take: (tier: RateLimitTier, key: string, own?: RateLimit | null) => Effect.Effect<Quota>
    /** How `key` stands in a tier, by `peek`. Never fails. */
    readonly peek: (tier: RateLimitTier, key: string, own?: RateLimit | null) => Effect.Effect<Quota>
  }
>()("@wcs/domain/RateLimiter") {}
