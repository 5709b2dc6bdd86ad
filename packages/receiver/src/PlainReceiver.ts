/** The receiver for programs that know promises and nothing of Effect. */
import { Data, Effect } from "effect"
import { DeliveryLog } from "./DeliveryLog.ts"
import * as DeliveryLogMemory from "./DeliveryLogMemory.ts"
import * as Receiver from "./Receiver.ts"
import type { SecretRing } from "./SecretRing.ts"

export interface PlainReceiverOptions extends Receiver.Limits {
  /** Asked at every delivery, so that a rotation needs no restart. */
  readonly secrets: () => SecretRing
  /**
   * Called once for each delivery until it succeeds; what it throws makes the sender try again. The signal is aborted
   * when it has taken too long.
   */
  readonly handle: (delivery: Receiver.Delivery, signal: AbortSignal) => void | Promise<void>
  /** Which deliveries were handled: in this process's memory by default. */
  readonly log?: DeliveryLog["Service"]
}

/** What the handler has thrown, for the log. */
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
