import { Context, Effect, Layer } from "effect"

/**
 * What `AccessStore.epoch` answers, moved by every store that writes what a token's validity rests on. It counts the
 * writes of this process, which on SQLite are all there are. Where other processes write too, whatever hears of their
 * writes calls `move` as well.
 */
export class AccessEpoch extends Context.Service<
  AccessEpoch,
  {
    readonly current: Effect.Effect<number>
    /** Runs a write, after which nothing that was remembered holds, however it ends: a COMMIT may have been in time. */
    readonly moving: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@wcs/store-sql/AccessEpoch") {}

export const layer: Layer.Layer<AccessEpoch> = Layer.sync(AccessEpoch, () => {
  let epoch = 0
  const move = Effect.sync(() => {
    epoch++
  })
  return AccessEpoch.of({ current: Effect.sync(() => epoch), moving: Effect.ensuring(move) })
})
