import { assert, describe, it } from "@effect/vitest"
import { EngineSettings } from "@wcs/delivery/EngineSettings"
import * as Loop from "@wcs/delivery/Loop"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Clock, Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"

const topic = "work"

/** A delay in virtual time, then a number of turns of the scheduler. */
interface Moment {
  readonly millis: number
  readonly turns: number
}

const pass = ({ millis, turns }: Moment) =>
  Effect.gen(function* () {
    if (millis > 0) yield* Effect.sleep(millis)
    for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
  })

/** Work that is due now. Each round takes all of it, between two delays. */
const makeWork = Effect.fnUntraced(function* (before: Moment, behind: Moment) {
  const notifications = yield* Notifications.Notifications
  const taken: Array<{ readonly item: number; readonly at: number }> = []
  let due: Array<number> = []
  let rounds = 0
  yield* Loop.start({
    name: "test",
    topic,
    wake: Latch.makeUnsafe(true),
    round: () =>
      Effect.gen(function* () {
        rounds += 1
        yield* pass(before)
        const at = yield* Clock.currentTimeMillis
        taken.push(...due.map((item) => ({ item, at })))
        due = []
        yield* pass(behind)
        return Number.POSITIVE_INFINITY
      }),
    isIdle: () => true,
    abandon: Effect.void
  })
  const add = (item: number) =>
    Effect.suspend(() => {
      due.push(item)
      return notifications.notify(topic)
    })
  return { add, taken, rounds: () => rounds }
})

/** Advances the clock in small steps, so that each fiber has its turns at its own time. */
const elapse = Effect.fnUntraced(function* (millis: number) {
  for (let step = 0; step < millis; step++) {
    for (let turn = 0; turn < 3; turn++) yield* Effect.yieldNow
    yield* TestClock.adjust(1)
  }
})

/** Never polls. So only a notification starts a second round. */
const settings = { ...EngineSettings.defaultValue(), pollMillis: 86_400_000, stopMillis: 0 }
const layer = Layer.merge(Notifications.layer, Layer.succeed(EngineSettings, settings))

const none: Moment = { millis: 0, turns: 0 }
const delays: ReadonlyArray<Moment> = [none, { millis: 0, turns: 1 }, { millis: 0, turns: 3 }, { millis: 3, turns: 0 }]
/** Before and during the read, between its end and the wait, in the pause between rounds, and in the wait. */
const moments: ReadonlyArray<Moment> = [0, 3, 5, 8, 11].flatMap((millis) =>
  Array.from({ length: 8 }, (_, turns) => ({ millis, turns }))
)

describe("a loop and the notifications of its topic", () => {
  for (const before of delays) {
    for (const behind of delays) {
      it.effect(`misses none at any moment of a round: ${JSON.stringify([before, behind])}`, () =>
        Effect.gen(function* () {
          for (const first of moments) {
            for (const second of [none, { millis: 0, turns: 2 }, { millis: 5, turns: 0 }]) {
              yield* Effect.scoped(
                Effect.gen(function* () {
                  const { add, taken } = yield* makeWork(before, behind)
                  const adding = Effect.gen(function* () {
                    yield* pass(first)
                    yield* add(1)
                    yield* pass(second)
                    yield* add(2)
                  })
                  yield* Effect.forkScoped(adding)
                  yield* elapse(30)
                  const items = taken.map(({ item }) => item)
                  assert.deepStrictEqual(items, [1, 2], JSON.stringify({ first, second }))
                })
              )
            }
          }
        }).pipe(Effect.provide(layer))
      )
    }
  }

  it.effect("starts a round without delay, and one round for all notifications of a pause", () =>
    Effect.gen(function* () {
      const { add, rounds, taken } = yield* makeWork(none, none)
      yield* TestClock.adjust(100)
      yield* Effect.forEach([1, 2, 3], add)
      yield* TestClock.adjust(4)
      yield* Effect.forEach([4, 5, 6], add)
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(
        taken.map(({ at, item }) => [item, at]),
        [1, 2, 3, 4, 5, 6].map((item) => [item, item === 1 ? 100 : 105])
      )
      assert.strictEqual(rounds(), 3)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("subscribes once", () =>
    Effect.gen(function* () {
      const notifications = yield* Notifications.Notifications
      let listeners = 0
      const counting = Notifications.Notifications.of({
        ...notifications,
        listen: (...args) => Effect.tap(notifications.listen(...args), () => Effect.sync(() => void listeners++))
      })
      const { add, rounds } = yield* Effect.provideService(makeWork(none, none), Notifications.Notifications, counting)
      for (let item = 0; item < 50; item++) {
        yield* add(item)
        yield* TestClock.adjust(10)
      }
      assert.isAtLeast(rounds(), 50)
      assert.strictEqual(listeners, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
