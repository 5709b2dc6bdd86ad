import { Context, Effect, Layer } from "effect"
import { type Heartbeat, type LeaseTable, rebalance, type WorkerLeases } from "./Rebalance.ts"

/** The kinds of work. Each has its own leases, so that slow verifications do not delay deliveries. */
export const leaseKinds = [
  "delivery",
  "verification",
  "audit",
  "warning",
  "compliance",
  "erasure",
  "schedule",
  "import",
  "message"
] as const

export type LeaseKind = (typeof leaseKinds)[number]

/** Leases the partitions of due work to workers. Infrastructure failures die. */
export class LeaseStore extends Context.Service<
  LeaseStore,
  {
    /**
     * Renews the worker's leases for `leaseMillis` and rebalances them by `rebalance`, in one transaction. Heartbeats of
     * one kind never run concurrently, so no partition has two workers. A worker without heartbeats loses its leases
     * after `leaseMillis`. Forgets the predecessors.
     */
    readonly beat: (
      kind: LeaseKind,
      heartbeat: Heartbeat & {
        /** How long the leases last. */
        readonly leaseMillis: number
      }
    ) => Effect.Effect<WorkerLeases>
  }
>()("@wcs/domain/LeaseStore") {}

const none: LeaseTable = { leases: [], workers: [] }

/** Leases within this process. */
export const make = Effect.sync(() => {
  const tables = new Map<LeaseKind, LeaseTable>()
  return LeaseStore.of({
    beat: (kind, { leaseMillis, ...heartbeat }) =>
      Effect.sync(() => {
        const { isLeaving, now, predecessors, worker } = heartbeat
        const table = tables.get(kind) ?? none
        const share = rebalance(table, heartbeat)
        const until = now + leaseMillis
        const isOwn = new Set([...share.leased, ...share.released])
        tables.set(kind, {
          leases: [
            ...table.leases.filter(({ partition }) => !isOwn.has(partition)),
            ...share.leased.map((partition) => ({ partition, heldBy: worker, heldUntil: until }))
          ],
          workers: [
            ...table.workers.filter(
              ({ id, liveUntil }) => id !== worker && !predecessors.includes(id) && liveUntil > now
            ),
            ...(isLeaving ? [] : [{ id: worker, liveUntil: until }])
          ]
        })
        return share
      })
  })
})

/** For a deployment in which one process does all the work, as with the embedded store. */
export const layer = Layer.effect(LeaseStore, make)
