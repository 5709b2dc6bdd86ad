import { Data } from "effect"

/** The walk cannot continue. Rules that it has not judged yet stay unjudged. */
export class Blocked extends Data.TaggedError("Blocked")<{
  /** One sentence. */
  readonly reason: string
  readonly exchanges: ReadonlyArray<number>
  /** What the run lacked, as in a finding. */
  readonly lacks?: ReadonlyArray<string>
}> {}
