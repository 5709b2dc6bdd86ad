import { Effect } from "effect"
import { networksOf } from "./Networks.ts"
import { type Quota, type RateLimiter, type RateLimitTier, strictest } from "./RateLimitTier.ts"

/** An attempt to authenticate with a secret. */
export interface Attempt {
  readonly address: string
  /** The tenant with the client id or user name; null if the request has none. */
  readonly name: string | null
}

/** A window that counts failures. */
export type FailureWindow = readonly [tier: RateLimitTier, key: string]

/**
 * Returns the windows that count a failure. Clients behind one NAT share an address. So wrong secrets of one client
 * affect the others only above the much higher limit per address, and those of an address the others of its network.
 */
export const windowsOf = ({ address, name }: Attempt): readonly [FailureWindow, FailureWindow, FailureWindow] => [
  ["tokenFailures", name === null ? address : `${address} ${name}`],
  ["addressFailures", address],
  ["networkFailures", networksOf(address)[0]]
]

type Windows = readonly [FailureWindow, ...ReadonlyArray<FailureWindow>]

/** Returns the strictest quota without counting. `exceeded` means that the next attempt is refused. */
export const standing = (limiter: RateLimiter["Service"], windows: Windows): Effect.Effect<Quota> =>
  Effect.map(
    Effect.forEach(windows, ([tier, key]) => limiter.peek(tier, key)),
    strictest
  )

/** Counts a failure in each window and returns the strictest quota. `exceeded` means that a window was already full. */
export const count = (limiter: RateLimiter["Service"], windows: Windows): Effect.Effect<Quota> =>
  Effect.map(
    Effect.forEach(windows, ([tier, key]) => limiter.take(tier, key)),
    strictest
  )
