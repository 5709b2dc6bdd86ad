import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { KeptComplianceStore, type KeptTenant } from "@wcs/domain/screening/KeptComplianceStore"
import { makeKeepNext } from "@wcs/domain/screening/KeptEvaluation"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect } from "effect"
import { EngineSettings } from "../EngineSettings.ts"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"

/** The number of batches of a tenant before the next tenant has its turn. */
const turnMax = 16

/** The number of tenants that a round looks at. More take several rounds, so that an idle worker costs little. */
const tenantsMax = 256

/** Whether a tenant has uncertain statuses. */
export const isDue = ({ firstDay, isMarked, isOutdated, timeZone }: KeptTenant, now: number): boolean =>
  isMarked || isOutdated || (firstDay !== null && firstDay < dayAt(now, timeZone))

/**
 * Evaluates the workers of leased tenants whose compliance may have changed, keeps their statuses, and stores the events
 * of changed results. The rows tell what is left, so a killed worker loses nothing. If two workers act on the same
 * lease, only one of them can keep a status.
 */
export const start = Effect.gen(function* () {
  const { pollMillis } = yield* EngineSettings
  const kept = yield* KeptComplianceStore
  const notifications = yield* Notifications
  const keepNext = makeKeepNext(yield* ResourceStore, kept, (yield* Ids).source("event"))
  const leases = yield* Leases.make("compliance", { busy: () => new Set(), changed: () => {} })

  /** Evaluates up to `turnMax` batches of a tenant. Returns whether more may be left. */
  const turn = Effect.fnUntraced(function* ({ tenantId, timeZone }: KeptTenant) {
    for (let batch = 0; batch < turnMax; batch++) {
      const { events, isMore } = yield* keepNext(tenantId, timeZone)
      if (events > 0) yield* notifications.notify(deliveryDue)
      if (!isMore) return false
      yield* Effect.yieldNow // requests run between two batches
    }
    return true
  })

  let after: string | null = null

  /** Returns the time until the next round. */
  const round = Effect.gen(function* () {
    if (leases.active().length === 0) return pollMillis
    const now = yield* Clock.currentTimeMillis
    let isMore = false
    const tenants = yield* kept.tenants(after, tenantsMax)
    after = tenants.length < tenantsMax ? null : (tenants.at(-1)?.tenantId ?? null)
    for (const tenant of tenants) {
      if (!leases.isActive(partitionOf(tenant.tenantId)) || !isDue(tenant, now)) continue
      if (yield* turn(tenant).pipe(Loop.apart("The evaluation of a tenant failed.", false))) isMore = true
    }
    return isMore ? 0 : pollMillis
  })

  yield* Loop.rounds("The evaluation of compliance failed.", pollMillis)(round)
})
