import { walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import type { Hub } from "../../Hub.ts"
import { judgeBy } from "../../selftest/Judging.ts"
import type { Fault } from "../faults/Rows.ts"
import type { Hit, Place } from "../Place.ts"
import { start } from "../Stranger.ts"

// Finds the walks that come to the place of a fault. The other walks cannot show it: until the first wrong step, a
// server with the fault answers as one without.

/** The walks that reach a fault, and the number of requests of each. */
export interface Reached {
  readonly walks: ReadonlyMap<string, ReadonlyArray<string>>
  readonly requests: ReadonlyMap<string, number>
}

const isAt = (fault: Fault, place: Place): boolean =>
  Object.entries(fault.place).every(([key, value]) => place[key] === value)

/** Makes one fault. */
export const hitOf =
  (fault: Fault): Hit =>
  (point, place) =>
    point === fault.point && isAt(fault, place)

/** Reports each fault once, as soon as a server comes to its place. The server has none of them. */
export const watching = (faults: ReadonlyArray<Fault>, note: (fault: Fault) => void): Hit => {
  const left = Map.groupBy(
    faults.map((fault) => ({ fault, keys: Object.entries(fault.place) })),
    ({ fault }) => fault.point
  )
  return (point, place) => {
    const here = left.get(point)
    if (here === undefined) return false
    const isHere = here.map(({ keys }) => keys.every(([key, value]) => place[key] === value))
    if (!isHere.includes(true)) return false
    for (const [index, { fault }] of here.entries()) if (isHere[index]) note(fault)
    const others = here.filter((_, index) => !isHere[index])
    if (others.length === 0) left.delete(point)
    else left.set(point, others)
    return false
  }
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
