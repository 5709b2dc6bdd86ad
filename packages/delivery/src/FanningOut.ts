import { DeliveryStore } from "@wcs/domain/DeliveryStore"
import { fanOut } from "@wcs/domain/FanOut"
import { Ids } from "@wcs/domain/Id"
import { deliveryDue, Notices } from "@wcs/domain/Notices"
import { Clock, Effect, Latch } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as Loop from "./Loop.ts"

/** Makes deliveries of events, and wakes whoever attempts them. */
export const start = Effect.fnUntraced(function* (delivering: Latch.Latch) {
  const { pollMillis, portion } = yield* EngineSettings
  const store = yield* DeliveryStore
  const notices = yield* Notices
  const mint = (yield* Ids).source("delivery")

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const taken = yield* store.fanOut(portion, (event, subscribers) => fanOut(event, subscribers, mint, now))
    if (taken > 0) delivering.openUnsafe()
    if (taken < portion) return pollMillis
    yield* notices.tell(deliveryDue) // there is enough to do for others, too
    return 0
  })

  yield* Loop.start({
    name: "fan out",
    topic: deliveryDue,
    word: Latch.makeUnsafe(true),
    round: (isStopping) => (isStopping ? Effect.succeed(pollMillis) : round),
    isIdle: () => true,
    abandon: Effect.void
  })
})
