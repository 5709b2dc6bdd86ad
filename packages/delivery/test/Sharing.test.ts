import { assert, describe, it } from "@effect/vitest"
import { Predecessors } from "@wcs/delivery/lease/Predecessors"
import { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Clock, Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deliveriesOf, webhookIdOf } from "./Seeds.ts"
import {
  always,
  deliver,
  Outside,
  putWebhook,
  second,
  started,
  surroundings,
  timesOf,
  urlOf,
  watched,
  within,
  worker
} from "./World.ts"

const leaseMillis = 40 * second

/** Receivers that answer after a delay, with a backlog of deliveries each. */
const everyBacklog = Effect.fnUntraced(function* (webhooks: number, each: number, millis = 50) {
  for (let n = 1; n <= webhooks; n++) {
    yield* putWebhook(n, within(millis))
    for (let m = 0; m < each; m++) yield* deliver(n, 1000 * n + m)
  }
})

/** Asserts that so many deliveries have arrived, each once. */
const assertArrivedOnce = Effect.fnUntraced(function* (count: number) {
  const { arrivals } = yield* Outside
  assert.lengthOf(arrivals, count)
  assert.lengthOf(new Set(arrivals.map(({ headers }) => headers["webhook-id"])), count)
})

/** A delivery store that counts its reads. */
const countingReads = () => {
  let reads = 0
  const layer = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        readDue: (request) =>
          Effect.suspend(() => {
            reads += 1
            return store.readDue(request)
          })
      })
    )
  )
  const readsIn10Seconds = Effect.gen(function* () {
    const before = reads
    yield* TestClock.adjust("10 seconds")
    return reads - before
  })
  return { layer, readsIn10Seconds }
}

type Beat = LeaseStore["Service"]["beat"]

/** A lease store whose heartbeats go through a function. */
const beating = (through: (beat: ReturnType<Beat>, ...given: Parameters<Beat>) => ReturnType<Beat>) =>
  Layer.effect(
    LeaseStore,
    Effect.map(LeaseStore, ({ beat }) =>
      LeaseStore.of({ beat: (...given) => Effect.suspend(() => through(beat(...given), ...given)) })
    )
  )

