import { Duration, Effect, Schedule } from "effect"
import type { CallError } from "./CallError.ts"
import { isRepeatable, type Operation } from "./Repeatable.ts"

/** How often and how long a call is tried. */
export interface RetryPolicy {
  /** How many times it is sent at most, the first one included. */
  readonly attempts: number
  /** How long after the first attempt the last one may begin: a later `Retry-After` is not waited for. */
  readonly totalTime: Duration.Input
  /** How long is waited after the first attempt; twice as long after each further one, and a fifth more or less. */
  readonly firstDelay: Duration.Input
  /** How long is waited at most, `Retry-After` apart. */
  readonly longestDelay: Duration.Input
  /** How long an answer is waited for, to the end of its body. */
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
 * Whether the same call may be sent again after this error (§8). What failed on the way to a token has had its
 * own attempts, as a call of its own.
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
 * When the next attempt is due of a call that began then. What is waited comes on top of `Retry-After`, so that callers
 * who were told the same one do not come back at once.
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
