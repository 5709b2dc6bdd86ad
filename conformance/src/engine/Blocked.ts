import { Data } from "effect"

/** The walk cannot go on, so the rules that it has not judged yet cannot be judged. */
export class Blocked extends Data.TaggedError("Blocked")<{
  /** One sentence. */
  readonly reason: string
  readonly exchanges: ReadonlyArray<number>
}> {}
