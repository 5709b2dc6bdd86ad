import { Duration, Effect, Schedule } from "effect"
import type { CallError } from "./CallError.ts"
import { isRepeatable, type Operation } from "./Repeatable.ts"

/** The number, the timing and the timeouts of attempts. */
export interface RetryPolicy {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number
  /** Maximum time from the first attempt to the start of the last. A later `Retry-After` ends the retries. */
  readonly totalTime: Duration.Input
  /** Delay after the first attempt. Doubles after each attempt, with 20 % jitter. */
  readonly firstDelay: Duration.Input
  /** Maximum delay, except for `Retry-After`. */
  readonly longestDelay: Duration.Input
  /** Timeout of an attempt, including the response body. */
  readonly attemptTimeout: Duration.Input
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  totalTime: "2 minutes",
  firstDelay: "500 millis",
  longestDelay: "20 seconds",
  attemptTimeout: "30 seconds"
}

/**
 * Whether a call can be retried after an error (§8). Errors of token calls are not retried here, because token calls
 * have their own attempts.
 */
export const maySendAgain = (error: CallError, operation: Operation): boolean => {
  if (error.operation !== operation.name) return false
  if (error._tag === "Unanswered") return isRepeatable(operation)
  if (error._tag !== "Refused") return false
  return error.status === 429 || (error.status >= 500 && isRepeatable(operation))
}

const retryAfterOf = (error: CallError): Duration.Duration =>
  Duration.seconds(error._tag === "Refused" ? (error.retryAfterSeconds ?? 0) : 0)

/**
 * Returns the time of the next attempt. The delay is added to `Retry-After`, so that callers with the same value do not
 * return at the same time.
 */
export const scheduleOf = (
  { attempts, firstDelay, longestDelay, totalTime }: RetryPolicy,
  beganAtMillis: number
): Schedule.Schedule<unknown, CallError> =>
  Schedule.exponential(firstDelay).pipe(
    Schedule.modifyDelay(({ duration }) =>
      Effect.succeed(Duration.min(duration, Duration.fromInputUnsafe(longestDelay)))
    ),
    Schedule.jittered,
    Schedule.setInputType<CallError>(),
    Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.sum(duration, retryAfterOf(input)))),
    Schedule.while(
      ({ attempt, duration, now }) =>
        attempt < attempts && now - beganAtMillis + Duration.toMillis(duration) <= Duration.toMillis(totalTime)
    )
  )
