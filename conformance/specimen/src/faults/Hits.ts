import type { Hit, Place } from "../server/Place.ts"
import type { Fault } from "./Rows.ts"

/** Whether a call is at the place of a fault. Each call asks this many times, so nothing is made anew here. */
const placing = ({ place: asked }: Fault): ((places: ReadonlyArray<Place>) => boolean) => {
  const entries = Object.entries(asked)
  return (places) =>
    entries.every(([key, value]) => {
      for (let index = places.length - 1; index >= 0; index -= 1) {
        const own = places[index]?.[key]
        if (own !== undefined) return own === value
      }
      return false
    })
}

/** Makes one fault. */
export const hitOf = (fault: Fault): Hit => {
  const isAt = placing(fault)
  return (point, ...places) => point === fault.point && isAt(places)
}

/** Reports each fault once, as soon as a server comes to its place. The server has none of them. */
export const watching = (faults: ReadonlyArray<Fault>, note: (fault: Fault) => void): Hit => {
  const placed = faults.map((fault) => ({ fault, point: fault.point, isAt: placing(fault) }))
  const left = Map.groupBy(placed, ({ point }) => point)
  return (point, ...places) => {
    const here = left.get(point)
    if (here === undefined) return false
    const reached = here.filter(({ isAt }) => isAt(places))
    if (reached.length === 0) return false
    for (const { fault } of reached) note(fault)
    const others = here.filter((one) => !reached.includes(one))
    if (others.length === 0) left.delete(point)
    else left.set(point, others)
    return false
  }
}
