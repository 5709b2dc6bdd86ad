import { assert, describe, it } from "@effect/vitest"
import * as FanningOut from "@wcs/delivery/FanningOut"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { retryAt, type WaitingEvent } from "@wcs/domain/webhook/FanOut"
import { StoreUnavailable } from "@wcs/domain/webhook/StoreUnavailable"
import { Effect, Latch, Layer, Logger, Metric, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { idOf, tenantId } from "./Seeds.ts"
import { settings } from "./World.ts"

const eventOf = (n: number): WaitingEvent => ({
  id: idOf("event", n),
  tenantId,
  isRetry: false,
  traceparent: null,
  kind: "credential.created",
  subjectId: idOf("credential", n),
  sequence: 1,
  correlationId: null,
  data: {},
  about: { credentialType: null, jurisdiction: null },
  at: 0
})

const unavailable = () => new StoreUnavailable({ cause: new Error("it took too long") })

/** A store with pending events that dies when a batch contains a bad one. */
const storeOf = (count: number, deadly: ReadonlyArray<number>, death = () => new Error("too large")) => {
  const waiting = Array.from({ length: count }, (_, index) => eventOf(index + 1))
  const ids = deadly.map((n) => idOf("event", n))
  const sent: Array<string> = []
  const deadLetters: Array<{ readonly id: string; readonly until: number | null }> = []
  const state = { calls: 0, isUnavailable: false, isFull: false, most: count, sizes: Array.of<number>() }
  const layer = Layer.mock(DeliveryStore, {
    fanOut: ({ limit }, decide) =>
      Effect.sync(() => {
        state.calls += 1
        if (state.isUnavailable) throw new Error("the engine is unavailable")
        const taken = waiting.slice(0, limit)
        for (const event of taken) decide(event, [])
        if (state.isFull || taken.length > state.most) throw unavailable()
        if (taken.some(({ id }) => ids.includes(id))) throw death()
        state.sizes.push(taken.length)
        sent.push(...waiting.splice(0, taken.length).map(({ id }) => id))
        return { taken: taken.length, deadLettered: [] }
      }),
    deadLetter: (_tenantId, id, until) =>
      Effect.sync(() => {
        if (state.isFull) throw unavailable()
        const place = waiting.findIndex((event) => event.id === id)
        waiting.splice(place, 1)
        deadLetters.push({ id, until })
      })
  })
  return { deadLetters, layer, sent, state, waiting }
}

const working = (store: Layer.Layer<DeliveryStore>) =>
  Layer.effectDiscard(FanningOut.start(Latch.makeUnsafe(true))).pipe(
    Layer.provide(settings({ stopMillis: 0, portion: 64, pollMillis: 1000 })),
    Layer.provideMerge(Layer.mergeAll(store, Notifications.layer, Layer.provide(Id.layer, SecureRandom.layerWebCrypto)))
  )

describe("EVT-01: events that cannot be sent block no others", () => {
  it.effect("finds bad events by halving a failing batch, makes them dead letters, and sends all others", () => {
    const { deadLetters, layer, sent, waiting } = storeOf(300, [1, 37, 38, 300])
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(waiting, 0)
      assert.lengthOf(sent, 296)
      assert.deepStrictEqual(
        deadLetters.map(({ id }) => id),
        [1, 37, 38, 300].map((n) => idOf("event", n))
      )
      for (const { until } of deadLetters) assert.isAtLeast(until ?? 0, 60_000)
      const counted = (yield* Metric.snapshot).filter(({ id }) => id === "dead_letters_total")
      assert.deepStrictEqual(
        counted.map(({ state }) => state),
        [{ count: 4, incremental: true }]
      )
    }).pipe(Effect.provide(working(layer)), Effect.provideService(Metric.MetricRegistry, new Map()))
  })

  it.effect.each([
    ["while the store is unavailable", "isUnavailable"],
    ["when the store fails the write after the decision", "isFull"]
  ] as const)("makes no dead letters %s", ([, fault]) => {
    const { deadLetters, layer, sent, state } = storeOf(300, [])
    state[fault] = true
    return Effect.gen(function* () {
      yield* TestClock.adjust("10 minutes")
      assert.isAtMost(state.calls, 100)
      state[fault] = false
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(sent, 300)
      assert.lengthOf(deadLetters, 0)
    }).pipe(Effect.provide(working(layer)))
  })

  it.effect("sends a batch that is too large in smaller batches, which grow again", () => {
    const { deadLetters, layer, sent, state, waiting } = storeOf(300, [])
    state.most = 10
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(sent, 300)
      assert.lengthOf(deadLetters, 0)
      state.most = 300
      waiting.push(...Array.from({ length: 300 }, (_, index) => eventOf(301 + index)))
      state.sizes.length = 0
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(sent, 600)
      assert.include(state.sizes, 64)
    }).pipe(Effect.provide(working(layer)))
  })

  it.effect("makes an event that always takes too long a dead letter when the store can record it", () => {
    const { deadLetters, layer, sent } = storeOf(300, [37, 38], unavailable)
    return Effect.gen(function* () {
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(sent, 36)
      assert.lengthOf(deadLetters, 0)
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf(sent, 298)
      assert.deepStrictEqual(
        deadLetters.map(({ id }) => id),
        [37, 38].map((n) => idOf("event", n))
      )
    }).pipe(Effect.provide(working(layer)))
  })

  it.effect("does not send a dead letter after the retention of deliveries, but sends a pending event", () => {
    const day = 86_400_000
    const outcomes: Array<readonly [boolean, number | null]> = []
    const layer = Layer.mock(DeliveryStore, {
      fanOut: ({ retryAt }, decide) =>
        Effect.sync(() => {
          for (const [age, isRetry] of [
            [30 * day - 1, true],
            [30 * day, true],
            [31 * day, false]
          ] as const) {
            const drafts = Result.try(() => decide({ ...eventOf(1), at: -age, isRetry }, []))
            outcomes.push([Result.isSuccess(drafts), retryAt(-age)])
          }
          return { taken: 0, deadLettered: [] }
        })
    })
    return Effect.gen(function* () {
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(outcomes, [
        [true, null],
        [false, null],
        [true, null]
      ])
    }).pipe(Effect.provide(working(layer)))
  })

  it.effect("logs a fault once per round for all affected events", () => {
    const [ofEvent, ofWebhook] = [new Error("an event"), new Error("a webhook")]
    const layer = Layer.mock(DeliveryStore, {
      fanOut: ({ retryAt }) =>
        Effect.succeed({
          taken: 0,
          deadLettered: Array.from({ length: 30 }, (_, n) => ({
            tenantId: n < 20 ? tenantId : "tnt_0000000000000002",
            eventId: idOf("event", n),
            until: retryAt(0),
            fault: n === 0 ? ofEvent : ofWebhook
          }))
        })
    })
    const counts: Array<unknown> = []
    const logger = Logger.make(({ fiber, logLevel }) => {
      if (logLevel === "Error") counts.push(fiber.getRef(References.CurrentLogAnnotations)["count"])
    })
    return Effect.gen(function* () {
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(counts, [1, 19, 10])
    }).pipe(Effect.provide(Layer.provide(working(layer), Logger.layer([logger]))))
  })

  it("retries a dead letter after as long as it has waited, and never after the retention of deliveries", () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
    assert.deepStrictEqual(
      [0, 5 * minute, 3 * hour, 23 * hour, 2 * day, 30 * day - 6 * hour, 30 * day].map((age) =>
        retryAt(7, 7 + age, 30 * day)
      ),
      [7 + minute, 7 + 10 * minute, 7 + 6 * hour, 7 + 29 * hour, 7 + 3 * day, null, null]
    )
  })
})
