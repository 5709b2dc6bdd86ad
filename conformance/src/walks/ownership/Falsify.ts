import { type Cause, Effect, Exit } from "effect"
import fc from "fast-check"

/** The limits of a search for a counterexample. */
export interface Search {
  readonly seed: number
  /** The maximum number of values that are tried, apart from those that shorten the counterexample. */
  readonly maxValues: number
  /** Called before each value is tried, including values that shorten the counterexample. */
  readonly mayGoOn: () => boolean
}

/**
 * Returns the shortest value for which `holds` is false, or undefined. The seed determines the values. The order of the
 * attempts depends only on the results of `holds`.
 */
export const falsify = Effect.fnUntraced(function* <Value, E, R>(
  values: fc.Arbitrary<Value>,
  holds: (value: Value) => Effect.Effect<boolean, E, R>,
  search: Search
) {
  const context = yield* Effect.context<R>()
  let failure: Cause.Cause<E> | undefined
  const found = yield* Effect.promise((signal) =>
    fc.check(
      fc.asyncProperty(values, async (value) => {
        if (failure !== undefined || signal.aborted || !search.mayGoOn()) return true
        const exit = await Effect.runPromiseExitWith(context)(holds(value), { signal })
        if (Exit.isFailure(exit)) failure = exit.cause
        return Exit.isFailure(exit) || exit.value
      }),
      { seed: search.seed, numRuns: search.maxValues }
    )
  )
  if (failure !== undefined) return yield* Effect.failCause(failure)
  return found.counterexample?.[0]
})

/** Removes the parts of a list that `isWrong` does not need. `mayGoOn` ends the search early. */
export const shorten = Effect.fnUntraced(function* <Item, E, R>(
  list: ReadonlyArray<Item>,
  isWrong: (list: ReadonlyArray<Item>) => Effect.Effect<boolean, E, R>,
  mayGoOn: () => boolean
) {
  let shortest = list
  let size = Math.max(1, Math.floor(list.length / 2))
  let isShorter = false
  for (let at = 0; size > 0 && mayGoOn(); ) {
    const candidate = [...shortest.slice(0, at), ...shortest.slice(at + size)]
    const isStillWrong = candidate.length < shortest.length && (yield* isWrong(candidate))
    if (isStillWrong) {
      shortest = candidate
      isShorter = true
    } else at += size
    if (at < shortest.length) continue
    // a part may become removable after another part is gone
    size = size === 1 && isShorter ? 1 : Math.floor(size / 2)
    isShorter = false
    at = 0
  }
  return shortest
})
