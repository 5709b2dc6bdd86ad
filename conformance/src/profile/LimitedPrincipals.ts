import type { PrincipalName } from "./Principals.ts"
import { type Limited, type Operation, operations, type Profile } from "./Profile.ts"

/** A limited principal of the profile and its name in calls. */
export interface Holder {
  readonly name: Extract<PrincipalName, `limited.${number}`>
  readonly limited: Limited
}

/** Returns the limited principals in the order of the profile. */
export const holdersOf = ({ principals }: Profile): ReadonlyArray<Holder> =>
  (principals.limited ?? []).map((limited, nth) => ({ name: `limited.${nth}`, limited }))

/** Returns the distinct operations of a principal on an entity type. */
export const operationsOn = ({ limited }: Holder, entity: string): ReadonlyArray<Operation> =>
  Object.hasOwn(limited.privileges, entity) ? [...new Set(limited.privileges[entity])] : []

export const may = ({ limited: { privileges } }: Holder, entity: string, operation: Operation): boolean =>
  Object.hasOwn(privileges, entity) && privileges[entity]?.includes(operation) === true

/** Returns the entity types that a principal has an operation on. */
const typesOf = (holder: Holder, operation: Operation): ReadonlyArray<string> =>
  Object.keys(holder.limited.privileges).filter((entity) => may(holder, entity, operation))

/** Returns all privileges of a principal, such as `worker READ`. */
const privilegesOf = (holder: Holder): ReadonlyArray<string> =>
  Object.keys(holder.limited.privileges).flatMap((entity) =>
    operationsOn(holder, entity).map((operation) => `${entity} ${operation}`)
  )

/** A cache: a sweep compares the same principals at every call. */
const counts = new WeakMap<Limited, number>()

const countOf = ({ limited }: Holder): number => {
  const known = counts.get(limited)
  if (known !== undefined) return known
  const count = Object.values(limited.privileges).reduce((sum, operations) => sum + new Set(operations).size, 0)
  counts.set(limited, count)
  return count
}

/** Whether a principal has no privilege at all. */
export const mayNothing = (holder: Holder): boolean => countOf(holder) === 0

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

/** The most calls by principals with the same operation on another entity type, over all types of a profile. */
const mostAlike = 400

/** Returns the entity types that any of the principals has an operation on. */
const typesWith = (holders: ReadonlyArray<Holder>, operation: Operation): ReadonlyArray<string> =>
  [...new Set(holders.flatMap((holder) => typesOf(holder, operation)))].toSorted()

/** Returns how many principals can try each call, so that a profile with a token for each privilege stays affordable. */
const mostAtOneCall = (holders: ReadonlyArray<Holder>): number => {
  const counts = operations.map((operation) => typesWith(holders, operation).length)
  const callsWith = (most: number) => counts.reduce((sum, count) => sum + count * Math.min(count - 1, most), 0)
  const largest = Math.max(...counts)
  return (
    Array.from({ length: largest }, (_, index) => largest - index).find((most) => callsWith(most) <= mostAlike) ?? 2
  )
}

/** Returns, of the principals with an operation on the same one type, that with the fewest privileges. */
export const leastAlike = (holders: ReadonlyArray<Holder>, holder: Holder, operation: Operation): Holder => {
  const [type, ...others] = typesOf(holder, operation)
  if (type === undefined || others.length > 0) return holder
  const them = holders.filter((one) => typesOf(one, operation).join() === type)
  return them.toSorted((left, right) => countOf(left) - countOf(right))[0] ?? holder
}

/** Returns the list with its first `count` elements moved to the end. */
const turned = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const from = all.length === 0 ? 0 : count % all.length
  return [...all.slice(from), ...all.slice(0, from)]
}

/**
 * Returns those of some principals that tell most about calls of one operation on an entity type: those with the
 * operation on another type, and one without privileges. A deployment that confuses entity types lets those through. If
 * they are many, each type gets others of them in turn. `all` are those of the profile.
 */
export const tellingMost = (
  them: ReadonlyArray<Holder>,
  entity: string,
  operation: Operation,
  all: ReadonlyArray<Holder>
): ReadonlyArray<Holder> => {
  const alike = them.filter((holder) => Object.values(holder.limited.privileges).some((own) => own.includes(operation)))
  // a list and a single resource are read, so each by one less
  const most = mostAtOneCall(all) - (operation === "READ" ? 1 : 0)
  const turn = most * typesWith(all, operation).filter((type) => type < entity).length
  const some = alike.length > 0 ? turned(alike, turn) : them.filter((holder) => countOf(holder) > 0)
  const none = them.filter((holder) => countOf(holder) === 0)
  return [...some.slice(0, alike.length > 0 ? most : 1), ...none]
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
