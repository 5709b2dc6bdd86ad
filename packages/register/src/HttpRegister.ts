import { Register, RegisterFailed, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { Clock, Duration, Effect, Exit, Layer, Option, PartitionedSemaphore, Schedule, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import * as Gateway from "./Gateway.ts"

export interface HttpRegisterOptions extends Gateway.GatewayOptions {
  /** How long all tries of a question may take, waits between them included, from when it has its turn. */
  readonly totalMillis: number
  /** How many times a question is sent at most. */
  readonly tries: number
  /** How long is waited after the first try; twice as long after each further one, and a fifth more or less. */
  readonly firstDelayMillis: number
  /** How many questions are on their way at the same time; kinds of credential that wait have turns. */
  readonly concurrency: number
  /** When a kind of credential is no longer asked about, and for how long. */
  readonly circuit: {
    /** How many questions in a row may come to nothing. */
    readonly failures: number
    readonly openMillis: number
  }
}

/** What a deployment says: where the gateway is and who asks, and the rest only where it is to differ. */
export type HttpRegisterSettings = Pick<HttpRegisterOptions, "url" | "access"> & Partial<HttpRegisterOptions>

export const defaultOptions: Omit<HttpRegisterOptions, "url" | "access"> = {
  timeoutMillis: 4000,
  totalMillis: 10_000,
  tries: 3,
  firstDelayMillis: 200,
  concurrency: 64,
  circuit: { failures: 5, openMillis: 30_000 }
}

/**
 * When the next try is due of a question that began then. What is waited comes on top of `Retry-After`, so that those
 * who were told the same one do not come back at once; what would not end in time is not begun.
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

/** What a question that has ended says of the register: one that was answered, however badly, is there. */
const healthIn = (exit: Exit.Exit<unknown, Gateway.TryFailed>): CircuitBreaker.Outcome => {
  const failed = Exit.findErrorOption(exit)
  if (Option.isNone(failed) || !failed.value.isTransient) return CircuitBreaker.success
  return CircuitBreaker.failure({ retryAfter: failed.value.retryAfterMillis })
}

/** No `Retry-After` keeps a circuit open for longer. */
const longestOpenMillis = 300_000

/** Tells in the log of circuits that open and close. */
const logTransitions = (breaker: CircuitBreaker.CircuitBreaker) =>
  breaker.transitions.pipe(
    Stream.runForEach(({ from, key, to }) =>
      to === "Closed"
        ? Effect.logInfo("The register answers again: it is asked as usual.", { credentialType: key })
        : Effect.logWarning(`The register's circuit went from ${from} to ${to}.`, { credentialType: key })
    ),
    Effect.forkScoped({ startImmediately: true })
  )

/**
 * A register behind a gateway. Each kind of credential has a circuit of its own, as different registers may be behind
 * it: where one of them is down the others are asked on.
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

  /** All tries of a question, within the time that there is. */
  const askAgain = Effect.fnUntraced(function* (question: RegisterQuestion) {
    const schedule = scheduleOf(options, yield* Clock.currentTimeMillis)
    return yield* Effect.retry(askOnce(question), { schedule, while: ({ isTransient }) => isTransient }).pipe(
      Effect.timeoutOrElse({
        duration: totalMillis,
        orElse: () => Effect.fail(Gateway.late(`no answer within ${totalMillis} ms`))
      })
    )
  })

  /** Its time begins with its turn: what has only waited for others uses up no try and says nothing of the register. */
  const ask: Register["Service"]["ask"] = Effect.fn("HttpRegister.ask")(function* (question) {
    const { credentialType } = question
    const asked = breaker.execute(askAgain(question), { key: credentialType, classify: healthIn })
    return yield* permits
      .withPermit(credentialType)(asked)
      .pipe(
        Effect.catchTag("CircuitBreakerError", () => Effect.fail(Gateway.unavailable("it is not asked for a while"))),
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
