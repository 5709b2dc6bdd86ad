import { Effect } from "effect"
import { type Quota, type RateLimiter, type RateLimitTier, strictest } from "./RateLimitTier.ts"

/** A try to authenticate by a secret. */
export interface Attempt {
  readonly address: string
  /** The client id or user name, with its tenant. Null where the request names none. */
  readonly name: string | null
}

/** A window that failures count in. */
export type FailureWindow = readonly [tier: RateLimitTier, key: string]

/**
 * The windows in which a failure counts. Many clients may share an address (NAT): wrong secrets of one refuse the
 * others only above the far higher limit of the address.
 */
export const windowsOf = ({ address, name }: Attempt): readonly [FailureWindow, FailureWindow] => [
  ["tokenFailures", name === null ? address : `${address} ${name}`],
  ["addressFailures", address]
]

type Windows = readonly [FailureWindow, ...ReadonlyArray<FailureWindow>]

/** How the windows stand. `exceeded` says that the next attempt is refused. */
export const standing = (limiter: RateLimiter["Service"], windows: Windows): Effect.Effect<Quota> =>
  Effect.map(
    Effect.forEach(windows, ([tier, key]) => limiter.peek(tier, key)),
    strictest
  )

/** Counts a failure in each window. `exceeded` says that one of them had no room left. */
export const count = (limiter: RateLimiter["Service"], windows: Windows): Effect.Effect<Quota> =>
  Effect.map(
    Effect.forEach(windows, ([tier, key]) => limiter.take(tier, key)),
    strictest
  )
