import { serverUrn } from "@wcs/domain/audit/AuditEntry"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import { Notifications, verificationDue } from "@wcs/domain/shared/Notifications"
import { behindMillis, dueSince, isWatched, roundMillis, startsMax } from "@wcs/domain/watch/Schedule"
import { type ScheduledSource, ScheduleStore } from "@wcs/domain/watch/ScheduleStore"
import { Cause, Clock, Effect } from "effect"
import * as Leases from "../lease/Leases.ts"

/** The number of sources that one statement reads. */
const sourcesMax = 256

/** The number of credentials of a transaction. */
const cardsMax = 256

/**
 * Starts the scheduled verifications of the tenants that this worker leases. A source that is behind starts at most half
 * of its calls a minute, so an outage ends without a burst. If two workers act on the same lease, only one of them can
 * start a verification, because the store writes it with the place that the schedule has reached.
 */
export const start = Effect.gen(function* () {
  const store = yield* ScheduleStore
  const notifications = yield* Notifications
  const ids = yield* Ids
  const verificationId = ids.source("verification")
  const leases = yield* Leases.make("schedule", { busy: () => new Set(), changed: () => {} })

  /** Starts what is due of a source. Returns whether more is due. */
  const startDue = Effect.fn("Scheduling.startDue")(function* (scheduled: ScheduledSource) {
    const { source, timeZone } = scheduled
    const { now, today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
    if (source.fields.state === "PAUSED" || source.fields.state === "NOT_CONFIGURED") return false
    const limits = { startsMax: startsMax(source), limit: cardsMax }
    const done = yield* store.start(scheduled, dueSince(source, scheduled.stand, now), limits, (credential, owners) => {
      if (!isWatched(source, credential, owners, today)) return undefined
      const requestId = ids.ulidAt(now)
      const started = { correlationId: requestId, requestId, trigger: "schedule", account: serverUrn } as const
      return { ...started, id: verificationId(), credentialId: credential.id, requestedAt: now, outcome: null }
    })
    if (done !== undefined && done.started > 0) yield* notifications.notify(verificationDue)
    return done?.isBehind ?? false
  })

  const round = Effect.gen(function* () {
    let isBehind = false
    for (let after = { tenantId: "", sourceId: "" }; ; ) {
      const sources = yield* store.sources(after, sourcesMax)
      for (const scheduled of sources) {
        if (leases.isActive(partitionOf(scheduled.tenantId))) isBehind = (yield* startDue(scheduled)) || isBehind
        yield* Effect.yieldNow // requests run between two transactions
      }
      const last = sources.at(-1)
      if (last === undefined || sources.length < sourcesMax) return isBehind ? behindMillis : roundMillis
      after = { tenantId: last.tenantId, sourceId: last.source.id }
    }
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("Scheduled verifications failed to start.", Cause.pretty(cause)), roundMillis)
    )
  )

  yield* round.pipe(Effect.flatMap(Effect.sleep), Effect.forever, Effect.forkScoped)
})
