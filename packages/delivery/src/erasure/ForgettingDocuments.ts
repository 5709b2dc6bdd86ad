import * as DocumentSweep from "@wcs/domain/document/DocumentSweep"
import { Effect } from "effect"
import * as Loop from "../Loop.ts"

/** The interval of removals. */
const sweepMillis = 60_000

/** Removes the content of deleted documents and of lost uploads. Any number of workers may do the same. */
export const start = Effect.gen(function* () {
  const sweep = yield* DocumentSweep.make
  const round = Effect.flatMap(sweep, (isMore) => (isMore ? Effect.yieldNow : Effect.sleep(sweepMillis)))
  yield* Effect.forkScoped(Loop.forEver("forget documents", round))
})
