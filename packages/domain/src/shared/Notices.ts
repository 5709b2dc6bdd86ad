import { Context, Deferred, Effect, Layer, Option, type Scope } from "effect"

/**
 * Notifies waiting processes across all servers and workers of one store. A notification may be lost or spurious. It
 * only shortens a wait: every waiter also polls.
 */
export class Notices extends Context.Service<
  Notices,
  {
    /** Notifies all listeners of the topic. Never waits and never fails. */
    readonly tell: (topic: string) => Effect.Effect<void>
    /** Listens until the scope closes. The returned effect completes at the first notification of the topic. */
    readonly listen: (topic: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("@wcs/domain/Notices") {}

/** A verification may be due. */
export const verificationDue = "verification due"

/** An event or a delivery may be due. */
export const deliveryDue = "delivery due"

/** A worker is idle while other workers have webhooks with due deliveries. */
export const deliverySought = "delivery sought"

/** The result of a verification or delivery is stored. */
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

  return Notices.of({
    tell: (topic) =>
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

/** For one process that serves and works, as with the embedded store. */
export const layer: Layer.Layer<Notices> = Layer.effect(Notices, make)

/** Polling interval in milliseconds, in case a notification is lost. */
const lookAgainMillis = 250

/** Runs `look` until it returns a value: at first, then at each notification of the topic and each polling interval. */
export const until = <A, E>(
  notices: Notices["Service"],
  topic: string,
  look: Effect.Effect<Option.Option<A>, E>
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const word = yield* notices.listen(topic) // listens first, so that no notification between is missed
    const seen = yield* look
    if (Option.isNone(seen)) yield* Effect.raceFirst(word, Effect.sleep(lookAgainMillis))
    return seen
  }).pipe(
    Effect.scoped,
    Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => until(notices, topic, look) }))
  )
