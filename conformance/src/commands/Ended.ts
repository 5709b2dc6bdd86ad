import { Data, Effect } from "effect"

/** Ends a command that succeeded with an exit code other than 0. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {}

export const endWith = (code: number): Effect.Effect<void, Ended> =>
  code === 0 ? Effect.void : Effect.fail(new Ended({ code }))
