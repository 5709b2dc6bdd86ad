import { partitionOf } from "@wcs/domain/lease/Partition"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, messageDue, Notifications } from "@wcs/domain/shared/Notifications"
import { WarningSettings, warnedOf } from "@wcs/domain/watch/ExpiryWarning"
import { portionOf, type WarnedTenant, WarningStore } from "@wcs/domain/watch/WarningStore"
import { Clock, Effect } from "effect"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"
import * as Measures from "../Measures.ts"

/** The interval of rounds. A tenant's day begins at its own midnight. */
const roundMillis = 15 * 60_000

/** The number of tenants that one statement looks at. */
const tenantsMax = 256

/** The number of cards of a transaction. */
const cardsMax = 64

/**
 * Warns of cards that expire, once on each of their days, for the tenants that this worker leases. After a time without a
 * worker the days that were missed are caught up, with one warning a card at most. If two workers act on the same lease,
 * only one of them can send a warning, because the store writes it with the place that the round has reached.
 */
export const start = Effect.gen(function* () {
  const settings = yield* WarningSettings
  const store = yield* WarningStore
  const notifications = yield* Notifications
  const ids = yield* Ids
  const minted = { eventId: ids.source("event"), messageId: ids.source("message") }
  const leases = yield* Leases.make("warning", { busy: () => new Set(), changed: () => {} })

  /** Sends all warnings of a tenant up to today. */
  const warn = Effect.fn("Warning.warn")(function* (first: WarnedTenant) {
    for (let tenant: WarnedTenant | undefined = first; tenant !== undefined; ) {
      const moment = momentAt(yield* Clock.currentTimeMillis, tenant.timeZone)
      const portion = portionOf(tenant, moment.today, settings, cardsMax)
      if (portion === undefined || !leases.isActive(partitionOf(tenant.tenantId))) return
      const warned = yield* store.warn(portion, (credential, owners) => warnedOf(credential, owners, minted, moment))
      if (warned !== undefined && warned.events > 0) {
        yield* Measures.warned(warned.events)
        yield* notifications.notify(deliveryDue)
      }
      if (warned !== undefined && warned.messages > 0) yield* notifications.notify(messageDue)
      yield* Effect.yieldNow // requests run between two transactions
      tenant = warned?.tenant
    }
  })

  const round = Effect.gen(function* () {
    for (let after: string | null = null; ; ) {
      const tenants: ReadonlyArray<WarnedTenant> = yield* store.tenants(after, tenantsMax)
      for (const tenant of tenants) yield* warn(tenant).pipe(Loop.apart("The warnings of a tenant failed.", undefined))
      const last = tenants.at(-1)
      if (last === undefined || tenants.length < tenantsMax) return roundMillis
      after = last.tenantId
    }
  })

  yield* Loop.rounds("Warning of cards that expire failed.", roundMillis)(round)
})
