import { Context, Effect, Layer } from "effect"

/**
 * Does what of several servers of one store only one may do at a time, as the first run is. A store that belongs to one
 * process needs nothing for it.
 */
export const OneAtATime = Context.Reference<<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>(
  "@wcs/http-node/OneAtATime",
  { defaultValue: () => (effect) => effect }
)

/** The layer, built in turn. */
export const inTurn = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Effect.flatMap(OneAtATime, (oneAtATime) => oneAtATime(Layer.build(layer))))
