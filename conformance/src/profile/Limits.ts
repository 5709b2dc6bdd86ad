import type { Impact } from "./Impact.ts"
import type { Profile } from "./Profile.ts"

/** The limits of a run. */
export interface Limits {
  readonly ceiling: Impact
  /** The number of concurrent walks. */
  readonly concurrency: number
  readonly requests: number
  /** The most requests in a second; default: as many as the deployment reports. */
  readonly requestsPerSecond?: number | undefined
  /** Run only the walks that judge most with this many requests. */
  readonly budget?: number | undefined
  readonly secondsPerCall: number
  readonly secondsInAll: number
  /** The longest single wait for a rate limit. */
  readonly secondsToWait: number
  /** The seed of all random choices. */
  readonly seed: number
  /** The number of rounds of concurrent calls, for each kind of race. */
  readonly rounds: number
}

const usual: Limits = {
  ceiling: "mutate-own",
  concurrency: 8,
  requests: 5000,
  secondsPerCall: 10,
  secondsInAll: 300,
  secondsToWait: 60,
  seed: 11,
  rounds: 8
}

/** Returns the seconds to wait for a delivery. */
export const timeoutSecondsOf = ({ receiver }: Profile): number => receiver?.timeoutSeconds ?? 10

/** Returns the limits of a profile, with defaults. */
export const limitsOf = ({ run }: Profile): Limits => {
  const limits: Limits = { ...usual, ...run }
  return { ...limits, requests: Math.min(limits.requests, limits.budget ?? Number.POSITIVE_INFINITY) }
}
