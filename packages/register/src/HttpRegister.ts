import { Register, RegisterFailed, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { Clock, Duration, Effect, Exit, Layer, Option, PartitionedSemaphore, Schedule, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import * as Gateway from "./Gateway.ts"
import { defaultOptions, type HttpRegisterOptions, type HttpRegisterSettings } from "./HttpRegisterOptions.ts"

/**
 * The retry schedule of a query. Delays are added to `Retry-After`, so that clients with the same `Retry-After` do not
 * return at once. A try that could not end in time is not started.
 */
const scheduleOf = ({ firstDelayMillis, totalMillis, tries }: HttpRegisterOptions, beganAtMillis: number) =>
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
const logTransitions = (breaker: CircuitBreaker.CircuitBreaker) =>
  breaker.transitions.pipe(
    Stream.runForEach(({ from, key, to }) =>
      to === "Closed"
        ? Effect.logInfo("The register answers again.", { credentialType: key })
        : Effect.logWarning(`The circuit breaker of the register went from ${from} to ${to}.`, { credentialType: key })
    ),
    Effect.forkScoped({ startImmediately: true })
  )

/**
 * A register behind a gateway. Each credential type has its own circuit breaker, because different registers may be
 * behind the gateway.
 */
export const make = Effect.fnUntraced(function* (options: HttpRegisterOptions) {
  const { circuit, concurrency, totalMillis } = options
  const askOnce = yield* Gateway.make(options)
  const permits = yield* PartitionedSemaphore.make<string>({ permits: concurrency })
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(circuit.failures),
    openDuration: circuit.openMillis,
    maxOpenDuration: longestOpenMillis
  })
  yield* logTransitions(breaker)

  /** All tries of a query, within the total time. */
  const askAgain = Effect.fnUntraced(function* (question: RegisterQuestion) {
    const schedule = scheduleOf(options, yield* Clock.currentTimeMillis)
    return yield* Effect.retry(askOnce(question), { schedule, while: ({ isTransient }) => isTransient }).pipe(
      Effect.timeoutOrElse({
        duration: totalMillis,
        orElse: () => Effect.fail(Gateway.late(`no answer within ${totalMillis} ms`))
      })
    )
  })

  /** The time limit starts at the query's turn. Waiting for a turn uses no try and does not count as a failure. */
  const ask: Register["Service"]["ask"] = Effect.fn("HttpRegister.ask")(function* (question) {
    const { credentialType } = question
    const asked = breaker.execute(askAgain(question), { key: credentialType, classify: healthIn })
    return yield* permits
      .withPermit(credentialType)(asked)
      .pipe(
        Effect.catchTag("CircuitBreakerError", () => Effect.fail(Gateway.unavailable("the circuit breaker is open"))),
        Effect.mapError(({ detail, fault, isTransient }) => new RegisterFailed({ fault, isTransient, detail }))
      )
  })

  return Register.of({ ask })
})

/** @public */
export const layer = (options: HttpRegisterSettings): Layer.Layer<Register> =>
  Layer.effect(Register, make({ ...defaultOptions, ...options })).pipe(
    Layer.provide([FetchHttpClient.layer, CircuitBreaker.layerStoreMemory()])
  )
