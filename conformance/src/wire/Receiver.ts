import { Context, Data, Effect, type Scope } from "effect"
import type { Request } from "./Exchange.ts"

/** Deliveries cannot be received. */
export class NotReceiving extends Data.TaggedError("NotReceiving")<{
  /** One sentence. */
  readonly reason: string
}> {}

/** Takes a delivery and returns the status of its answer. */
export type Take = (delivered: Request) => Effect.Effect<number>

/** Receives deliveries to webhooks. */
export interface Receives {
  /**
   * Opens an unguessable address for the lifetime of the scope and returns its URL. Passes on every request in full,
   * with any method. Afterwards the address answers 410.
   */
  readonly open: (take: Take) => Effect.Effect<string, NotReceiving, Scope.Scope>
  /**
   * A URL that accepts and discards every request while the receiver is up, for webhooks that expect no deliveries.
   * Contains `name`. Fails if the receiver has a local address, because many deployments refuse such URLs for webhooks.
   */
  readonly closed: (name: string) => Effect.Effect<string, NotReceiving>
}

/** A receiver that only fails, with this reason. */
export const without = (reason: string): Receives => {
  const refusal = Effect.fail(new NotReceiving({ reason }))
  return { open: () => refusal, closed: () => refusal }
}

/** The receiver of a run; by default none. */
export const Receiver = Context.Reference<Receives>("@wcs/conformance/Receiver", {
  defaultValue: () => without("there is no receiver")
})
