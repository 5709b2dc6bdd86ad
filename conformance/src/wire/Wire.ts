import { Context, Data, type Effect } from "effect"
import type { Answer, Request, Silence } from "./Exchange.ts"

/** There was no answer. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly silence: Silence
  /** One sentence, without secrets. */
  readonly detail: string
}> {}

/** The connection to a deployment. */
export class Wire extends Context.Service<
  Wire,
  {
    /**
     * Sends one request unchanged, apart from `Host`, `User-Agent`, `Content-Length` and `Connection`. Follows no redirects and reads
     * the whole answer. Fails above the time and size limits of a call. An answer's `json` is its parsed text, for any
     * content type.
     */
    readonly send: (request: Request) => Effect.Effect<Answer, NoAnswer>
  }
>()("@wcs/conformance/Wire") {}
