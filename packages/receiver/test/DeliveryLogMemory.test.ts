import { assert, describe, it } from "@effect/vitest"
import { DeliveryLog } from "@wcs/receiver/DeliveryLog"
import * as DeliveryLogMemory from "@wcs/receiver/DeliveryLogMemory"
import { DeliveryId } from "@wcs/receiver/WebhookEvent"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deliveryLogSuite } from "./DeliveryLogSuite.ts"
import { idOf } from "./sender.ts"

deliveryLogSuite("DeliveryLogMemory", DeliveryLogMemory.layer({ retentionSeconds: 0 }))

describe("the limit of DeliveryLogMemory", () => {
  const layer = DeliveryLogMemory.layer({ deliveriesMax: 3 })
  const claim = (n: number) =>
    DeliveryLog.use((log) => Effect.map(log.claim(DeliveryId.make(idOf(n)), 90), ({ _tag }) => _tag))
  const complete = (n: number) => DeliveryLog.use((log) => log.complete(DeliveryId.make(idOf(n))))

  it.effect("forgets the delivery that was handled first", () =>
    Effect.gen(function* () {
      for (const n of [1, 2, 3, 1, 4]) yield* complete(n)
      const tags = yield* Effect.forEach([3, 1, 4, 2], claim)
      assert.deepStrictEqual(tags, ["Handled", "Handled", "Handled", "Claimed"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("forgets no claim, and accepts no more until one has ended", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3, 4], claim), ["Claimed", "Claimed", "Claimed", "Busy"])
      yield* complete(2)
      assert.deepStrictEqual(yield* Effect.forEach([4, 5], claim), ["Claimed", "Busy"])
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual(yield* claim(5), "Claimed")
    }).pipe(Effect.provide(layer))
  )
})
