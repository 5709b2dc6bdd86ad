import { Deferred, Effect } from "effect"
import { exitCodes } from "../ExitCode.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Completes at the first SIGINT, SIGTERM or SIGHUP (a terminal that was closed), which asks a run to clean up and end;
 * at the second the process ends at once, and `sweep`, the command that does it, has to clean up. Either is told.
 */
export const askedToStop = Effect.fnUntraced(function* (sweep: string) {
  const asked = yield* Deferred.make<void>()
  let times = 0
  const onSignal = () => {
    times += 1
    if (times > 1) {
      process.stderr.write(`wcs-conformance: ended at once. To delete what is left there: ${sweep}\n`)
      process.exit(exitCodes.interrupted)
    }
    process.stderr.write("wcs-conformance: ending, and deleting what was made; once more ends it at once\n")
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
