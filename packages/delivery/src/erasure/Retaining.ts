import { ErasureStore, type TenantRetention } from "@wcs/domain/erasure/ErasureStore"
import { retained, stepOf } from "@wcs/domain/erasure/Retention"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect, Result } from "effect"
import * as Loop from "../Loop.ts"

/** The number of tenants, and of workers, that one statement reads. */
const tenantsMax = 256
const workersMax = 500

/**
 * Returns a round of the retention of tenants: announces the erasure of workers who have left, withdraws announcements and
 * begins the erasures that are due. It looks at the workers of a tenant once a day, and again if the retention changes.
 * Each decision is made in the transaction that writes it, so it can be repeated by any number of workers.
 */
export const makeRound = Effect.gen(function* () {
  const store = yield* ErasureStore
  const ids = yield* Ids
  const notifications = yield* Notifications
  const [auditId, eventId] = [ids.source("audit"), ids.source("event")]
  const seen = new Map<string, string>()

  const decide = Effect.fnUntraced(function* (tenantId: string, workerId: string, timeZone: string) {
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const acting = { auditId, eventId, moment, requestId: yield* ids.ulid }
    yield* store.begin(tenantId, workerId, (basis) => Result.succeed(retained(tenantId, basis, acting)))
  })

  const retain = Effect.fn("Retaining.retain")(function* (tenantId: string, retention: TenantRetention) {
    const { retentionYears, timeZone } = retention
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const key = `${moment.today} ${timeZone} ${retentionYears}`
    if (seen.get(tenantId) === key) return
    for (let after = "", isMore = true; isMore; ) {
      const leavers = yield* store.leavers(tenantId, after, workersMax)
      for (const leaver of leavers) {
        if (stepOf(leaver, retention, moment)._tag !== "Keep") yield* decide(tenantId, leaver.worker.id, timeZone)
      }
      after = leavers.at(-1)?.worker.id ?? after
      isMore = leavers.length === workersMax
      yield* Effect.yieldNow // other work of the process runs between two reads
    }
    seen.set(tenantId, key)
    yield* notifications.notify(deliveryDue)
  })

  return Effect.fnUntraced(function* (isOwn: (tenantId: string) => boolean) {
    for (let after: string | null = null; ; ) {
      const tenants: ReadonlyArray<TenantRetention & { readonly tenantId: string }> = yield* store.retaining(
        after,
        tenantsMax
      )
      for (const { tenantId, ...retention } of tenants) {
        if (!isOwn(tenantId)) continue
        yield* retain(tenantId, retention).pipe(Loop.apart("The retention of a tenant failed.", undefined))
      }
      const last = tenants.at(-1)
      if (last === undefined || tenants.length < tenantsMax) return
      after = last.tenantId
    }
  })
})
