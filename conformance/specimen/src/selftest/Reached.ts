import { walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import { watching } from "../faults/Hits.ts"
import type { Fault } from "../faults/Rows.ts"
import type { Hub } from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { judgeBy } from "../target/Target.ts"

// Finds the walks that come to the place of a fault. The other walks cannot show it: until the first wrong step, a
// server with the fault answers as one without.

/** The walks that reach a fault, and the number of requests of each. */
export interface Reached {
  readonly walks: ReadonlyMap<string, ReadonlyArray<string>>
  readonly requests: ReadonlyMap<string, number>
}

/** Runs one walk at a time on a server without a fault. */
export const reached = Effect.fn("Reached.reached")(function* (hub: Hub, faults: ReadonlyArray<Fault>) {
  const found = new Map<string, ReadonlyArray<string>>()
  const requests = new Map<string, number>()
  yield* Effect.forEach(
    walks,
    (walk) =>
      Effect.gen(function* () {
        const here = new Set<string>()
        const target = yield* start(
          hub,
          watching(faults, ({ name }) => void here.add(name))
        )
        const events = yield* judgeBy(target, [walk])
        requests.set(walk.name, events.filter(({ type }) => type === "exchange").length)
        for (const name of here) found.set(name, [...(found.get(name) ?? []), walk.name])
      }).pipe(Effect.scoped),
    { concurrency: 8, discard: true }
  )
  return { walks: found, requests } satisfies Reached
})
