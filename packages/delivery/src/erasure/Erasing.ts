import { serverActing } from "@wcs/domain/audit/AuditEntry"
import { type Erasure, eventOf } from "@wcs/domain/erasure/Erasure"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { begun, makeFinish } from "@wcs/domain/erasure/Erasures"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect } from "effect"
import { EngineSettings } from "../EngineSettings.ts"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"
import * as Retaining from "./Retaining.ts"

/** The interval of rounds. */
const roundMillis = 60_000

/** The number of erasures that one statement reads. */
const erasuresMax = 100

/**
 * Erases workers for the tenants that this worker leases: finishes erasures that a call began, begins those that a
 * restored backup has undone, and applies the retention of each tenant. An erasure that fails is tried again in the next
 * round, and does not hold up the others. If two workers act on the same lease, both erase the same rows, which changes
 * nothing.
 */
export const start = Effect.gen(function* () {
  const { pollMillis } = yield* EngineSettings
  const store = yield* ErasureStore
  const ids = yield* Ids
  const notifications = yield* Notifications
  const auditId = ids.source("audit")
  const eventId = ids.source("event")
  const finish = makeFinish(store, { auditId, eventId })
  const retain = yield* Retaining.makeRound
  const leases = yield* Leases.make("erasure", { busy: () => new Set(), changed: () => {} })

  const erase = Effect.fn("Erasing.erase")(function* ({ reason, requestId, tenantId, workerId }: Erasure) {
    const actor = serverActing(requestId)
    const now = yield* Clock.currentTimeMillis
    yield* store
      .begin(
        tenantId,
        workerId,
        (basis) => begun(tenantId, workerId, basis, { actor, auditId, now, reason }),
        "person" // a restored erasure can be of a worker that was merged since
      )
      .pipe(
        Effect.flatMap((erasure) => finish(erasure, actor, Number.POSITIVE_INFINITY)),
        // The backup is older than the worker.
        Effect.catchTag("ResourceNotFound", () =>
          store.finish(tenantId, workerId, now, (erasure) => eventOf("worker.erased", erasure, eventId(), now))
        )
      )
    yield* notifications.notify(deliveryDue)
  })

  const isOwn = (tenantId: string): boolean => leases.isActive(partitionOf(tenantId))

  const round = Effect.gen(function* () {
    yield* retain(isOwn).pipe(Loop.apart("The retentions could not be read.", undefined))
    const all = yield* store.unfinished(erasuresMax)
    const own = all.filter(({ tenantId }) => isOwn(tenantId))
    for (const erasure of own) yield* erase(erasure).pipe(Loop.apart("An erasure failed.", undefined))
    // Another worker may erase the others, or this one does not have its leases yet.
    return all.length > 0 ? pollMillis : roundMillis
  })

  yield* Loop.rounds("The erasures could not be read.", roundMillis)(round)
})
