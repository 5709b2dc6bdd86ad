import { Context, Effect, Layer } from "effect"

/**
 * Runs an effect in one server of a store at a time, such as the first run. The default does nothing: the embedded
 * store has only one process.
 */
export const OneAtATime = Context.Reference<<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>(
  "@wcs/deployment/OneAtATime",
  { defaultValue: () => (effect) => effect }
)

/** Builds a layer in one server at a time. */
export const inTurn = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Effect.flatMap(OneAtATime, (oneAtATime) => oneAtATime(Layer.build(layer))))
