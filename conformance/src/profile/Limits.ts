import type { Impact } from "../catalogue/Impact.ts"
import type { Profile } from "./Profile.ts"

/** What bounds a run. */
export interface Limits {
  readonly ceiling: Impact
  /** Walks under way at a time. */
  readonly concurrency: number
  readonly requests: number
  readonly secondsPerCall: number
  readonly secondsInAll: number
  /** The longest single wait for a rate limit. */
  readonly secondsToWait: number
  /** What is chosen by chance is chosen by it. */
  readonly seed: number
  /** So many times are calls made at once to see who wins, for each kind of race. */
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

/** Seconds that a run waits for a delivery. */
export const patienceOf = ({ receiver }: Profile): number => receiver?.patienceSeconds ?? 10

/** What the profile says, and the usual for what it leaves out. */
export const limitsOf = ({ run }: Profile): Limits => ({ ...usual, ...run })
