import type { Ids } from "@wcs/domain/shared/Id"
import type { Notices } from "@wcs/domain/shared/Notices"
import type { Register } from "@wcs/domain/verification/Register"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Effect, Layer, Scope } from "effect"
import * as Delivering from "./Delivering.ts"
import * as FanningOut from "./FanningOut.ts"
import * as Forgetting from "./Forgetting.ts"
import type { Sender } from "./Sender.ts"
import type { Signature } from "./Signature.ts"
import * as Verifying from "./Verifying.ts"

/**
 * The worker: verifies credentials, makes deliveries of events and attempts them, as long as the layer lives. Any number
 * of them share one store. It is stopped by its scope: it takes nothing more, finishes what is in flight within
 * `EngineSettings.stopMillis`, and gives the rest back.
 */
export const layer: Layer.Layer<
  never,
  never,
  DeliveryStore | VerificationStore | Register | Notices | Ids | Sender | Signature
> = Layer.effectDiscard(
  Effect.gen(function* () {
    // All stop at the same time, so that one does not use up the time of the others.
    const whole = yield* Scope.fork(yield* Effect.scope, "parallel")
    const own = <A, R>(part: Effect.Effect<A, never, R>) =>
      Effect.flatMap(Scope.fork(whole), (scope) => Scope.provide(part, scope))
    yield* own(Forgetting.start)
    yield* own(FanningOut.start(yield* own(Delivering.start)))
    yield* own(Verifying.start)
  }).pipe(Effect.annotateLogs({ service: "worker" }))
)
