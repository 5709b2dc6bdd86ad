import type { Instant } from "../shared/Instant.ts"

/** The runs of a tenant about one kind of credential, of which at least one is due some time. */
export interface RunQueue {
  readonly tenantId: string
  /** A code of the catalogue: each kind may have a register of its own. */
  readonly credentialType: string
  /** When the first of them is due. */
  readonly dueAt: Instant
  /** How many of them are claimed, by whomever. */
  readonly held: number
}

/** How many runs somebody can take. */
export interface Places {
  readonly limit: number
  /** How many about one kind of credential, so that a register that is slow holds up no other. */
  readonly perType: number
  /** How many are taken already about each kind, by the same. */
  readonly takenByType: ReadonlyMap<string, number>
}

const placesOf = ({ perType, takenByType }: Places, credentialType: string): number =>
  Math.max(0, perType - (takenByType.get(credentialType) ?? 0))

/** The places that are left when some more are taken, each named by its kind of credential. */
export const placesAfter = (places: Places, taken: ReadonlyArray<string>): Places => {
  const takenByType = new Map(places.takenByType)
  for (const credentialType of taken) takenByType.set(credentialType, (takenByType.get(credentialType) ?? 0) + 1)
  return { ...places, limit: places.limit - taken.length, takenByType }
}

/** What waits for a turn in a queue, with how many of its tenant's runs are claimed in all. */
export type QueueInTurn<Queue extends RunQueue = RunQueue> = Queue & { readonly heldOfTenant: number }

interface Due {
  readonly dueAt: Instant
}

/** What is due in some queues, each with its longest due first. */
type DueByQueue<One> = ReadonlyArray<{ readonly queue: QueueInTurn; readonly due: ReadonlyArray<One & Due> }>

interface Waiting<One> {
  readonly queue: QueueInTurn
  readonly one: One & Due
  /** Which of those that are claimed it would be, from 0. */
  readonly turn: number
}

const inOrder = <One>(waiting: ReadonlyArray<Waiting<One>>): ReadonlyArray<Waiting<One>> =>
  waiting.toSorted((first, second) => first.turn - second.turn || first.one.dueAt - second.one.dueAt)

/**
 * What is to be taken of that. Every tenant has as many claimed as every other that waits, within a tenant every kind of
 * credential; among equals who waits longest is first.
 */
export const inTurn = <One>(due: DueByQueue<One>, places: Places): ReadonlyArray<One & Due> => {
  const waiting = due.flatMap(({ due: own, queue }) =>
    own.map((one, place) => ({ queue, one, turn: queue.held + place }))
  )
  const byTenant = Map.groupBy(waiting, ({ queue }) => queue.tenantId)
  const turns = [...byTenant.values()].flatMap((own) =>
    inOrder(own).map((each, place) => ({ ...each, turn: each.queue.heldOfTenant + place }))
  )
  const byType = Map.groupBy(inOrder(turns), ({ queue }) => queue.credentialType)
  const placed = [...byType].flatMap(([type, all]) => all.slice(0, placesOf(places, type)))
  return inOrder(placed)
    .slice(0, places.limit)
    .map(({ one }) => one)
}

/** The queues whose runs are to be looked at, of all: those from which one would be taken if each had no other. */
export const queuesInTurn = <Queue extends RunQueue>(
  queues: ReadonlyArray<Queue>,
  now: Instant,
  places: Places
): ReadonlyArray<QueueInTurn<Queue>> => {
  const heldOfTenant = new Map<string, number>()
  for (const { held, tenantId } of queues) heldOfTenant.set(tenantId, (heldOfTenant.get(tenantId) ?? 0) + held)
  const due = queues
    .filter(({ dueAt }) => dueAt <= now)
    .map((queue) => ({ ...queue, heldOfTenant: heldOfTenant.get(queue.tenantId) ?? 0 }))
  return inTurn(
    due.map((queue) => ({ queue, due: [queue] })),
    places
  )
}

/** When the next run is due that there is a place for; null where none is. */
export const nextDueAt = (queues: ReadonlyArray<RunQueue>, places: Places): Instant | null => {
  if (places.limit <= 0) return null
  const open = queues.filter(({ credentialType }) => placesOf(places, credentialType) > 0)
  return open.length === 0 ? null : Math.min(...open.map(({ dueAt }) => dueAt))
}
