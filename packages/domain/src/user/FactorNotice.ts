import { Clock, Effect } from "effect"
import type { EventStore } from "../audit/EventStore.ts"
import type { Instant } from "../shared/Instant.ts"

/** For how long a user is told of a reset of the authenticator app. */
const noticeMillis = 30 * 24 * 60 * 60 * 1000

const newest = {
  direction: "desc",
  pageSize: 1,
  after: undefined,
  includeDeleted: false,
  includeTotal: false
} as const

/** Returns a function that looks up the last reset of an account's app in the audit log, if the user is still told of it. */
export const makeRecentReset = (log: EventStore["Service"]) =>
  Effect.fnUntraced(function* (tenantId: string, accountId: string): Effect.fn.Return<Instant | undefined> {
    const from = (yield* Clock.currentTimeMillis) - noticeMillis
    const conditions = [
      { field: "entityType", value: "secondFactor" },
      { field: "entityId", value: accountId },
      { field: "action", value: "reset" }
    ] as const
    const { items } = yield* log.audit(tenantId, { ...newest, from, conditions })
    return items[0]?.at
  })
