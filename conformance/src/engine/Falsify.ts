import { type Cause, Effect, Exit } from "effect"
import fc from "fast-check"

/** More values than any search has leave to try. */
const maxValues = 1000

/** How far a search for a counterexample goes. */
export interface Search {
  readonly seed: number
  /** Asked before each value is tried, also those that are tried for the sake of a shorter counterexample. */
  readonly mayGoOn: () => boolean
}

/**
 * Looks for a value of which `holds` does not, and from there for the shortest; undefined where there is none. The values
 * are those of the seed, and which ones are tried depends on nothing else than on what `holds` says of them.
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
      { seed: search.seed, numRuns: maxValues }
    )
  )
  if (failure !== undefined) return yield* Effect.failCause(failure)
  return found.counterexample?.[0]
})

/** What is left of a list in which each part is needed for `isWrong` to be so of it; `mayGoOn` ends the search early. */
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
    // what could not go alone may be able to once something else has gone
    size = size === 1 && isShorter ? 1 : Math.floor(size / 2)
    isShorter = false
    at = 0
  }
  return shortest
})
