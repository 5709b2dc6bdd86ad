import { Effect } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { BacklogStore } from "./BacklogStore.ts"

/** The maximum number of failing webhooks that one call lists. */
export const listedMax = 1000

/** The webhooks of all tenants that have failed for the longest time. */
export const list = Effect.fn("FailingWebhooks.list")(function* (limit: number) {
  if (!Number.isInteger(limit) || limit < 1 || limit > listedMax) {
    return yield* new InvalidArgument({ field: "limit", reason: `must be a whole number from 1 to ${listedMax}` })
  }
  return yield* BacklogStore.use((store) => store.failing(limit))
})
