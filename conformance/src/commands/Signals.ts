import { Deferred, Effect } from "effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Completes at the first SIGINT, SIGTERM or SIGHUP (a terminal that was closed), which asks a run to clean up and end;
 * at the second the process ends at once, and `sweep` has to clean up.
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
    Effect.sync(() => {
      for (const signal of signals) process.on(signal, onSignal)
    }),
    () =>
      Effect.sync(() => {
        for (const signal of signals) process.off(signal, onSignal)
      })
  )
  return Deferred.await(asked)
})
