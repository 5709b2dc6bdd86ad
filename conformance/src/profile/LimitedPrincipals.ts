import type { PrincipalName } from "../engine/Session.ts"
import type { Limited, Operation, Profile } from "./Profile.ts"

/** One of the profile's limited principals, and what a call names it by. */
export interface Holder {
  readonly name: Extract<PrincipalName, `limited.${number}`>
  readonly limited: Limited
}

/** The limited principals, in the order in which the profile names them. */
export const holdersOf = ({ principals }: Profile): ReadonlyArray<Holder> =>
  (principals.limited ?? []).map((limited, place) => ({ name: `limited.${place}`, limited }))

/** What a principal may do on an entity type, each operation once. */
export const operationsOn = ({ limited }: Holder, entity: string): ReadonlyArray<Operation> =>
  Object.hasOwn(limited.privileges, entity) ? [...new Set(limited.privileges[entity])] : []

export const may = (holder: Holder, entity: string, operation: Operation): boolean =>
  operationsOn(holder, entity).includes(operation)

/** Every privilege of a principal, as `worker READ`. */
const privilegesOf = (holder: Holder): ReadonlyArray<string> =>
  Object.keys(holder.limited.privileges).flatMap((entity) =>
    operationsOn(holder, entity).map((operation) => `${entity} ${operation}`)
  )

/** How many privileges a principal has in all. */
const countOf = (holder: Holder): number => privilegesOf(holder).length

/** Those who lack an operation on an entity type. */
export const lacking = (holders: ReadonlyArray<Holder>, entity: string, operation: Operation): ReadonlyArray<Holder> =>
  holders.filter((holder) => !may(holder, entity, operation))

/**
 * Those who lack an operation on an entity type and come nearest to it: who may do something else on it, or, where
 * there is nobody, one who may do nothing on it.
 */
export const nearest = (
  holders: ReadonlyArray<Holder>,
  entity: string,
  operation: Operation
): ReadonlyArray<Holder> => {
  const all = lacking(holders, entity, operation)
  const near = all.filter((holder) => operationsOn(holder, entity).length > 0)
  return near.length > 0 ? near : all.slice(0, 1)
}

/** Those who may do nothing on an entity type; who may do the most elsewhere comes first. */
export const strangers = (holders: ReadonlyArray<Holder>, entity: string): ReadonlyArray<Holder> =>
  holders
    .filter((holder) => operationsOn(holder, entity).length === 0)
    .toSorted((left, right) => countOf(right) - countOf(left))

/**
 * As few of these as have every privilege among them that any of these has, and one who has none, where there is one:
 * who else would be asked could show no more.
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

/** Who may do this one operation on an entity type and no other on it, and as little as possible elsewhere. */
export const withOnly = (holders: ReadonlyArray<Holder>, entity: string, operation: Operation): Holder | undefined =>
  holders
    .filter((holder) => may(holder, entity, operation) && operationsOn(holder, entity).length === 1)
    .toSorted((left, right) => countOf(left) - countOf(right))[0]
