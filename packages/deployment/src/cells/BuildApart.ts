import { Effect, Layer } from "effect"

/**
 * Builds a layer anew, with all layers within it: it shares nothing with the layers that the process has built for another
 * database. `Layer.fresh` is not enough, because a layer that builds another one in an effect would find the earlier one.
 */
export const buildApart = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Effect.gen(function* () {
    return yield* Layer.buildWithMemoMap(layer, yield* Layer.makeMemoMap, yield* Effect.scope)
  })
