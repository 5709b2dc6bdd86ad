import { Effect, Layer, Scope } from "effect"
import * as Sealing from "./audit/Sealing.ts"
import * as Delivering from "./Delivering.ts"
import * as Erasing from "./erasure/Erasing.ts"
import * as ForgettingAnswers from "./erasure/ForgettingAnswers.ts"
import * as ForgettingDocuments from "./erasure/ForgettingDocuments.ts"
import * as FanningOut from "./FanningOut.ts"
import * as Forgetting from "./Forgetting.ts"
import * as Importing from "./import/Importing.ts"
import * as Measures from "./Measures.ts"
import * as ForgettingMessages from "./message/ForgettingMessages.ts"
import * as Sending from "./message/Sending.ts"
import * as Verifying from "./Verifying.ts"
import * as Evaluating from "./watch/Evaluating.ts"
import * as Scheduling from "./watch/Scheduling.ts"
import * as Warning from "./watch/Warning.ts"

/** Starts the parts. They stop in parallel, so that one does not use up the time of the others. */
const started = <R>(further: Effect.Effect<void, never, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const whole = yield* Scope.fork(yield* Effect.scope, "parallel")
      const own = <A, R>(part: Effect.Effect<A, never, R>) =>
        Effect.flatMap(Scope.fork(whole), (scope) => Scope.provide(part, scope))
      yield* Measures.begin
      yield* own(Forgetting.start)
      yield* own(Sealing.start)
      yield* own(FanningOut.start(yield* own(Delivering.start)))
      yield* own(Verifying.start)
      yield* own(Evaluating.start)
      yield* own(Warning.start)
      yield* own(Scheduling.start)
      yield* own(Erasing.start)
      yield* own(Importing.start)
      yield* own(ForgettingDocuments.start)
      yield* own(ForgettingAnswers.start)
      yield* own(ForgettingMessages.start)
      yield* own(further)
    }).pipe(Effect.annotateLogs({ service: "worker" }))
  )

/**
 * The worker: verifies credentials, fans events out, attempts deliveries, warns of cards that expire, keeps the
 * compliance of workers, erases people, carries out imports and seals the audit log while the layer lives.
 * Any number of workers share one store. When its scope closes, it takes no new work, finishes what is in flight within
 * `EngineSettings.stopMillis` and releases the rest.
 */
export const layer = started(Effect.void)

/** The worker, which also sends messages to users. */
export const layerWithMessages = started(Sending.start)
