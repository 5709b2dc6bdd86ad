import { type LeaseKind, LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { Ids } from "@wcs/domain/shared/Id"
import { leasesChanged, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect, Latch } from "effect"
import { EngineSettings } from "../EngineSettings.ts"
import * as Loop from "../Loop.ts"
import * as Measures from "../Measures.ts"
import { Predecessors } from "./Predecessors.ts"

/** The work that leases are for. */
export interface Work {
  /** The partitions with work in flight. */
  readonly busy: () => ReadonlySet<number>
  /** Drops what was read of other partitions and is not in flight, then looks for work. */
  readonly changed: (isLeased: (partition: number) => boolean) => void
}

/** How long a stop waits for the release of its leases. They expire by themselves. */
const leaveMillis = 5000

const none: ReadonlySet<number> = new Set()

/**
 * Leases a fair share of the partitions, and renews the leases with heartbeats. Releases all of them when the scope
 * closes.
 */
export const make = Effect.fnUntraced(function* (kind: LeaseKind, work: Work) {
  const { leaseMillis } = yield* EngineSettings
  const store = yield* LeaseStore
  const notifications = yield* Notifications
  const clock = yield* Clock.Clock
  const worker = yield* (yield* Ids).ulid
  let predecessors = yield* (yield* Predecessors)(worker)
  const wake = Latch.makeUnsafe(true)
  let isLeaving = false
  let leased = none
  let surplus = none
  /** During a heartbeat, and after a failed one, the partitions that it does not release: work starts in no others. */
  let kept: ReadonlySet<number> | undefined
  let until = 0

  const isActive = (partition: number) =>
    leased.has(partition) &&
    !surplus.has(partition) &&
    kept?.has(partition) !== false &&
    clock.currentTimeMillisUnsafe() < until

  const change = (partitions: ReadonlyArray<number>, above: ReadonlyArray<number>) => {
    leased = new Set(partitions)
    surplus = new Set(above)
    work.changed((partition) => leased.has(partition))
  }

  /** Renews and rebalances the leases. Returns when to do so again, at the latest. */
  const beat = Effect.fnUntraced(function* (busy: ReadonlySet<number>) {
    const now = yield* Clock.currentTimeMillis
    if (now >= until) change([], []) // others may have worked in them meanwhile
    kept = busy
    const share = yield* store.beat(kind, { worker, predecessors, now, leaseMillis, busy, isLeaving })
    predecessors = []
    kept = undefined
    until = now + leaseMillis
    change(share.leased, share.surplus)
    yield* Measures.leased(kind, leased.size)
    if (share.concernsOthers) yield* notifications.notify(leasesChanged)
    return Math.min(leaseMillis / 4, Math.max(1, (share.nextExpiryAt ?? Number.POSITIVE_INFINITY) - now))
  })

  const round = Effect.gen(function* () {
    wake.closeUnsafe()
    // A repeated heartbeat keeps the partitions that are busy now. So the next try starts no work in partitions that it
    // releases.
    const waitMillis = yield* Effect.suspend(() => beat(work.busy())).pipe(Loop.insisting("lease", leaseMillis / 4))
    yield* Effect.raceFirst(wake.await, Effect.sleep(waitMillis))
  })

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isLeaving = true
      return beat(none).pipe(
        Effect.timeoutOption(leaveMillis),
        Effect.catchCause((cause) => Loop.logFailure("lease", cause))
      )
    })
  )
  yield* notifications.listen(leasesChanged, wake)
  yield* Effect.forkScoped(Loop.forEver("lease", round))
  return {
    /** The partitions in which work may start. */
    active: (): ReadonlyArray<number> => {
      if (leased.size > 0 && clock.currentTimeMillisUnsafe() >= until) wake.openUnsafe() // after a pause or a clock step
      return [...leased].filter(isActive)
    },
    isActive,
    /** Call it after work in flight has ended, so that surplus partitions are released. */
    settled: (): void => {
      const busy = surplus.size > 0 ? work.busy() : none
      if ([...surplus].some((partition) => !busy.has(partition))) wake.openUnsafe()
    },
    /** Releases idle partitions now, and each other one when it is idle. */
    leave: (): void => {
      if (!isLeaving) wake.openUnsafe()
      isLeaving = true
    }
  }
})

export type Leases = Effect.Success<ReturnType<typeof make>>
