import { walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import { watching } from "../faults/Hits.ts"
import type { Fault } from "../faults/Rows.ts"
import type { Hub } from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { judgeBy } from "../target/Target.ts"

// Finds the walks that come to the place of a fault or the point of a choice. The other walks cannot show it: until the
// first other step, a server with it answers as one without.

/** The walks that reach each fault and each point of a choice, and the number of exchanges of each walk. */
export interface Reached {
  readonly walks: ReadonlyMap<string, ReadonlyArray<string>>
  /** By point, the walks with the fewest exchanges first. */
  readonly readers: ReadonlyMap<string, ReadonlyArray<string>>
  readonly requests: ReadonlyMap<string, number>
}

const added = (found: Map<string, ReadonlyArray<string>>, keys: Iterable<string>, walk: string): void => {
  for (const key of keys) found.set(key, [...(found.get(key) ?? []), walk])
}

/** Runs one walk at a time on a server without a fault. */
export const reached = Effect.fn("Reached.reached")(function* (hub: Hub, faults: ReadonlyArray<Fault>) {
  const found = new Map<string, ReadonlyArray<string>>()
  const readers = new Map<string, ReadonlyArray<string>>()
  const requests = new Map<string, number>()
  const runs = yield* Effect.forEach(
    walks,
    (walk) =>
      Effect.gen(function* () {
        const [here, points] = [new Set<string>(), new Set<string>()]
        const noteFault = watching(faults, ({ name }) => void here.add(name))
        const target = yield* start(hub, noteFault, [], (point) => void points.add(point))
        const events = yield* judgeBy(target, [walk], { everywhere: new Set() })
        requests.set(walk.name, events.filter(({ type }) => type === "exchange").length)
        added(found, here, walk.name)
        return { name: walk.name, points }
      }).pipe(Effect.scoped),
    { concurrency: 8 }
  )
  const count = ({ name }: { readonly name: string }): number => requests.get(name) ?? 0
  for (const { name, points } of runs.toSorted((one, other) => count(one) - count(other))) added(readers, points, name)
  return { walks: found, readers, requests } satisfies Reached
})
