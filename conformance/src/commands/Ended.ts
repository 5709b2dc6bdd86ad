import { Data, Effect } from "effect"

/** A command ended as it should, with something else to tell the shell than that all is well. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {}

/** Ends a command with an exit code. */
export const endWith = (code: number): Effect.Effect<void, Ended> =>
  code === 0 ? Effect.void : Effect.fail(new Ended({ code }))
