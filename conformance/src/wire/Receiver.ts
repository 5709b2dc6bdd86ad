import { Context, Data, Effect, type Scope } from "effect"
import type { Request } from "./Exchange.ts"

/** Nobody can receive anything. */
export class NotReceiving extends Data.TaggedError("NotReceiving")<{
  /** One sentence. */
  readonly reason: string
}> {}

/** Says what the sender of a delivery is answered: a status. */
export type Take = (delivered: Request) => Effect.Effect<number>

/** Where what a deployment delivers to webhooks arrives. */
export interface Receives {
  /**
   * Opens an address that nobody can guess, as long as the scope lives, and answers its URL. Whatever is sent there, by
   * whatever method, is handed over whole; once the scope has ended, 410 is answered to it.
   */
  readonly open: (take: Take) => Effect.Effect<string, NotReceiving, Scope.Scope>
  /**
   * A URL at the receiver at which everything is taken and nothing kept, as long as it is up: webhooks that nothing is
   * to be delivered to may be sent something all the same. `name` is a part of it. Fails where the receiver is this
   * machine's own: many a deployment takes no such URL, and not only for what it delivers.
   */
  readonly closed: (name: string) => Effect.Effect<string, NotReceiving>
}

/** Receives nothing, and says why. */
export const without = (reason: string): Receives => {
  const refusal = Effect.fail(new NotReceiving({ reason }))
  return { open: () => refusal, closed: () => refusal }
}

/** The receiver of a run; none where nobody provides one. */
export const Receiver = Context.Reference<Receives>("@wcs/conformance/Receiver", {
  defaultValue: () => without("there is no receiver")
})
