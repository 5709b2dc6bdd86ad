import { Context, Data, type Effect } from "effect"
import type { Answer, Request, Silence } from "./Exchange.ts"

/** There was no answer. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly silence: Silence
  /** One sentence, with no secret in it. */
  readonly detail: string
}> {}

/** How requests reach a deployment. */
export class Wire extends Context.Service<
  Wire,
  {
    /**
     * Sends one request exactly as it stands (nothing is added but `Host`, `Content-Length` and `Connection`), follows
     * no redirect, and reads the whole answer. Fails where none comes within the time and size that a call may take.
     * An answer's `json` is its text parsed, whatever content type it claims.
     */
    readonly send: (request: Request) => Effect.Effect<Answer, NoAnswer>
  }
>()("@wcs/conformance/Wire") {}
