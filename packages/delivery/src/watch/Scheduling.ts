import { serverUrn } from "@wcs/domain/audit/AuditEntry"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { DefaultSchedule, haltOf, isWatched, type Plan, plansOf } from "@wcs/domain/schedule/Plan"
import { behindMillis, dueSince, roundMillis } from "@wcs/domain/schedule/Schedule"
import { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import { Notifications, verificationDue } from "@wcs/domain/shared/Notifications"
import { DefaultSource } from "@wcs/domain/verification/DefaultSource"
import { Clock, Effect } from "effect"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"
import * as Measures from "../Measures.ts"

/** The number of tenants that are read together. */
const tenantsMax = 64

/** The number of credentials of a transaction. */
const cardsMax = 256

/**
 * Starts the scheduled verifications of the tenants that this worker leases. The number of open verifications of a
 * schedule is limited, so an outage ends without a burst. If two workers act on the same lease, only one of them can
 * start a verification, because the store writes it with the place that the schedule has reached.
 */
export const start = Effect.gen(function* () {
  const settings = { ...(yield* DefaultSource), ...(yield* DefaultSchedule) }
  const store = yield* ScheduleStore
  const notifications = yield* Notifications
  const ids = yield* Ids
  const verificationId = ids.source("verification")
  const leases = yield* Leases.make("schedule", { busy: () => new Set(), changed: () => {} })

  /** Starts what is due of a plan. Returns whether more is due. */
  const startDue = Effect.fn("Scheduling.startDue")(function* (plan: Plan) {
    if (haltOf(plan) !== undefined) return false
    const { now, today } = momentAt(yield* Clock.currentTimeMillis, plan.timeZone)
    const done = yield* store.start(plan, dueSince(plan, now), cardsMax, (credential, owners) => {
      if (!isWatched(plan, credential, owners, today)) return undefined
      const requestId = ids.ulidAt(now)
      const started = { correlationId: requestId, requestId, trigger: "schedule", account: serverUrn } as const
      return { ...started, id: verificationId(), credentialId: credential.id, requestedAt: now, outcome: null }
    })
    if (done !== undefined && done.started > 0) {
      yield* Measures.scheduled(done.started)
      yield* notifications.notify(verificationDue)
    }
    yield* Effect.yieldNow // requests run between two transactions
    return done?.isBehind ?? false
  })

  const round = Effect.gen(function* () {
    let isBehind = false
    for (let after = ""; ; ) {
      const tenants = yield* store.tenants(after, tenantsMax)
      for (const tenant of tenants.filter(({ tenantId }) => leases.isActive(partitionOf(tenantId)))) {
        for (const plan of plansOf(tenant, settings)) {
          const more = yield* startDue(plan).pipe(Loop.apart("The schedule of a register failed.", false))
          isBehind = more || isBehind
        }
      }
      const last = tenants.at(-1)
      if (last === undefined || tenants.length < tenantsMax) return isBehind ? behindMillis : roundMillis
      after = last.tenantId
    }
  })

  yield* Loop.rounds("Scheduled verifications failed to start.", roundMillis)(round)
})
