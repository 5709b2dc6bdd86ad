import { Context, Effect } from "effect"
import fc from "fast-check"

/** The share of the runs of each property. A store that repeats the statements of another one needs fewer. */
export const RunShare = Context.Reference<number>("@wcs/store-suite/RunShare", { defaultValue: () => 1 })

/**
 * Checks a property whose body needs services. A failure prints the smallest counterexample with its seed and path.
 * Pass these as `parameters` to replay it.
 */
export const check = <Value, E, R>(
  values: fc.Arbitrary<Value>,
  body: (value: Value) => Effect.Effect<void, E, R>,
  parameters: fc.Parameters<[Value]> = {}
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const numRuns = Math.ceil((parameters.numRuns ?? 100) * (yield* RunShare))
    yield* Effect.promise((signal) =>
      fc.assert(
        fc.asyncProperty(values, (value) => Effect.runPromiseWith(context)(body(value), { signal })),
        { ...parameters, numRuns }
      )
    )
  })
