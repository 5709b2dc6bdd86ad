import type { Hit, Place } from "../server/Place.ts"
import type { Fault } from "./Rows.ts"

const isAt = ({ place: asked }: Fault, places: ReadonlyArray<Place>): boolean =>
  Object.entries(asked).every(([key, value]) => places.findLast((place) => place[key] !== undefined)?.[key] === value)

/** Makes one fault. */
export const hitOf =
  (fault: Fault): Hit =>
  (point, ...places) =>
    point === fault.point && isAt(fault, places)

/** Reports each fault once, as soon as a server comes to its place. The server has none of them. */
export const watching = (faults: ReadonlyArray<Fault>, note: (fault: Fault) => void): Hit => {
  const left = Map.groupBy(faults, ({ point }) => point)
  return (point, ...places) => {
    const here = left.get(point)
    if (here === undefined) return false
    const reached = here.filter((fault) => isAt(fault, places))
    if (reached.length === 0) return false
    for (const fault of reached) note(fault)
    const others = here.filter((fault) => !reached.includes(fault))
    if (others.length === 0) left.delete(point)
    else left.set(point, others)
    return false
  }
}
