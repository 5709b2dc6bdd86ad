import { networksOf } from "../access/Networks.ts"

/** The party that causes work: a tenant, and the key of the client's address if a stranger may be the cause. */
export interface Party {
  readonly tenantId: string
  /** The key of the address. Null for work of a proven user or of the operator. */
  readonly address: string | null
}

/** The party on each level, the widest first. A level continues the one before, so networks count per tenant. */
const levelsOf = ({ address, tenantId }: Party): ReadonlyArray<string> => {
  const networks = address === null ? ["proven"] : ["strangers", ...networksOf(address)]
  return [tenantId, ...networks.map((_, index) => [tenantId, ...networks.slice(0, index + 1)].join(" "))]
}

/** The parties whose places count together: the tenant, and each network over all tenants. */
const sharesOf = ({ address, tenantId }: Party): ReadonlyArray<string> => [
  `tenant ${tenantId}`,
  ...(address === null ? [] : networksOf(address))
]

interface Waiting<One> {
  readonly one: One
  readonly levels: ReadonlyArray<string>
  readonly shares: ReadonlyArray<string>
}

/** Positive if the first share list is greater. Both have the greatest share first. */
const compareShares = (first: ReadonlyArray<number>, second: ReadonlyArray<number>): number => {
  const index = first.findIndex((share, at) => share !== (second[at] ?? 0))
  return index < 0 ? first.length - second.length : (first[index] ?? 0) - (second[index] ?? 0)
}

/**
 * A bounded queue with fair shares (DECISIONS.md#access).
 *
 * - `next` takes turns among tenants, within a tenant between its proven users and the strangers, among these by network,
 *   the widest first, and within the smallest network it is first come, first served. So a party that floods the queue delays another one by a turn.
 * - A newcomer to a full queue takes the place of the party with the greatest share: its latest entry. A party with the
 *   greatest share is refused itself.
 */
export interface FairQueue<One> {
  /** Adds an entry. Returns the entry that lost its place, which can be the new one; undefined if there was room. */
  readonly enter: (one: One) => One | undefined
  /** Removes the entry whose turn it is, and returns it; undefined if the queue is empty. */
  readonly next: () => One | undefined
  /** Removes an entry. Returns whether it was waiting. */
  readonly leave: (one: One) => boolean
}

/** Returns an empty queue for at most `most` entries. */
export const make = <One extends Party>(most: number): FairQueue<One> => {
  /** In the order of arrival. */
  const waiting: Array<Waiting<One>> = []
  /** When each party with waiting entries came or last had its turn. */
  const turnOf = new Map<string, number>()
  let turn = 0

  const remove = (entry: Waiting<One>): One => {
    waiting.splice(waiting.indexOf(entry), 1)
    for (const level of entry.levels) {
      if (!waiting.some(({ levels }) => levels.includes(level))) turnOf.delete(level)
    }
    return entry.one
  }

  /** The entry of the party with the greatest share; of equal ones, the latest. */
  const heaviest = (): Waiting<One> | undefined => {
    const counts = new Map<string, number>()
    for (const share of waiting.flatMap(({ shares }) => shares)) counts.set(share, (counts.get(share) ?? 0) + 1)
    const weightOf = ({ shares }: Waiting<One>) =>
      shares.map((share) => counts.get(share) ?? 0).toSorted((first, second) => second - first)
    return waiting.reduce<{ readonly entry: Waiting<One>; readonly weight: ReadonlyArray<number> } | undefined>(
      (found, entry) => {
        const weight = weightOf(entry)
        return found === undefined || compareShares(weight, found.weight) >= 0 ? { entry, weight } : found
      },
      undefined
    )?.entry
  }

  const compareTurns = (first: Waiting<One>, second: Waiting<One>): number => {
    const index = first.levels.findIndex((level, at) => level !== second.levels[at])
    if (index < 0) return 0
    return (turnOf.get(first.levels[index] ?? "") ?? 0) - (turnOf.get(second.levels[index] ?? "") ?? 0)
  }

  return {
    enter: (one) => {
      const entry = { one, levels: levelsOf(one), shares: sharesOf(one) }
      waiting.push(entry)
      for (const level of entry.levels) if (!turnOf.has(level)) turnOf.set(level, ++turn)
      if (waiting.length <= most) return undefined
      const lost = heaviest()
      return lost === undefined ? undefined : remove(lost)
    },

    next: () => {
      const [first, ...others] = waiting
      if (first === undefined) return undefined
      const chosen = others.reduce((best, entry) => (compareTurns(entry, best) < 0 ? entry : best), first)
      turn++
      for (const level of chosen.levels) turnOf.set(level, turn)
      return remove(chosen)
    },

    leave: (one) => {
      const entry = waiting.find((each) => each.one === one)
      if (entry !== undefined) remove(entry)
      return entry !== undefined
    }
  }
}
