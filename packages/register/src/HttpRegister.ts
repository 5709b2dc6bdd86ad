import { Register, RegisterFailed, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { Clock, Duration, Effect, Exit, Layer, Option, PartitionedSemaphore, Schedule, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import * as Gateway from "./Gateway.ts"
import {
  type AskingOptions,
  defaultOptions,
  type HttpRegisterOptions,
  type HttpRegisterSettings
} from "./HttpRegisterOptions.ts"

/**
 * The retry schedule of a query. Delays are added to `Retry-After`, so that clients with the same `Retry-After` do not
 * return at once. A try that could not end in time is not started.
 */
const scheduleOf = ({ firstDelayMillis, totalMillis, tries }: AskingOptions, beganAtMillis: number) =>
  Schedule.exponential(firstDelayMillis).pipe(
    Schedule.jittered,
    Schedule.setInputType<Gateway.TryFailed>(),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(Duration.sum(duration, Duration.millis(input.retryAfterMillis)))
    ),
    Schedule.while(
      ({ attempt, duration, now }) => attempt < tries && now - beganAtMillis + Duration.toMillis(duration) < totalMillis
    )
  )

/** The outcome for the circuit breaker. Any answer, even an invalid one, shows that the register is up. */
const healthIn = (exit: Exit.Exit<unknown, Gateway.TryFailed>): CircuitBreaker.Outcome => {
  const failed = Exit.findErrorOption(exit)
  if (Option.isNone(failed) || !failed.value.isTransient) return CircuitBreaker.success
  return CircuitBreaker.failure({ retryAfter: failed.value.retryAfterMillis })
}

/** The longest time that `Retry-After` can keep a circuit open. */
const longestOpenMillis = 300_000

/** Logs circuits that open and close. */
const logTransitions = (breaker: CircuitBreaker.CircuitBreaker, keyName: string) =>
  breaker.transitions.pipe(
    Stream.runForEach(({ from, key, to }) =>
      to === "Closed"
        ? Effect.logInfo("The register answers again.", { [keyName]: key })
        : Effect.logWarning(`The circuit breaker of the register went from ${from} to ${to}.`, { [keyName]: key })
    ),
    Effect.forkScoped({ startImmediately: true })
  )

const failed = ({ detail, fault, isTransient, refused }: Gateway.TryFailed) =>
  new RegisterFailed({ fault, isTransient, detail, refused })

/** Asks gateways. Questions with the same key share a circuit breaker and a turn. */
export const makeAsking = Effect.fnUntraced(function* (options: AskingOptions, keyName: string) {
  const { circuit, concurrency, timeoutMillis, totalMillis } = options
  const askOnce = yield* Gateway.make(timeoutMillis)
  const permits = yield* PartitionedSemaphore.make<string>({ permits: concurrency })
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(circuit.failures),
    openDuration: circuit.openMillis,
    maxOpenDuration: longestOpenMillis
  })
  yield* logTransitions(breaker, keyName)

  /** All tries of a query, within the total time. */
  const askAgain = Effect.fnUntraced(function* (question: RegisterQuestion, place: Gateway.Place) {
    const schedule = scheduleOf(options, yield* Clock.currentTimeMillis)
    return yield* Effect.retry(askOnce(question, place), { schedule, while: ({ isTransient }) => isTransient }).pipe(
      Effect.timeoutOrElse({
        duration: totalMillis,
        orElse: () => Effect.fail(Gateway.late(`no answer within ${totalMillis} ms`))
      })
    )
  })

  /** The time limit starts at the query's turn. Waiting for a turn uses no try and does not count as a failure. */
  const ask = Effect.fn("HttpRegister.ask")(function* (question: RegisterQuestion, place: Gateway.Place, key: string) {
    const asked = breaker.execute(askAgain(question, place), { key, classify: healthIn })
    return yield* permits
      .withPermit(key)(asked)
      .pipe(
        Effect.catchTag("CircuitBreakerError", () => Effect.fail(Gateway.unavailable("the circuit breaker is open"))),
        Effect.mapError(failed)
      )
  })

  const probe = (question: RegisterQuestion, place: Gateway.Place) => Effect.mapError(askOnce(question, place), failed)

  return { ask, probe }
})

/**
 * A register behind a gateway. Each credential type has its own circuit breaker, because different registers may be
 * behind the gateway.
 */
export const make = Effect.fnUntraced(function* (options: HttpRegisterOptions) {
  const { ask } = yield* makeAsking(options, "credentialType")
  return { ask: (question: RegisterQuestion) => ask(question, options, question.credentialType) }
})

/** @public */
export const layer = (options: HttpRegisterSettings): Layer.Layer<Register> =>
  Layer.effect(Register, make({ ...defaultOptions, ...options })).pipe(
    Layer.provide([FetchHttpClient.layer, CircuitBreaker.layerStoreMemory()])
  )
