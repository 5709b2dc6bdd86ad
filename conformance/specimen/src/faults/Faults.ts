import { accessFaults } from "./Access.ts"
import { answerFaults } from "./Answers.ts"
import { legacyFaults } from "./LegacySurface.ts"
import { ownerFaults } from "./Owners.ts"
import { resourceFaults } from "./Resources.ts"
import type { Fault } from "./Rows.ts"

const all = [...accessFaults, ...answerFaults, ...legacyFaults, ...ownerFaults, ...resourceFaults]

/** Every fault of the second server, without repetitions. */
export const faults: ReadonlyArray<Fault> = [
  ...new Map(
    all.map((fault) => [`${fault.point} ${JSON.stringify(Object.entries(fault.place).toSorted())}`, fault])
  ).values()
]

/** The area of a fault, such as OWN. */
export const areaOf = ({ rule }: Fault): string => rule.slice(0, 3)
