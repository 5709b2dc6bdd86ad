import { keptMillis } from "@wcs/domain/message/Message"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { Clock, Effect } from "effect"
import * as Loop from "../Loop.ts"

/** The interval of deletions, in milliseconds, and how many messages one transaction deletes. */
const forgetMillis = 3_600_000
const forgottenMax = 1000

/**
 * Deletes messages some time after their end: of all tenants, also of those that have disabled messages, and in a deployment
 * that sends none any more. Any number of workers may do the same.
 */
export const start = Effect.gen(function* () {
  const store = yield* MessageStore
  const forget = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    while ((yield* store.forget(now - keptMillis, forgottenMax)) === forgottenMax) yield* Effect.yieldNow
    yield* Effect.sleep(forgetMillis)
  })
  yield* Effect.forkScoped(Loop.forEver("forget messages", forget))
})
