import { Clock, Effect } from "effect"

/** The pause between calls after a first refusal by a limiter in front, and the longest, in milliseconds. */
const firstPause = 20
const longestPause = 1000

/** The share of a pause that remains after each call that got through. */
const recovery = 0.98

/**
 * Keeps a pause between calls: at least that of the profile, and a longer one while a limiter in front of the deployment
 * refuses calls. A limiter in front reports no remaining calls.
 */
export const make = (requestsPerSecond: number | undefined) => {
  const least = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond
  let pause = least
  let nextAt = 0
  return {
    /** Waits for the turn of a call. */
    turn: Effect.suspend(() =>
      pause === 0
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const at = Math.max(now, nextAt)
            nextAt = at + pause
            return at > now ? Effect.sleep(at - now) : Effect.void
          })
    ),
    refused: (): void => {
      pause = Math.min(Math.max(least, longestPause), Math.max(firstPause, 2 * pause))
    },
    passed: (): void => {
      pause = pause * recovery < firstPause ? least : Math.max(least, pause * recovery)
    }
  }
}
