import { Deferred, Effect } from "effect"
import { exitCodes } from "../report/ExitCode.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Completes at the first SIGINT, SIGTERM or SIGHUP: the run then cleans up and ends. A second signal ends the process
 * immediately; `sweep` is the command that cleans up afterwards. Both are announced on standard error.
 */
export const askedToStop = Effect.fnUntraced(function* (sweep: string) {
  const asked = yield* Deferred.make<void>()
  let times = 0
  const onSignal = () => {
    times += 1
    if (times > 1) {
      process.stderr.write(`wcs-conformance: stopped immediately. To delete the remaining resources: ${sweep}\n`)
      process.exit(exitCodes.interrupted)
    }
    process.stderr.write(
      "wcs-conformance: stopping and deleting the created resources; repeat the signal to stop immediately\n"
    )
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
