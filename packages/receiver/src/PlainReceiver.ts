/** The receiver with promises instead of Effect. */
import { Data, Effect } from "effect"
import { DeliveryLog } from "./DeliveryLog.ts"
import * as DeliveryLogMemory from "./DeliveryLogMemory.ts"
import * as Receiver from "./Receiver.ts"
import type { SecretRing } from "./SecretRing.ts"

export interface PlainReceiverOptions extends Receiver.Limits {
  /** Called for every delivery, so that a rotation needs no restart. */
  readonly secrets: () => SecretRing
  /**
   * Called for each delivery until it succeeds. When it throws, the sender retries. The signal aborts when the time
   * limit is over.
   */
  readonly handle: (delivery: Receiver.Delivery, signal: AbortSignal) => void | Promise<void>
  /** The delivery log: in memory by default. */
  readonly log?: DeliveryLog["Service"]
}

/** The error of the handler, for the log. */
class HandlerThrew extends Data.TaggedError("HandlerThrew")<{ readonly cause: unknown }> {}

/**
 * Makes a receiver for `NodeListener.listener` or `FetchHandler.handler`.
 *
 * @public
 */
export const make = ({ handle, log, secrets, ...limits }: PlainReceiverOptions): Receiver.Receiver =>
  Effect.runSync(
    Receiver.make({
      ...limits,
      secrets: Effect.sync(secrets),
      handle: (delivery) =>
        Effect.tryPromise({
          try: async (signal) => handle(delivery, signal),
          catch: (cause) => new HandlerThrew({ cause })
        })
    }).pipe(
      Effect.provideServiceEffect(DeliveryLog, log === undefined ? DeliveryLogMemory.make() : Effect.succeed(log))
    )
  )
