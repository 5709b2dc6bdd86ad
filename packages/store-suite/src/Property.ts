import { Effect } from "effect"
import fc from "fast-check"

/**
 * Checks a property whose body needs services. A failure prints the smallest counterexample with its seed and path.
 * Pass these as `parameters` to replay it.
 */
export const check = <Value, E, R>(
  values: fc.Arbitrary<Value>,
  body: (value: Value) => Effect.Effect<void, E, R>,
  parameters: fc.Parameters<[Value]> = {}
): Effect.Effect<void, never, R> =>
  Effect.flatMap(Effect.context<R>(), (context) =>
    Effect.promise((signal) =>
      fc.assert(
        fc.asyncProperty(values, (value) => Effect.runPromiseWith(context)(body(value), { signal })),
        parameters
      )
    )
  )
