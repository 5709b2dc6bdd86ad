import * as ForgettingAnswers from "@wcs/domain/answer/ForgettingAnswers"
import { Effect } from "effect"
import * as Loop from "../Loop.ts"

/** The interval of rounds: a term of days needs no more. */
const roundMillis = 3_600_000

/** Forgets answers and links after their requests. Any number of workers may do the same. */
export const start = Effect.gen(function* () {
  const round = yield* ForgettingAnswers.make
  yield* Effect.forkScoped(Loop.forEver("forget answers", Effect.andThen(round, Effect.sleep(roundMillis))))
})
