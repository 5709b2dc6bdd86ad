import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { messagesOf, recipientsMax } from "@wcs/domain/message/Announcing"
import { keptMillis } from "@wcs/domain/message/Message"
import { roundOf } from "@wcs/domain/message/MessageSettings"
import { MessageStore, type MessagingTenant } from "@wcs/domain/message/MessageStore"
import { dayAt, momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import { messageDue, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect } from "effect"
import * as Loop from "../Loop.ts"
import type { Leases } from "../lease/Leases.ts"

/** The interval of rounds, in milliseconds. */
const roundMillis = 60_000

/** The number of tenants that one statement looks at. */
const tenantsMax = 256

/**
 * Queues the messages of each tenant at its time of day, for the tenants that this worker leases. If two workers act on the
 * same lease, only one of them can queue a round, because the store writes it with the day that the tenant has reached.
 */
export const start = Effect.fnUntraced(function* (leases: Leases) {
  const store = yield* MessageStore
  const notifications = yield* Notifications
  const { privilegesOf } = yield* PrivilegeRules
  const messageId = (yield* Ids).source("message")

  const announce = Effect.fn("Announcing.announce")(function* (tenant: MessagingTenant) {
    const { lastDay, settings, tenantId, timeZone } = tenant
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const round = roundOf(settings, lastDay, moment, timeZone)
    if (round === undefined || !leases.isActive(partitionOf(tenantId))) return
    const at = moment.now - keptMillis
    const stored = yield* store.announce(tenant, round, { at, day: dayAt(at, timeZone) }, recipientsMax, (recipients) =>
      messagesOf(round, recipients, ({ role }) => privilegesOf(role), messageId, moment.now)
    )
    if (stored !== undefined && stored > 0) yield* notifications.notify(messageDue)
    yield* Effect.yieldNow // requests run between two transactions
  })

  const round = Effect.gen(function* () {
    for (let after = ""; ; ) {
      const tenants = yield* store.tenants(after, tenantsMax)
      for (const tenant of tenants)
        yield* announce(tenant).pipe(Loop.apart("The messages of a tenant failed.", undefined))
      const last = tenants.at(-1)
      if (last === undefined || tenants.length < tenantsMax) return yield* Effect.sleep(roundMillis)
      after = last.tenantId
    }
  })

  yield* Effect.forkScoped(Loop.forEver("announce messages", round))
})
