import type { Instant } from "../shared/Instant.ts"
import { partitionCount } from "./Partition.ts"

/** The lease of a partition. It expires unless its worker renews it. */
export interface Lease {
  readonly partition: number
  readonly heldBy: string
  readonly heldUntil: Instant
}

/** A worker and when it counts as crashed, unless it sends another heartbeat. */
export interface LiveWorker {
  readonly id: string
  readonly liveUntil: Instant
}

/** All leases and workers of one kind of work. */
export interface LeaseTable {
  readonly leases: ReadonlyArray<Lease>
  readonly workers: ReadonlyArray<LiveWorker>
}

/** The state of a worker at a heartbeat. */
export interface Heartbeat {
  /** The unique id of the worker. */
  readonly worker: string
  /** Ids of workers that have ended, perhaps without releasing their leases. The worker takes these leases over. */
  readonly predecessors: ReadonlyArray<string>
  readonly now: Instant
  /** Partitions with work in flight. They are not released. */
  readonly busy: ReadonlySet<number>
  /** The worker stops: its share is empty, and it no longer counts for the shares of others. */
  readonly isLeaving: boolean
}

/** The leases of a worker after a heartbeat. */
export interface WorkerLeases {
  /** All partitions that the worker leases. */
  readonly leased: ReadonlyArray<number>
  /** Busy ones above the fair share. The worker starts nothing new in them, and releases them when they are idle. */
  readonly surplus: ReadonlyArray<number>
  /** The partitions that this heartbeat released. */
  readonly released: ReadonlyArray<number>
  /** Whether other workers have to rebalance: the worker joined or leaves, or released a partition. */
  readonly concernsOthers: boolean
  /** When the first lease or worker of the others expires; null when there is none. */
  readonly nextExpiryAt: Instant | null
}

const all: ReadonlyArray<number> = Array.from({ length: partitionCount }, (_, partition) => partition)

/**
 * The share of a worker: the partitions divided by the live workers, rounded up. The worker takes free partitions up to
 * its share. It releases its last partitions above the share, even busy ones, so that it keeps no more than its share
 * of the work. It keeps an expired lease that no other worker took. The leases of its predecessors count as its own.
 */
export const rebalance = ({ leases, workers }: LeaseTable, heartbeat: Heartbeat): WorkerLeases => {
  const { busy, isLeaving, now, predecessors, worker } = heartbeat
  const isOwn = (id: string) => id === worker || predecessors.includes(id)
  const others = leases.filter(({ heldBy, heldUntil }) => !isOwn(heldBy) && heldUntil > now)
  const otherWorkers = workers.filter(({ id, liveUntil }) => !isOwn(id) && liveUntil > now)
  const own = leases
    .filter(({ heldBy }) => isOwn(heldBy))
    .map(({ partition }) => partition)
    .sort((one, two) => one - two)
  const share = isLeaving ? 0 : Math.ceil(partitionCount / (otherWorkers.length + 1))
  const isTaken = new Set([...own, ...others.map(({ partition }) => partition)])
  const acquired = all.filter((partition) => !isTaken.has(partition)).slice(0, Math.max(0, share - own.length))
  const excess = own.slice(Math.min(own.length, share))
  const released = excess.filter((partition) => !busy.has(partition))
  const isKnown = workers.some(({ id, liveUntil }) => id === worker && liveUntil > now)
  const expiries = [...others.map(({ heldUntil }) => heldUntil), ...otherWorkers.map(({ liveUntil }) => liveUntil)]
  return {
    leased: [...own.filter((partition) => !released.includes(partition)), ...acquired],
    surplus: excess.filter((partition) => busy.has(partition)),
    released,
    concernsOthers: released.length > 0 || isKnown === isLeaving,
    nextExpiryAt: expiries.length === 0 ? null : Math.min(...expiries)
  }
}
