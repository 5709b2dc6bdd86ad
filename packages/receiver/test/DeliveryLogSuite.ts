import { assert, describe, it } from "@effect/vitest"
import { DeliveryLog, retentionSecondsLeast } from "@wcs/receiver/DeliveryLog"
import { DeliveryId } from "@wcs/receiver/WebhookEvent"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"

let runs = 0

/** A new delivery id. */
const freshId = (): DeliveryId => DeliveryId.make(`dlv_run${++runs}`)

const claim = (id: DeliveryId, seconds = 90) => DeliveryLog.use((log) => log.claim(id, seconds))
const complete = (id: DeliveryId) => DeliveryLog.use((log) => log.complete(id))
const release = (id: DeliveryId, until: number) => DeliveryLog.use((log) => log.release(id, until))

/** A model of one delivery, by the contract of the port. */
interface Known {
  handledAt?: number
  claimedUntil?: number
}

type Step =
  | { readonly does: "claim"; readonly seconds: number }
  | { readonly does: "complete" }
  | { readonly does: "release"; readonly which: number }
  | { readonly does: "wait"; readonly millis: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("claim" as const), seconds: fc.constantFrom(1, 90) }) },
  { weight: 1, arbitrary: fc.constant({ does: "complete" as const }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("release" as const), which: fc.nat({ max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("wait" as const), millis: fc.constantFrom(1, 999, 1000, 89_999) })
  }
)

/** Runs the steps on a new delivery, and returns the actual and the expected answers. */
const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const id = freshId()
  const known: Known = {}
  const claims: Array<number> = []
  for (const one of steps) {
    const at = yield* Clock.currentTimeMillis
    if (one.does === "wait") yield* TestClock.adjust(one.millis)
    else if (one.does === "complete") {
      yield* complete(id)
      known.handledAt ??= at
    } else if (one.does === "release") {
      const until = claims.at(-1 - one.which) ?? at
      yield* release(id, until)
      if (known.claimedUntil === until) delete known.claimedUntil
    } else {
      const until = at + one.seconds * 1000
      const isBusy = known.claimedUntil !== undefined && known.claimedUntil > at
      const isHandled = known.handledAt !== undefined
      const expected = isHandled ? { _tag: "Handled" } : isBusy ? { _tag: "Busy" } : { _tag: "Claimed", until }
      assert.deepStrictEqual<unknown>(yield* claim(id, one.seconds), expected)
      if (isHandled || isBusy) continue
      known.claimedUntil = until
      claims.push(until)
    }
  }
})

/** The contract of `DeliveryLog`. Build the log with the shortest retention. */
export const deliveryLogSuite = <E>(name: string, adapter: Layer.Layer<DeliveryLog, E>): void => {
  describe(name, () => {
    it.effect("EVT-12: grants one of many concurrent claims", () =>
      Effect.gen(function* () {
        for (const id of [freshId(), freshId(), freshId()]) {
          const tags = yield* Effect.forEach(Array(20).fill(id), (one: DeliveryId) => claim(one), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(tags.map(({ _tag }) => _tag).toSorted(), [...Array(19).fill("Busy"), "Claimed"])
        }
      }).pipe(Effect.provide(adapter))
    )

    it.effect("EVT-12: remembers for longer than the sender retries, up to the retention", () =>
      Effect.gen(function* () {
        const handled = freshId()
        yield* claim(handled)
        yield* complete(handled)
        yield* TestClock.adjust(retentionSecondsLeast * 1000)
        assert.strictEqual((yield* claim(handled))._tag, "Handled")
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* claim(handled))._tag, "Claimed")
      }).pipe(Effect.provide(adapter))
    )

    it.effect(
      "EVT-12: follows its contract over random steps: busy until the claim ends, handled for good, others independent",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<DeliveryLog>()
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) =>
                Effect.runPromiseWith(context)(runSteps(steps))
              ),
              { numRuns: 200 }
            )
          )
        }).pipe(Effect.provide(adapter))
    )
  })
}
