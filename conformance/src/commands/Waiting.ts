import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { Refused } from "./Refused.ts"

/** The longest wait for a deployment in seconds. */
const maxWait = 3600

export const waitFlag = Flag.Finite("wait").pipe(
  Flag.withDescription("The longest wait in seconds until the deployment is ready"),
  Flag.optional
)

/** Returns the longest wait in seconds that the flag gives; 0 without it. */
export const secondsToReady = Effect.fnUntraced(function* (wait: Option.Option<number>) {
  const seconds = Option.getOrElse(wait, () => 0)
  if (seconds >= 0 && seconds <= maxWait) return seconds
  return yield* new Refused({ message: `--wait takes 0 to ${maxWait} seconds` })
})
