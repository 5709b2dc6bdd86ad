import type { Instant } from "../shared/Instant.ts"

/** The runs of a tenant for one credential type. At least one has a due time. */
export interface RunQueue {
  readonly tenantId: string
  /** Each type may have its own register. */
  readonly credentialType: string
  /** The earliest due time. */
  readonly dueAt: Instant
  /** How many runs are leased, by any worker. */
  readonly leased: number
}

/** How many runs a worker can take. */
export interface Places {
  readonly limit: number
  /** The limit per credential type, so that a slow register does not delay others. */
  readonly perType: number
  /** How many places per type the worker already uses. */
  readonly takenByType: ReadonlyMap<string, number>
}

const placesOf = ({ perType, takenByType }: Places, credentialType: string): number =>
  Math.max(0, perType - (takenByType.get(credentialType) ?? 0))

/** The places left after runs of these types are taken. */
export const placesAfter = (places: Places, taken: ReadonlyArray<string>): Places => {
  const takenByType = new Map(places.takenByType)
  for (const credentialType of taken) takenByType.set(credentialType, (takenByType.get(credentialType) ?? 0) + 1)
  return { ...places, limit: places.limit - taken.length, takenByType }
}

/** A queue with the number of leased runs of its tenant. */
export type QueueInTurn<Queue extends RunQueue = RunQueue> = Queue & { readonly leasedOfTenant: number }

interface Due {
  readonly dueAt: Instant
}

/** The due runs per queue, longest due first. */
type DueByQueue<One> = ReadonlyArray<{ readonly queue: QueueInTurn; readonly due: ReadonlyArray<One & Due> }>

interface Waiting<One> {
  readonly queue: QueueInTurn
  readonly one: One & Due
  /** Its index among the leased runs, from 0. */
  readonly turn: number
}

const inOrder = <One>(waiting: ReadonlyArray<Waiting<One>>): ReadonlyArray<Waiting<One>> =>
  waiting.toSorted((first, second) => first.turn - second.turn || first.one.dueAt - second.one.dueAt)

/**
 * The runs to take. Balances leased runs among tenants, and within a tenant among credential types. Ties go to the
 * longest waiting.
 */
export const inTurn = <One>(due: DueByQueue<One>, places: Places): ReadonlyArray<One & Due> => {
  const waiting = due.flatMap(({ due: own, queue }) =>
    own.map((one, place) => ({ queue, one, turn: queue.leased + place }))
  )
  const byTenant = Map.groupBy(waiting, ({ queue }) => queue.tenantId)
  const turns = [...byTenant.values()].flatMap((own) =>
    inOrder(own).map((each, place) => ({ ...each, turn: each.queue.leasedOfTenant + place }))
  )
  const byType = Map.groupBy(inOrder(turns), ({ queue }) => queue.credentialType)
  const placed = [...byType].flatMap(([type, all]) => all.slice(0, placesOf(places, type)))
  return inOrder(placed)
    .slice(0, places.limit)
    .map(({ one }) => one)
}

/** The queues to read runs from: those that get a place if each had only one run. */
export const queuesInTurn = <Queue extends RunQueue>(
  queues: ReadonlyArray<Queue>,
  now: Instant,
  places: Places
): ReadonlyArray<QueueInTurn<Queue>> => {
  const leasedOfTenant = new Map<string, number>()
  for (const { leased, tenantId } of queues) leasedOfTenant.set(tenantId, (leasedOfTenant.get(tenantId) ?? 0) + leased)
  const due = queues
    .filter(({ dueAt }) => dueAt <= now)
    .map((queue) => ({ ...queue, leasedOfTenant: leasedOfTenant.get(queue.tenantId) ?? 0 }))
  return inTurn(
    due.map((queue) => ({ queue, due: [queue] })),
    places
  )
}

/** When the next run with a free place is due; null when there is none. */
export const nextDueAt = (queues: ReadonlyArray<RunQueue>, places: Places): Instant | null => {
  if (places.limit <= 0) return null
  const open = queues.filter(({ credentialType }) => placesOf(places, credentialType) > 0)
  return open.length === 0 ? null : Math.min(...open.map(({ dueAt }) => dueAt))
}
