import { Deferred, Effect } from "effect"

/**
 * Completes at the first SIGINT or SIGTERM, which asks a run to clean up and end; at the second the process ends at
 * once, and `sweep` has to clean up.
 */
export const askedToStop = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  let times = 0
  const onSignal = () => {
    times += 1
    if (times > 1) process.exit(130)
    Deferred.doneUnsafe(asked, Effect.void)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGINT", onSignal).on("SIGTERM", onSignal)),
    () => Effect.sync(() => process.off("SIGINT", onSignal).off("SIGTERM", onSignal))
  )
  return Deferred.await(asked)
})
