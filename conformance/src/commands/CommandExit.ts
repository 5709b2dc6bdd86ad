import { Data, Effect } from "effect"

/** Ends a command that succeeded with an exit code other than 0. */
export class CommandExit extends Data.TaggedError("CommandExit")<{ readonly code: number }> {}

export const exitWith = (code: number): Effect.Effect<void, CommandExit> =>
  code === 0 ? Effect.void : Effect.fail(new CommandExit({ code }))
