import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { deadBefore } from "@wcs/domain/webhook/FanOut"
import { Clock, Effect } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as Loop from "./Loop.ts"

/** The interval of deletions. */
const forgetMillis = 60_000

/** Deletes finished deliveries and their events after their retention, one batch at a time. */
export const start = Effect.gen(function* () {
  const { pollMillis, portion } = yield* EngineSettings
  const { retentionMillis } = yield* DeliverySettings
  const store = yield* DeliveryStore

  const forget = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const forgotten = yield* store.forget({
      before: now - retentionMillis,
      deadBefore: deadBefore(now, retentionMillis),
      limit: portion
    })
    return forgotten >= portion ? pollMillis : forgetMillis
  })

  yield* Loop.rounds("Deleting old deliveries failed.", forgetMillis)(forget)
})
