import { Context, Deferred, Effect, Layer, Option, type Scope } from "effect"

/**
 * Wake-up signals between servers and workers of one store. A signal can be lost or come without cause: it only
 * shortens a wait, so every waiter also polls.
 */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Notifies every listener of the topic. Never waits and never fails. */
    readonly notify: (topic: string) => Effect.Effect<void>
    /** Listens from now until the scope closes. The inner effect completes at the next notification of the topic. */
    readonly listen: (topic: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("@wcs/domain/Notifications") {}

/** A verification may be due. */
export const verificationDue = "verification due"

/** An event or a delivery may be due. */
export const deliveryDue = "delivery due"

/** A webhook was changed or deleted, so that workers read it again before they attempt its deliveries. */
export const webhooksChanged = "webhooks changed"

/** A worker joined, left or released leases, so that others rebalance theirs. */
export const leasesChanged = "leases changed"

/** The result of a verification or a delivery is stored. */
export const settled = (id: string): string => `settled ${id}`

/** Notifications within this process. */
export const make = Effect.sync(() => {
  const listeners = new Map<string, Set<Deferred.Deferred<void>>>()

  const leave = (topic: string, listener: Deferred.Deferred<void>) =>
    Effect.sync(() => {
      const others = listeners.get(topic)
      others?.delete(listener)
      if (others?.size === 0) listeners.delete(topic)
    })

  return Notifications.of({
    notify: (topic) =>
      Effect.sync(() => {
        for (const listener of listeners.get(topic) ?? []) Deferred.doneUnsafe(listener, Effect.void)
      }),
    listen: (topic) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const listener = Deferred.makeUnsafe<void>()
          listeners.set(topic, (listeners.get(topic) ?? new Set()).add(listener))
          return listener
        }),
        (listener) => leave(topic, listener)
      ).pipe(Effect.map(Deferred.await))
  })
})

/** For a deployment in which one process serves and delivers, as with the embedded store. */
export const layer: Layer.Layer<Notifications> = Layer.effect(Notifications, make)

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
    const notified = yield* notifications.listen(topic) // before the look, so that no change is missed
    const seen = yield* look
    if (Option.isNone(seen)) yield* Effect.raceFirst(notified, Effect.sleep(lookAgainMillis))
    return seen
  }).pipe(
    Effect.scoped,
    Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => until(notifications, topic, look) }))
  )
