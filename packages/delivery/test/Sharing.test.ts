import { assert, describe, it } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  always,
  deliver,
  Outside,
  putWebhook,
  second,
  started,
  surroundings,
  timesOf,
  watched,
  within,
  worker
} from "./World.ts"

/** A delivery store with adjustable claim time, and the workers that claimed. */
const counted = () => {
  const claims: Array<string> = []
  const pace = { claimMillis: 0 }
  const layer = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        claim: (request) =>
          Effect.suspend(() => {
            claims.push(request.holder)
            return Effect.delay(store.claim(request), pace.claimMillis)
          })
      })
    )
  )
  return { claims, layer, pace }
}

const everyBacklog = Effect.fnUntraced(function* (webhooks: number, each: number, millis = 50) {
  for (let n = 1; n <= webhooks; n++) {
    yield* putWebhook(n, within(millis))
    for (let m = 0; m < each; m++) yield* deliver(n, 1000 * n + m)
  }
})

describe("several workers of one store", () => {
  it.effect("attempt each delivery once", () =>
    Effect.gen(function* () {
      for (let n = 1; n <= 5; n++) yield* putWebhook(n, within(50))
      yield* Effect.gen(function* () {
        for (let m = 1; m <= 200; m++) yield* deliver(1 + (m % 5), m)
        yield* TestClock.adjust("1 minute")
        const { arrivals } = yield* Outside
        assert.lengthOf(arrivals, 200)
        assert.lengthOf(new Set(arrivals.map(({ headers }) => headers["webhook-id"])), 200)
      }).pipe(Effect.provide(Layer.mergeAll(worker(), worker(), worker())))
    }).pipe(Effect.provide(surroundings))
  )

  it.effect("give a new idle worker half of the webhooks of a busy one, and no delivery twice", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* everyBacklog(10, 400)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(new Set(one.sentTo), 10)
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("1 second")
      one.sentTo.length = 0
      other.sentTo.length = 0
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual([new Set(one.sentTo).size, new Set(other.sentTo).size], [5, 5])
      assert.lengthOf(new Set([...one.sentTo, ...other.sentTo]), 10)
      yield* TestClock.adjust("1 minute")
      const { arrivals } = yield* Outside
      assert.lengthOf(arrivals, 4000)
      assert.lengthOf(new Set(arrivals.map(({ headers }) => headers["webhook-id"])), 4000)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("give away no more than half, even with slow receivers and frequent polls", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched({ pollMillis: second }), yield* watched({ pollMillis: second })]
      for (let n = 1; n <= 16; n++) {
        yield* putWebhook(n, within((2 + (n % 4)) * second))
        for (let m = 0; m < 100; m++) yield* deliver(n, 1000 * n + m)
      }
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("20 seconds")
      one.sentTo.length = 0
      other.sentTo.length = 0
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([new Set(one.sentTo).size, new Set(other.sentTo).size], [8, 8])
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("share two webhooks evenly, although the requesting worker is slower than the releasing one", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* everyBacklog(2, 400)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      const { layer, pace } = counted()
      pace.claimMillis = 20
      yield* Layer.build(Layer.provide(other.layer, layer))
      yield* TestClock.adjust("1 second")
      one.sentTo.length = 0
      other.sentTo.length = 0
      yield* TestClock.adjust("500 millis")
      pace.claimMillis = 0
      assert.deepStrictEqual([new Set(one.sentTo).size, new Set(other.sentTo).size], [1, 1])
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("release no webhook with free places: its new deliveries are attempted at once", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* everyBacklog(4, 1, 10 * second)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("1 second")
      for (let n = 1; n <= 4; n++) yield* deliver(n, 1000 * n + 1)
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual([one.sentTo.length, other.sentTo.length], [8, 0])
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("when idle, immediately lease the webhooks that a stopping worker releases", () =>
    Effect.gen(function* () {
      const one = yield* watched()
      yield* everyBacklog(1, 400)
      const stop = yield* started()
      yield* TestClock.adjust("1 second")
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(one.sentTo, [])
      yield* Effect.forkChild(stop)
      yield* TestClock.adjust("100 millis")
      assert.isNotEmpty(one.sentTo)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("immediately lease the webhooks that a stopping worker releases, and keep their own leases", () =>
    Effect.gen(function* () {
      const one = yield* watched()
      yield* everyBacklog(10, 400)
      yield* Layer.build(one.layer)
      const stop = yield* started()
      yield* TestClock.adjust("1 second")
      assert.isBelow(new Set(one.sentTo.slice(-20)).size, 10)
      yield* Effect.forkChild(stop)
      yield* TestClock.adjust("100 millis")
      one.sentTo.length = 0
      yield* TestClock.adjust("100 millis")
      assert.lengthOf(new Set(one.sentTo), 10)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("never wait for each other when there is little work", () =>
    Effect.gen(function* () {
      const workers = [yield* watched({ pollMillis: second }), yield* watched({ pollMillis: second })]
      for (let n = 1; n <= 40; n++) yield* putWebhook(n, within(15 * n))
      for (const { layer } of workers) yield* Layer.build(layer)
      yield* TestClock.adjust("1 second")
      const { arrivals } = yield* Outside
      for (let m = 0; m < 200; m++) {
        yield* deliver(1 + ((7 * m) % 40), m)
        yield* TestClock.adjust(23)
        const { at } = arrivals.at(-1) ?? { at: 0 }
        assert.deepStrictEqual([arrivals.length, (yield* Clock.currentTimeMillis) - at >= 13], [m + 1, true])
      }
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("poll once a second when nothing is due or others lease the due webhooks", () => {
    const { claims, layer } = counted()
    const looks = Effect.gen(function* () {
      const before = claims.length
      yield* TestClock.adjust("10 seconds")
      return claims.length - before
    })
    return Effect.gen(function* () {
      yield* Layer.build((yield* watched({ pollMillis: second })).layer)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* looks, 10)
      for (let n = 1; n <= 3; n++) yield* putWebhook(n, () => Effect.never)
      for (let m = 0; m < 60; m++) yield* deliver(1 + (m % 3), m)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* looks, 10)
      yield* Layer.build((yield* watched({ pollMillis: second })).layer)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* looks, 20)
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, surroundings)))
  })

  it.effect("leave a single webhook with its worker, even when another is idle", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* everyBacklog(1, 400)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(other.sentTo, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([one.sentTo.length, other.sentTo.length], [400, 0])
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("renew the lease during a long attempt", () => {
    const { claims, layer } = counted()
    return Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* putWebhook(1, within(100 * second))
      yield* deliver(1)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      claims.length = 0
      yield* TestClock.adjust("57 seconds")
      assert.lengthOf(claims, 3, "once per quarter of the lease")
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual([one.sentTo.length, other.sentTo.length], [1, 0])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, surroundings)))
  })

  it.effect("attempt the deliveries of a crashed worker when its lease expires", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      const store = yield* DeliveryStore
      yield* deliver(1)
      const { claimed } = yield* store.claim({
        now: 0,
        holder: "one that is gone",
        leaseMillis: 60_000,
        leases: [],
        limit: 10,
        perWebhook: 8,
        acquires: true
      })
      assert.lengthOf(claimed, 1)
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("59 seconds")
        assert.lengthOf(yield* timesOf(1), 0)
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* timesOf(1), [60_000])
      }).pipe(Effect.provide(worker()))
    }).pipe(Effect.provide(surroundings))
  )
})
