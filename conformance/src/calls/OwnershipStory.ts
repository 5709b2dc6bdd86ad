import type { People } from "./OwnershipSteps.ts"
import type { Operation, SlotState } from "./Transitions.ts"

/** Short names by id: `w1` for the first worker, `a2` for the second applicant, `c1` for the first credential. */
export type Names = ReadonlyMap<string, string>

/** The short names of people and credentials, each counted from 1. */
export const namesOf = (people: People, credentials: ReadonlyArray<string>): Names => {
  const numbered = (letter: string, ids: ReadonlyArray<string>) =>
    ids.map((id, index): readonly [string, string] => [id, `${letter}${index + 1}`])
  const ofType = (letter: string, parties: People["worker"]) => [
    ...numbered(
      letter,
      parties.filter(({ isNobody }) => isNobody !== true).map(({ id }) => id)
    ),
    ...parties.filter(({ isNobody }) => isNobody === true).map(({ id }): [string, string] => [id, `${letter}0`])
  ]
  return new Map([...ofType("w", people.worker), ...ofType("a", people.applicant), ...numbered("c", credentials)])
}

const named = (names: Names, id: string): string => names.get(id) ?? id

/** Examples: `link a1`, `transfer from w1 to w2`. */
export const operationInWords = (names: Names, operation: Operation): string => {
  switch (operation.verb) {
    case "link":
      return `link ${named(names, operation.to.id)}`
    case "unlink":
      return `unlink ${named(names, operation.from.id)}`
    case "transfer":
      return `transfer from ${named(names, operation.from.id)} to ${named(names, operation.to.id)}`
  }
}

/** Examples: `w1 and a1`, `w1 alone`, `nobody`. */
export const ownersInWords = (names: Names, { applicant, worker }: Pick<SlotState, "worker" | "applicant">): string => {
  const owners = [worker, applicant].flatMap((id) => (id === null ? [] : [named(names, id)]))
  return owners.length === 2 ? owners.join(" and ") : owners.length === 1 ? `${owners.join("")} alone` : "nobody"
}

/** The ids of the short names in some lines: `w1 is wkr_…`. Owners that do not exist have the number 0. */
export const legend = (names: Names, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const told = lines.join("\n")
  const used = [...names].filter(([, name]) => new RegExp(`\\b${name}\\b`).test(told))
  return used.length === 0 ? [] : [used.map(([id, name]) => `${name} is ${id}`).join(", ")]
}
