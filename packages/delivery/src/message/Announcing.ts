import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { messageIdOf, messagesOf, recipientsMax } from "@wcs/domain/message/Announcing"
import { keptMillis } from "@wcs/domain/message/Message"
import { roundOf } from "@wcs/domain/message/MessageSettings"
import { MessageStore, type MessagingTenant } from "@wcs/domain/message/MessageStore"
import * as Reminders from "@wcs/domain/message/Reminders"
import { dayAt, momentAt } from "@wcs/domain/shared/CalendarDay"
import { Digest } from "@wcs/domain/shared/Digest"
import { messageDue, messagesChanged, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect, type Latch } from "effect"
import * as Loop from "../Loop.ts"
import type { Leases } from "../lease/Leases.ts"

/** The interval of rounds, in milliseconds. A change of settings causes one, too. */
const roundMillis = 60_000

/** The number of tenants that one statement looks at. */
const tenantsMax = 256

/**
 * Queues the messages of each tenant at its time of day, for the tenants that this worker leases. If two workers act on the
 * same lease, only one of them can queue a round, because the store writes it with the day that the tenant has reached.
 */
export const start = Effect.fnUntraced(function* (leases: Leases, wake: Latch.Latch) {
  const store = yield* MessageStore
  const notifications = yield* Notifications
  const { privilegesOf } = yield* PrivilegeRules
  const { sha256 } = yield* Digest
  const remind = yield* Reminders.make

  const announce = Effect.fn("Announcing.announce")(function* (tenant: MessagingTenant) {
    const { lastDay, settings, tenantId, timeZone } = tenant
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const round = roundOf(settings, lastDay, moment, timeZone)
    if (round === undefined || !leases.isActive(partitionOf(tenantId))) return
    // Before the day is stored, so that a lost worker misses none.
    const reminders = yield* remind(tenant, moment).pipe(Loop.apart("The reminders of a tenant failed.", 0))
    const forgetDay = dayAt(moment.now - keptMillis, timeZone)
    const stored = yield* store.announce(tenant, round, forgetDay, recipientsMax, (recipients) =>
      messagesOf(
        round,
        recipients,
        ({ role }) => privilegesOf(role),
        (message) => messageIdOf(sha256, tenantId, message),
        moment.now
      )
    )
    if (reminders + (stored ?? 0) > 0) yield* notifications.notify(messageDue)
    yield* Effect.yieldNow // requests run between two transactions
  })

  const round = Effect.gen(function* () {
    wake.closeUnsafe() // before the reads, so that no change of settings is missed
    for (let after = ""; leases.active().length > 0; ) {
      const tenants = yield* store.tenants(after, tenantsMax)
      for (const tenant of tenants)
        yield* announce(tenant).pipe(Loop.apart("The messages of a tenant failed.", undefined))
      const last = tenants.at(-1)
      if (last === undefined || tenants.length < tenantsMax) break
      after = last.tenantId
    }
    yield* Effect.raceFirst(wake.await, Effect.sleep(roundMillis))
  })

  yield* notifications.listen(messagesChanged, wake)
  yield* Effect.forkScoped(Loop.forEver("announce messages", round))
})
