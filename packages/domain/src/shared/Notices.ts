import { Context, Deferred, Effect, Layer, Option, type Scope } from "effect"

/**
 * Word between who waits and who works, in all servers and workers of one store. Word can be lost, and it can come for
 * nothing: it shortens a wait, and whoever waits looks for himself from time to time.
 */
export class Notices extends Context.Service<
  Notices,
  {
    /** Tells everybody who listens to the topic. Never waits and never fails. */
    readonly tell: (topic: string) => Effect.Effect<void>
    /** Listens from now on until the scope closes; what is answered completes when the topic was told of. */
    readonly listen: (topic: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("@wcs/domain/Notices") {}

/** There may be a verification to carry out. */
export const verificationDue = "verification due"

/** There may be an event to send, or a delivery. */
export const deliveryDue = "delivery due"

/** A worker has nothing to deliver, while others hold webhooks of which there is. */
export const deliverySought = "delivery sought"

/** What became of something that somebody may wait for is stored: a verification, a delivery. */
export const settled = (id: string): string => `settled ${id}`

/** Word within this process. */
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

/** For one process that does both, as the embedded store has it. */
export const layer: Layer.Layer<Notices> = Layer.effect(Notices, make)

/** How often whoever waits looks for himself, should word be lost. In milliseconds. */
const lookAgainMillis = 250

/** Looks, and looks again when there is word of the topic or some time has passed, until there is something to see. */
export const until = <A, E>(
  notices: Notices["Service"],
  topic: string,
  look: Effect.Effect<Option.Option<A>, E>
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const word = yield* notices.listen(topic) // before it looks: what happens meanwhile is heard
    const seen = yield* look
    if (Option.isNone(seen)) yield* Effect.raceFirst(word, Effect.sleep(lookAgainMillis))
    return seen
  }).pipe(
    Effect.scoped,
    Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => until(notices, topic, look) }))
  )