describe("several workers of one store", () => {
  it.effect("give a new worker its share at once, and attempt no delivery twice", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* everyBacklog(20, 200)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("500 millis")
      assert.lengthOf(new Set(one.sentTo), 20)
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("200 millis")
      one.sentTo.length = 0
      other.sentTo.length = 0
      yield* TestClock.adjust("200 millis")
      const [ones, others] = [new Set(one.sentTo), new Set(other.sentTo)]
      assert.isAtLeast(Math.min(ones.size, others.size), 5)
      assert.strictEqual(ones.size + others.size, 20)
      assert.lengthOf(new Set([...ones, ...others]), 20)
      yield* TestClock.adjust("1 minute")
      yield* assertArrivedOnce(4000)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("keep attempts in flight when a new worker joins, and then hand their webhooks over", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* watched(), yield* watched()]
      yield* everyBacklog(16, 100, 5 * second)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("1 second")
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(other.sentTo, [])
      one.sentTo.length = 0
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(new Set(one.sentTo).size + new Set(other.sentTo).size, 16)
      assert.isNotEmpty(other.sentTo)
      yield* TestClock.adjust("2 minutes")
      yield* assertArrivedOnce(1600)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("take over the webhooks of a stopping worker at once, except in partitions with attempts in flight", () =>
    Effect.gen(function* () {
      const partitionsOfFirst = new Set(Array.from({ length: 10 }, (_, n) => partitionOf(webhookIdOf(n + 1))))
      /** A webhook of the second worker, which leases the upper half. */
      const slow = Array.from({ length: 90 }, (_, n) => n + 11).find((n) => {
        const partition = partitionOf(webhookIdOf(n))
        return partition >= 32 && !partitionsOfFirst.has(partition)
      })
      const one = yield* watched()
      yield* everyBacklog(10, 200)
      yield* Layer.build(one.layer)
      const stop = yield* started()
      yield* putWebhook(slow ?? 0, within(10 * second))
      for (let m = 0; m < 9; m++) yield* deliver(slow ?? 0, m)
      yield* TestClock.adjust("500 millis")
      assert.isBelow(new Set(one.sentTo.slice(-20)).size, 10)
      yield* Effect.forkChild(stop)
      yield* TestClock.adjust("110 millis")
      one.sentTo.length = 0
      yield* TestClock.adjust("100 millis")
      assert.sameMembers([...new Set(one.sentTo)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(urlOf))
      yield* TestClock.adjust("10 seconds")
      assert.include(one.sentTo, urlOf(slow ?? 0))
      yield* assertArrivedOnce(2009)
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
      for (const { sentTo } of workers) assert.isNotEmpty(sentTo)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.effect("poll once a second, also while attempts hang", () => {
    const { layer, readsIn10Seconds } = countingReads()
    return Effect.gen(function* () {
      yield* Layer.build((yield* watched({ pollMillis: second })).layer)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* readsIn10Seconds, 10)
      for (let n = 1; n <= 3; n++) yield* putWebhook(n, () => Effect.never)
      for (let m = 0; m < 60; m++) yield* deliver(1 + (m % 3), m)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* readsIn10Seconds, 10)
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, surroundings)))
  })

  it.effect("read no further webhooks in a loop when no place is free", () => {
    const { layer, readsIn10Seconds } = countingReads()
    return Effect.gen(function* () {
      // More than are read ahead of at a time.
      for (let n = 1; n <= 1100; n++) {
        yield* putWebhook(n, () => Effect.never)
        yield* deliver(n)
      }
      yield* Layer.build((yield* watched({ pollMillis: second, attemptsMax: 10 })).layer)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* readsIn10Seconds, 10)
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, surroundings)))
  })

  it.effect("renew their leases during long attempts, four times in each lease", () => {
    const beats: Array<string> = []
    const counted = beating((beat, kind, heartbeat) => {
      if (kind === "delivery") beats.push(heartbeat.worker)
      return beat
    })
    return Effect.gen(function* () {
      const [one, other] = [yield* watched({ leaseMillis }), yield* watched({ leaseMillis })]
      yield* putWebhook(1, within(100 * second))
      yield* deliver(1)
      yield* Layer.build(one.layer)
      yield* TestClock.adjust("5 seconds")
      beats.length = 0
      yield* TestClock.adjust(leaseMillis)
      assert.lengthOf(beats, 4)
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual([one.sentTo.length, other.sentTo.length], [1, 0])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(counted, surroundings)))
  })

  const crashed = (): Parameters<Beat>[1] => ({
    worker: "gone",
    predecessors: [],
    now: 0,
    leaseMillis,
    busy: new Set(),
    isLeaving: false
  })

  it.effect("attempt the deliveries of a crashed worker when its leases expire", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* deliver(1)
      yield* LeaseStore.use(({ beat }) => beat("delivery", crashed()))
      yield* Effect.gen(function* () {
        yield* TestClock.adjust(leaseMillis - second)
        assert.lengthOf(yield* timesOf(1), 0)
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* timesOf(1), [leaseMillis])
      }).pipe(Effect.provide(worker({ leaseMillis })))
    }).pipe(Effect.provide(surroundings))
  )

  it.effect("attempt the deliveries of a crashed predecessor at once, also if the first heartbeat fails", () => {
    let beats = 0
    const failing = beating((beat, kind) =>
      kind === "delivery" && ++beats === 2 ? Effect.die("the store is unavailable") : beat
    )
    return Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* deliver(1)
      yield* LeaseStore.use(({ beat }) => beat("delivery", crashed()))
      yield* TestClock.adjust("1 second").pipe(
        Effect.provide(worker({ leaseMillis })),
        Effect.provideService(Predecessors, () => Effect.succeed(["gone"]))
      )
      assert.lengthOf(yield* timesOf(1), 1)
    }).pipe(Effect.provide(Layer.provideMerge(failing, surroundings)))
  })

  it.effect("continue within a second after a heartbeat failed", () => {
    let failures = 0
    const failing = beating((beat) => (failures-- > 0 ? Effect.die("the connection is lost") : beat))
    return Effect.gen(function* () {
      yield* Layer.build((yield* watched({ leaseMillis })).layer)
      yield* TestClock.adjust("9 seconds")
      failures = 2
      yield* TestClock.adjust("2 seconds")
      yield* putWebhook(1, always(200))
      yield* deliver(1)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* timesOf(1), 1)
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(failing, surroundings)))
  })

  it.effect("start nothing without a lease, and store no result that another worker stored", () => {
    const connection = Latch.makeUnsafe(true)
    const cut = beating((beat) => Effect.andThen(connection.await, beat))
    return Effect.gen(function* () {
      const [one, other] = [yield* watched({ leaseMillis }), yield* watched({ leaseMillis })]
      yield* putWebhook(1, (count) => within(count < 8 ? 2 * leaseMillis : 100)(count, { ...arrival, at: 0 }))
      for (let m = 0; m < 40; m++) yield* deliver(1, m)
      yield* Layer.build(Layer.provide(one.layer, cut))
      yield* TestClock.adjust("1 second")
      assert.lengthOf(one.sentTo, 8)
      connection.closeUnsafe()
      yield* TestClock.adjust(leaseMillis)
      yield* putWebhook(2, always(200))
      yield* deliver(2, 100)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(one.sentTo, 8)
      yield* Layer.build(other.layer)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([one.sentTo.length, other.sentTo.length], [8, 41])
      yield* TestClock.adjust(2 * leaseMillis)
      connection.openUnsafe()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([one.sentTo.length, other.sentTo.length], [8, 41])
      const kept = (yield* deliveriesOf(1)).map(({ attemptCount, state }) => [attemptCount, state])
      assert.deepStrictEqual(
        kept,
        kept.map(() => [1, "DELIVERED"])
      )
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  })
})

/** A request whose content does not matter. */
const arrival = { url: "", headers: {}, body: new Uint8Array() }
