import type { PrincipalName } from "../engine/Session.ts"
import type { Limited, Operation, Profile } from "./Profile.ts"

/** A limited principal of the profile and its name in calls. */
export interface Holder {
  readonly name: Extract<PrincipalName, `limited.${number}`>
  readonly limited: Limited
}

/** Returns the limited principals in the order of the profile. */
export const holdersOf = ({ principals }: Profile): ReadonlyArray<Holder> =>
  (principals.limited ?? []).map((limited, place) => ({ name: `limited.${place}`, limited }))

/** Returns the distinct operations of a principal on an entity type. */
export const operationsOn = ({ limited }: Holder, entity: string): ReadonlyArray<Operation> =>
  Object.hasOwn(limited.privileges, entity) ? [...new Set(limited.privileges[entity])] : []

export const may = (holder: Holder, entity: string, operation: Operation): boolean =>
  operationsOn(holder, entity).includes(operation)

/** Returns all privileges of a principal, such as `worker READ`. */
const privilegesOf = (holder: Holder): ReadonlyArray<string> =>
  Object.keys(holder.limited.privileges).flatMap((entity) =>
    operationsOn(holder, entity).map((operation) => `${entity} ${operation}`)
  )

const countOf = ({ limited }: Holder): number =>
  Object.values(limited.privileges).reduce((count, operations) => count + new Set(operations).size, 0)

/** Returns the principals without an operation on an entity type. */
export const lacking = (holders: ReadonlyArray<Holder>, entity: string, operation: Operation): ReadonlyArray<Holder> =>
  holders.filter((holder) => !may(holder, entity, operation))

/**
 * Returns the fewest principals that together have all privileges, and one without any. More principals would show
 * nothing new.
 */
export const covering = (holders: ReadonlyArray<Holder>): ReadonlyArray<Holder> => {
  const covered = new Set<string>()
  const most = holders.toSorted((left, right) => countOf(right) - countOf(left))
  const some = most.filter((holder) => {
    const further = privilegesOf(holder).filter((privilege) => !covered.has(privilege))
    for (const privilege of further) covered.add(privilege)
    return further.length > 0
  })
  return [...some, ...most.filter((holder) => countOf(holder) === 0).slice(0, 1)]
}

/**
 * Returns the principals that lack an operation on an entity type and have another operation on it: the fewest that
 * together have all privileges of these. Adds one principal with the fewest privileges.
 */
export const nearest = (
  holders: ReadonlyArray<Holder>,
  entity: string,
  operation: Operation
): ReadonlyArray<Holder> => {
  const all = lacking(holders, entity, operation)
  const near = covering(all.filter((holder) => operationsOn(holder, entity).length > 0))
  const least = all.toSorted((left, right) => countOf(left) - countOf(right)).slice(0, 1)
  return [...near, ...least.filter((holder) => !near.includes(holder))]
}

/** Returns the principals without privileges on an entity type, those with most other privileges first. */
export const strangers = (holders: ReadonlyArray<Holder>, entity: string): ReadonlyArray<Holder> =>
  holders
    .filter((holder) => operationsOn(holder, entity).length === 0)
    .toSorted((left, right) => countOf(right) - countOf(left))

/** The number of principals with privileges that are tried at one call. */
const mostAtOneCall = 5

/** Returns the list with its first `count` elements moved to the end. */
const turned = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const from = all.length === 0 ? 0 : count % all.length
  return [...all.slice(from), ...all.slice(0, from)]
}

/**
 * Returns those of some principals that tell most about a call on an entity type: the first, those with the same
 * operation elsewhere, then others, and one without privileges. A profile with a token for each privilege has dozens,
 * so each entity type gets others of them in turn.
 */
export const tellingMost = (
  them: ReadonlyArray<Holder>,
  entity: string,
  operation: Operation
): ReadonlyArray<Holder> => {
  const [first, ...others] = them.filter((holder) => countOf(holder) > 0)
  if (first === undefined || others.length < mostAtOneCall) return them
  const types = [...new Set(them.flatMap(({ limited }) => Object.keys(limited.privileges)))].toSorted()
  const turn = types.filter((type) => type < entity).length * mostAtOneCall
  const isAlike = (holder: Holder) => Object.values(holder.limited.privileges).some((own) => own.includes(operation))
  const alike = turned(others.filter(isAlike), turn)
  const unlike = turned(
    others.filter((holder) => !isAlike(holder)),
    turn
  )
  const most = [first, ...alike, ...unlike].slice(0, mostAtOneCall)
  return [...most, ...them.filter((holder) => countOf(holder) === 0)]
}

/** Returns some of the covering principals: those with most privileges, and one without any. */
export const covered = (holders: ReadonlyArray<Holder>, count: number): ReadonlyArray<Holder> => {
  const all = covering(holders)
  const none = all.filter((holder) => countOf(holder) === 0)
  return [...all.filter((holder) => countOf(holder) > 0).slice(0, count - none.length), ...none]
}

/** Returns a principal with exactly this operation on an entity type and the fewest other privileges. */
export const withOnly = (holders: ReadonlyArray<Holder>, entity: string, operation: Operation): Holder | undefined =>
  holders
    .filter((holder) => may(holder, entity, operation) && operationsOn(holder, entity).length === 1)
    .toSorted((left, right) => countOf(left) - countOf(right))[0]
