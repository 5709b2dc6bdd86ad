import { Context, Effect, Latch, Layer, Option, type Scope } from "effect"

/**
 * Wake-up signals between servers and workers of one store. A signal can be lost or come without cause: it only
 * shortens a wait, so every waiter also polls.
 */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Notifies every listener of the topic. Never waits and never fails. */
    readonly notify: (topic: string) => Effect.Effect<void>
    /**
     * Opens the latch at each notification of the topic, from now until the scope closes. A listener that closes the
     * latch before it reads what is due misses no change.
     */
    readonly listen: (topic: string, latch: Latch.Latch) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@wcs/domain/Notifications") {}

/** A verification may be due. */
export const verificationDue = "verification due"

/** An event or a delivery may be due. */
export const deliveryDue = "delivery due"

/** A message may be due. */
export const messageDue = "message due"

/** The settings of messages were changed, which can make a round due. */
export const messagesChanged = "messages changed"

/** An import has work to do. */
export const importDue = "import due"

/** A webhook was changed or deleted, so that workers read it again before they attempt its deliveries. */
export const webhooksChanged = "webhooks changed"

/** A worker joined, left or released leases, so that others rebalance theirs. */
export const leasesChanged = "leases changed"

/** The result of a verification or a delivery is stored. */
export const settled = (id: string): string => `settled ${id}`

/** Notifications within this process. */
export const make = Effect.sync(() => {
  const latches = new Map<string, Set<Latch.Latch>>()

  const leave = (topic: string, latch: Latch.Latch) =>
    Effect.sync(() => {
      const others = latches.get(topic)
      others?.delete(latch)
      if (others?.size === 0) latches.delete(topic)
    })

  return Notifications.of({
    notify: (topic) =>
      Effect.sync(() => {
        for (const latch of latches.get(topic) ?? []) latch.openUnsafe()
      }),
    listen: (topic, latch) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          latches.set(topic, (latches.get(topic) ?? new Set()).add(latch))
        }),
        () => leave(topic, latch)
      )
  })
})

/** For a deployment in which one process serves and delivers, as with the embedded store. */
export const layer = Layer.effect(Notifications, make)

/** Poll interval while waiting, in milliseconds. */
const lookAgainMillis = 250

/**
 * Calls `look` until it returns a value: after each notification of the topic, and at least every `lookAgainMillis`.
 */
export const until = <A, E>(
  notifications: Notifications["Service"],
  topic: string,
  look: Effect.Effect<Option.Option<A>, E>
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const notified = Latch.makeUnsafe(false)
    yield* notifications.listen(topic, notified)
    while (true) {
      notified.closeUnsafe() // before the look, so that no change is missed
      const seen = yield* look
      if (Option.isSome(seen)) return seen.value
      yield* Effect.raceFirst(notified.await, Effect.sleep(lookAgainMillis))
    }
  }).pipe(Effect.scoped)
