import { assert, describe, it } from "@effect/vitest"
import { partitionCount } from "@wcs/domain/lease/Partition"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RegisterFailed } from "@wcs/domain/verification/Register"
import { waitingMax } from "@wcs/domain/verification/VerificationRun"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import * as Verifications from "@wcs/domain/verification/Verifications"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Clock, type Context, Effect, Exit, Fiber, Latch, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { deliveriesOf, putCredential, tenantId, verify, verifyNow } from "./Seeds.ts"
import {
  always,
  answered,
  changeWebhook,
  deliver,
  delivery,
  healthOf,
  hour,
  Outside,
  putWebhook,
  redrive,
  second,
  started,
  surroundings,
  timesOf,
  urlOf,
  webhook,
  within,
  worker,
  world
} from "./World.ts"

const bodiesOf = (n: number) =>
  Outside.use(({ arrivals }) =>
    Effect.succeed(
      arrivals.filter(({ url }) => url === urlOf(n)).map(({ body }) => JSON.parse(Buffer.from(body).toString()))
    )
  )

describe("threat 18: slow receivers", () => {
  it.effect("keeps 8 attempts in flight to a receiver that hangs, and delays no other webhook", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, within(15 * second, 500))
      for (let m = 1; m <= 200; m++) yield* deliver(1, m)
      for (let n = 2; n <= 11; n++) {
        yield* putWebhook(n, within(20))
        for (let m = 0; m < 20; m++) yield* deliver(n, 1000 * n + m)
      }
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* timesOf(1), 8)
      for (let n = 2; n <= 11; n++) {
        const times = yield* timesOf(n)
        assert.lengthOf(times, 20)
        assert.isAtMost(Math.max(...times), 100)
      }
      yield* TestClock.adjust("15 seconds")
      assert.lengthOf(yield* timesOf(1), 16)
    }).pipe(Effect.provide(world()))
  )

  it.effect("keeps attempts in flight up to the limit", () =>
    Effect.gen(function* () {
      let most = 0
      let inFlight = 0
      const watched = () =>
        Effect.suspend(() => {
          most = Math.max(most, ++inFlight)
          return Effect.as(Effect.sleep(100), answered(200))
        }).pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              inFlight -= 1
            })
          )
        )
      for (let n = 1; n <= 10; n++) {
        yield* putWebhook(n, watched)
        for (let m = 0; m < 10; m++) yield* deliver(n, 100 * n + m)
      }
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(most, 16)
      for (let n = 1; n <= 10; n++) {
        assert.deepStrictEqual(
          (yield* deliveriesOf(n)).map(({ state }) => state),
          Array.from({ length: 10 }, () => "DELIVERED")
        )
      }
    }).pipe(Effect.provide(world({ attemptsMax: 16 })))
  )
})

/** A delivery store whose first writes of results are slow, and the size of each write. */
const counted = (firstMillis = 0) => {
  const portions: Array<number> = []
  const layer = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        settle: (settlements, now, assess) => {
          portions.push(settlements.length)
          return Effect.andThen(
            Effect.sleep(portions.length === 1 ? firstMillis : 0),
            store.settle(settlements, now, assess)
          )
        }
      })
    )
  )
  return { portions, layer }
}

describe("storing results", () => {
  const watched = (layer: Layer.Layer<DeliveryStore, never, DeliveryStore>, portion = 512) =>
    worker({ stopMillis: 0, portion }).pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))

  it.effect("is immediate when nothing else is in flight", () => {
    const { layer, portions } = counted()
    return Effect.gen(function* () {
      yield* putWebhook(1, within(100))
      for (let m = 0; m < 4; m++) yield* deliver(1, m)
      yield* TestClock.adjust(105)
      assert.deepStrictEqual(portions, [4])
    }).pipe(Effect.provide(watched(layer)))
  })

  it.effect("happens when a batch is complete", () => {
    const { layer, portions } = counted()
    return Effect.gen(function* () {
      yield* putWebhook(1, within(15 * second))
      yield* putWebhook(2, within(100))
      for (let n = 1; n <= 2; n++) for (let m = 0; m < 8; m++) yield* deliver(n, 100 * n + m)
      yield* TestClock.adjust(110)
      assert.deepStrictEqual(portions, [4, 4])
    }).pipe(Effect.provide(watched(layer, 4)))
  })

  it.effect("happens after at most 50 ms, even when other attempts hang", () => {
    const { layer, portions } = counted()
    return Effect.gen(function* () {
      yield* putWebhook(1, within(15 * second))
      for (let m = 0; m < 8; m++) yield* deliver(1, m)
      yield* putWebhook(2, within(100))
      yield* deliver(2, 100)
      yield* TestClock.adjust(149)
      assert.deepStrictEqual(portions, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(portions, [1])
      assert.deepStrictEqual(
        (yield* deliveriesOf(2)).map(({ state }) => state),
        ["DELIVERED"]
      )
    }).pipe(Effect.provide(watched(layer)))
  })

  it.effect("gives results that arrive during a write their own 50 ms", () => {
    const { layer, portions } = counted(20)
    return Effect.gen(function* () {
      const answerMillis = [15 * second, 100, 160, 165]
      for (const [index, millis] of answerMillis.entries()) {
        yield* putWebhook(index + 1, within(millis))
        yield* deliver(index + 1, index)
      }
      yield* TestClock.adjust(209)
      assert.deepStrictEqual(portions, [1])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(portions, [1, 2])
    }).pipe(Effect.provide(watched(layer)))
  })

  it.effect("is immediate for a ping", () => {
    const { layer, portions } = counted()
    return Effect.gen(function* () {
      yield* putWebhook(1, within(15 * second))
      for (let m = 0; m < 8; m++) yield* deliver(1, m)
      yield* putWebhook(2, within(100))
      yield* deliver(2, 100, "webhook.test")
      yield* TestClock.adjust(105)
      assert.deepStrictEqual(portions, [1])
    }).pipe(Effect.provide(watched(layer)))
  })

  it.effect("frees the places of a webhook when attempts end, before their results are stored", () => {
    const { layer, portions } = counted()
    return Effect.gen(function* () {
      yield* putWebhook(1, within(30))
      for (let m = 0; m < 20; m++) yield* deliver(1, m)
      yield* TestClock.adjust(45)
      assert.deepStrictEqual([(yield* timesOf(1)).length, portions], [16, []])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([(yield* timesOf(1)).length, portions], [20, [16, 4]])
      assert.isTrue((yield* deliveriesOf(1)).every(({ state }) => state === "DELIVERED"))
    }).pipe(Effect.provide(watched(layer)))
  })
})

describe("free places", () => {
  it.effect("are filled within 20 ms, even when other attempts hang", () =>
    Effect.gen(function* () {
      for (let n = 1; n <= 20; n++) {
        yield* putWebhook(n, within(15 * second))
        for (let m = 0; m < 8; m++) yield* deliver(n, 100 * n + m)
      }
      yield* putWebhook(21, within(10))
      for (let m = 0; m < 80; m++) yield* deliver(21, 3000 + m)
      // Ten rounds of 8 attempts, 10 ms each, with 20 ms between them. The 8 unstored results above the limit allow no
      // more.
      yield* TestClock.adjust(400)
      assert.lengthOf(yield* timesOf(21), 80)
    }).pipe(Effect.provide(world()))
  )

  it.effect("are filled at once when all attempts end together", () =>
    Effect.gen(function* () {
      for (let n = 1; n <= 10; n++) {
        yield* putWebhook(n, always(200))
        for (let m = 0; m < 10; m++) yield* deliver(n, 100 * n + m)
      }
      yield* TestClock.adjust("1 second")
      const { arrivals } = yield* Outside
      assert.lengthOf(arrivals, 100)
    }).pipe(Effect.provide(world({ attemptsMax: 16 })))
  )
})

describe("threat 23: verifications and their correlation ids", () => {
  it.effect("EVT-02: sends 100 events for 100 calls with distinct ids, each once per webhook", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* putWebhook(2, always(200))
      yield* Effect.forEach([1, 2, 3, 4, 5], (n) => putCredential(n))
      const ids = Array.from({ length: 100 }, (_, index) => `correlation-${index}`)
      yield* Effect.forEach(ids, (id, index) => verify(1 + (index % 5), id), { concurrency: "unbounded" })
      yield* TestClock.adjust("10 seconds")
      for (const n of [1, 2]) {
        const bodies = yield* bodiesOf(n)
        assert.sameMembers(
          bodies.map(({ correlationId }) => correlationId),
          ids
        )
        assert.lengthOf(new Set(bodies.map(({ deliveryId }) => deliveryId)), 100)
      }
      assert.lengthOf((yield* Outside).questions, 5)
    }).pipe(Effect.provide(world()))
  )

  it.effect("shares one query among calls for one credential while it is open, and answers them all", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      outside.register = () => Effect.as(Effect.sleep(2 * second), found)
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      for (let call = 0; call < 10; call++) {
        yield* verify(1, `call-${call}`)
        yield* TestClock.adjust("100 millis")
      }
      assert.lengthOf(yield* bodiesOf(1), 0)
      const { listen } = yield* Notifications.Notifications
      const store = yield* VerificationStore
      const selection = { conditions: [], direction: "asc", pageSize: 100, after: undefined } as const
      const { items } = yield* store.list(tenantId, "cred_0000000000000001", {
        ...selection,
        includeDeleted: false,
        includeTotal: false
      })
      const waits = yield* Effect.forEach(items, ({ id }) => {
        const notified = Latch.makeUnsafe(false)
        return Effect.as(listen(Notifications.settled(id), notified), notified.await)
      })
      yield* TestClock.adjust("2 seconds")
      yield* Effect.all(waits)
      assert.lengthOf(outside.questions, 1)
      assert.lengthOf(yield* bodiesOf(1), 10)
    }).pipe(Effect.scoped, Effect.provide(world()))
  )

  it.effect("limits open requests for one verdict to 500: each gets its event, and the next is refused", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      outside.register = () => Effect.as(Effect.sleep(20 * second), found)
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      const ids = Array.from({ length: waitingMax }, (_, index) => `call-${index}`)
      yield* Effect.forEach(ids, (id) => verify(1, id))
      const more = [verify(1, "one more"), verifyNow(1, { forceRefresh: false }), verifyNow(1, { forceRefresh: true })]
      for (const call of more) {
        const refusal = yield* Effect.flip(Effect.asVoid(call))
        assert.deepInclude(refusal, { _tag: "TooManyWaiting", limit: 500 })
      }
      yield* TestClock.adjust("1 minute")
      const told = (yield* bodiesOf(1)).map(({ correlationId }) => correlationId)
      assert.sameMembers(told, ids)
      assert.strictEqual((yield* verifyNow(1, {})).statusDetail, "VALID")
    }).pipe(Effect.provide(world()))
  )

  it.effect("limits open queries of a type whose register never answers to 16, and delays no other type", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      const isSlow = (count: number) => outside.questions[count]?.credentialType === "WWCC_VIC"
      outside.register = (count) => (isSlow(count) ? Effect.never : Effect.succeed(found))
      yield* putWebhook(1, always(200))
      for (let n = 1; n <= 100; n++) {
        yield* putCredential(n)
        yield* verify(n, `slow ${n}`)
      }
      yield* putCredential(101, "SA")
      yield* verify(101, "quick")
      yield* TestClock.adjust("1 second")
      assert.lengthOf(outside.questions, 17)
      assert.deepStrictEqual(
        (yield* bodiesOf(1)).map(({ correlationId }) => correlationId),
        ["quick"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("does not wait for the next attempt after forceRefresh, and resets the attempts", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      const away = new RegisterFailed({ fault: "SOURCE_UNAVAILABLE", isTransient: true, detail: "no route" })
      outside.register = () => Effect.fail(away)
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      yield* verify(1, "waits")
      yield* TestClock.adjust("20 seconds")
      assert.lengthOf(outside.questions, 2)
      yield* verify(1, "joins")
      yield* TestClock.adjust("1 second")
      assert.lengthOf(outside.questions, 2)
      const forced = yield* Effect.forkChild(verifyNow(1, { correlationId: "forces", forceRefresh: true }))
      yield* TestClock.adjust("1 second")
      assert.lengthOf(outside.questions, 3)
      outside.register = () => Effect.succeed(found)
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(outside.questions, 4)
      assert.strictEqual((yield* Fiber.join(forced)).statusDetail, "PENDING")
      assert.deepStrictEqual(
        (yield* bodiesOf(1)).map(({ correlationId }) => correlationId),
        ["waits", "joins", "forces"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("answers a waiting call once a person has to decide", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      outside.register = () => Effect.as(Effect.sleep(2 * second), { _tag: "Queued" })
      yield* putCredential(1)
      const call = yield* Effect.forkChild(verifyNow(1, {}))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("1100 millis")
      assert.isDefined(call.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(call)).statusDetail, "QUEUED_MANUAL")
      assert.strictEqual((yield* verifyNow(1, {})).statusDetail, "QUEUED_MANUAL")
      assert.lengthOf(outside.questions, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("ends every request with an event when the register adapter keeps throwing", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      outside.register = () => Effect.die("no such field")
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      yield* verify(1, "waits")
      yield* TestClock.adjust(2 * hour)
      assert.lengthOf(outside.questions, 5)
      assert.deepStrictEqual(
        (yield* bodiesOf(1)).map(({ data }) => data.verification.statusDetail),
        ["INTERNAL_ERROR"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("stops waiting for a register adapter that never ends, without delaying other queries", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      outside.register = (count) => (count === 0 ? Effect.never : Effect.succeed(found))
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      yield* putCredential(2)
      yield* verify(1, "first")
      yield* TestClock.adjust("1 second")
      yield* verify(2, "second")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        (yield* bodiesOf(1)).map(({ correlationId }) => correlationId),
        ["second"]
      )
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(
        (yield* bodiesOf(1)).map(({ correlationId }) => correlationId),
        ["second", "first"]
      )
    }).pipe(Effect.provide(world()))
  )
})

/** All due verifications. */
const dueRuns = Effect.fnUntraced(function* (now: number) {
  const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)
  const store = yield* VerificationStore
  return (yield* store.readDue({ now, partitions, inFlight: [], limits: { total: 10, perType: 10 } })).runs
})

const found = { _tag: "Found", statusDetail: "VALID", expiryDate: null } as const

/** The stores. One of their methods dies on demand. */
const failing = <Self, Shape extends object>(service: Context.Service<Self, Shape>, method: keyof Shape & string) => {
  const broken = { times: 0 }
  const layer = Layer.effect(
    service,
    Effect.map(service, (store) => {
      const real = store[method] as (...inputs: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      const wrapped = (...inputs: ReadonlyArray<unknown>) =>
        Effect.suspend(() => (broken.times-- > 0 ? Effect.die("the disk is full") : real(...inputs)))
      return { ...store, [method]: wrapped }
    })
  )
  return { broken, layer }
}

describe("failing stores and stopping workers", () => {
  it.effect.each(["readDue", "webhooks", "settle", "fanOut", "forget"] as const)(
    "attempts each delivery exactly once although the store fails to %s for a while",
    (method) => {
      const { broken, layer } = failing(DeliveryStore, method)
      return Effect.gen(function* () {
        yield* putWebhook(1, always(200))
        yield* putCredential(1)
        broken.times = 5
        yield* verify(1, "call")
        yield* deliver(1)
        yield* TestClock.adjust("1 minute")
        assert.isAtMost(broken.times, method === "forget" ? 5 : 0)
        const states = (yield* deliveriesOf(1)).map(({ attemptCount, state }) => [attemptCount, state])
        assert.deepStrictEqual(states, [
          [1, "DELIVERED"],
          [1, "DELIVERED"]
        ])
        assert.lengthOf(yield* timesOf(1), 2)
      }).pipe(Effect.provide(worker().pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))))
    }
  )

  it.effect("makes the next attempts at once when results can be stored again", () => {
    const { broken, layer } = failing(DeliveryStore, "settle")
    return Effect.gen(function* () {
      yield* putWebhook(1, within(10))
      for (let m = 0; m < 100; m++) yield* deliver(1, m)
      broken.times = 3
      yield* TestClock.adjust("2 seconds")
      assert.isBelow(broken.times, 0)
      assert.lengthOf(yield* timesOf(1), 100)
    }).pipe(Effect.provide(worker().pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))))
  })

  it.effect.each(["readDue", "webhooks"] as const)("attempts deliveries although %s takes two seconds", (method) => {
    const slow = Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (store) =>
        DeliveryStore.of({
          ...store,
          readDue: (request) => Effect.delay(store.readDue(request), method === "readDue" ? 2 * second : 0),
          webhooks: (keys) => Effect.delay(store.webhooks(keys), method === "webhooks" ? 2 * second : 0)
        })
      )
    )
    return Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      for (let m = 0; m < 20; m++) yield* deliver(1, m)
      yield* TestClock.adjust("20 seconds")
      assert.lengthOf(yield* timesOf(1), 20)
    }).pipe(Effect.provide(worker({ stopMillis: 0 }).pipe(Layer.provideMerge(slow), Layer.provideMerge(surroundings))))
  })

  it.effect("keeps a verification when the waiting call fails", () => {
    const { broken, layer } = failing(VerificationStore, "find")
    return Effect.gen(function* () {
      const outside = yield* Outside
      outside.register = () => Effect.as(Effect.sleep(second), found)
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      broken.times = 1
      assert.deepInclude(yield* verifyNow(1, { correlationId: "call" }), {
        eligibility: "IN_PROGRESS",
        statusDetail: "PENDING",
        correlationId: "call"
      })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        (yield* bodiesOf(1)).map(({ correlationId }) => correlationId),
        ["call"]
      )
    }).pipe(
      Effect.provide(
        worker().pipe(
          Layer.provideMerge(Layer.fresh(Verifications.layer)),
          Layer.provideMerge(layer),
          Layer.provideMerge(surroundings)
        )
      )
    )
  })

  it.effect.each(["readDue", "conclude"] as const)(
    "asks the register once although the store fails to %s for a while",
    (method) => {
      const { broken, layer } = failing(VerificationStore, method)
      return Effect.gen(function* () {
        yield* putWebhook(1, always(200))
        yield* putCredential(1)
        broken.times = 5
        yield* verify(1, "call")
        yield* TestClock.adjust("1 minute")
        assert.isAtMost(broken.times, 0)
        assert.lengthOf((yield* Outside).questions, 1)
        assert.lengthOf(yield* bodiesOf(1), 1)
      }).pipe(Effect.provide(worker().pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))))
    }
  )

  it.effect("lets a run rest whose conclusion cannot be stored, instead of asking the register again at once", () => {
    const { broken, layer } = failing(VerificationStore, "conclude")
    return Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* putCredential(1)
      broken.times = Number.POSITIVE_INFINITY
      yield* verify(1, "call")
      yield* TestClock.adjust("1 hour")
      // A question, a minute of trying to store its answer, and two minutes of rest.
      const { length } = (yield* Outside).questions
      assert.isAtLeast(length, 15)
      assert.isAtMost(length, 25)
      broken.times = 0
      yield* TestClock.adjust("4 minutes")
      assert.lengthOf(yield* bodiesOf(1), 1)
    }).pipe(Effect.provide(worker().pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))))
  })

  it.effect("starts nothing new during a stop, and finishes work in flight", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, within(10 * second))
      yield* putCredential(1)
      const outside = yield* Outside
      outside.register = () => Effect.as(Effect.sleep(5 * second), found)
      const stop = yield* started()
      for (let m = 1; m <= 20; m++) yield* deliver(1, m)
      yield* verify(1, "call")
      yield* TestClock.adjust("1 second")
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("6 seconds")
      assert.isDefined(stopping.pollUnsafe())
      assert.lengthOf(yield* timesOf(1), 8)
      const states = (yield* deliveriesOf(1)).map(({ state }) => state)
      assert.lengthOf(
        states.filter((state) => state === "DELIVERED"),
        8
      )
      // The verdict is stored. Its event waits for the next worker.
      assert.lengthOf(yield* dueRuns(10 * hour), 0)
      assert.lengthOf((yield* Outside).questions, 1)
      // The leases are released, so the next worker need not wait for a lease to expire.
      yield* Effect.provide(TestClock.adjust("1 second"), worker({ stopMillis: 0 }))
      assert.lengthOf(yield* timesOf(1), 16)
    }).pipe(Effect.provide(surroundings))
  )

  it.effect("releases work in flight after 25 seconds, due at once and without counting it", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, () => Effect.never)
      yield* putCredential(1)
      const outside = yield* Outside
      outside.register = () => Effect.never
      const stop = yield* started()
      const id = yield* deliver(1)
      yield* verify(1, "call")
      yield* TestClock.adjust("1 second")
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("24 seconds")
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isDefined(stopping.pollUnsafe())
      const now = yield* Clock.currentTimeMillis
      const { attemptCount, dueAt, state } = yield* delivery(id)
      assert.deepStrictEqual({ attemptCount, dueAt, state }, { attemptCount: 0, dueAt: 0, state: "PENDING" })
      assert.deepStrictEqual(
        (yield* dueRuns(now)).map(({ attempt }) => attempt),
        [1]
      )
      yield* Effect.provide(TestClock.adjust("1 second"), worker({ stopMillis: 0 }))
      assert.deepStrictEqual(yield* timesOf(1), [0, now])
    }).pipe(Effect.provide(surroundings))
  )

  it.effect("releases its leases during a stop although the results cannot be stored", () => {
    const { broken, layer } = failing(DeliveryStore, "settle")
    return Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* deliver(1)
      broken.times = 1000
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(Layer.provide(worker(), layer), scope)
      yield* TestClock.adjust("1 second")
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("26 seconds")
      assert.isDefined(stopping.pollUnsafe())
      const now = yield* Clock.currentTimeMillis
      yield* Effect.provide(TestClock.adjust("1 second"), worker())
      assert.deepStrictEqual(yield* timesOf(1), [0, now])
    }).pipe(Effect.provide(surroundings))
  })

  it.effect("EVT-05: retries an attempt that dies or is interrupted, by the schedule", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, (count) =>
        count === 0 ? Effect.interrupt : count === 1 ? Effect.die("at a loss") : Effect.succeed(answered(200))
      )
      const id = yield* deliver(1)
      yield* TestClock.adjust("1 hour")
      const { attempts, state } = yield* delivery(id)
      assert.deepStrictEqual(
        [state, ...attempts.map(({ fault, responseStatus }) => fault ?? responseStatus)],
        ["DELIVERED", "INTERNAL_ERROR", "INTERNAL_ERROR", 200]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("continues deliveries when a webhook cannot be disabled, and disables it later", () => {
    const { broken, layer } = failing(DeliveryStore, "changeWebhook")
    return Effect.gen(function* () {
      yield* putWebhook(1, always(410))
      yield* putWebhook(2, always(200))
      broken.times = 3
      yield* deliver(1, 1)
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(broken.times, 2)
      yield* deliver(2, 2)
      yield* TestClock.adjust("500 millis")
      assert.lengthOf(yield* timesOf(2), 1)
      const states = [...(yield* deliveriesOf(1)), ...(yield* deliveriesOf(2))].map(({ state }) => state)
      assert.deepStrictEqual(states, ["EXHAUSTED", "DELIVERED"])
      assert.strictEqual((yield* webhook(1)).status, "ACTIVE")
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual((yield* webhook(1)).status, "AUTO_DISABLED")
    }).pipe(Effect.provide(worker().pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))))
  })

  it.effect("tries five times to disable a webhook, and again at the next failure", () => {
    const { broken, layer } = failing(DeliveryStore, "changeWebhook")
    return Effect.gen(function* () {
      yield* putWebhook(1, always(410))
      broken.times = 100
      yield* deliver(1, 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(broken.times, 95)
      yield* deliver(1, 2)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(broken.times, 90)
    }).pipe(Effect.provide(worker().pipe(Layer.provideMerge(layer), Layer.provideMerge(surroundings))))
  })

  it.effect("EVT-05: retries a delivery that cannot be signed by the schedule, blocks no other, and redrives it", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* putWebhook(2, always(200))
      const { secrets } = yield* webhook(1)
      yield* changeWebhook(1, (fields) => ({
        ...fields,
        secrets: fields.secrets.map((secret) => ({ ...secret, sealed: "v1.altered" }))
      }))
      const unsigned = yield* deliver(1, 1)
      yield* deliver(2, 2)
      yield* TestClock.adjust("1 second")
      const first = yield* delivery(unsigned)
      assert.deepInclude(first, { attemptCount: 1, failures: 1, state: "FAILED_RETRYABLE", lastResponse: null })
      assert.deepInclude(first.attempts[0], { responseStatus: null, fault: "INTERNAL_ERROR" })
      assert.lengthOf(yield* timesOf(2), 1)
      yield* TestClock.adjust("100 hours")
      assert.deepInclude(yield* delivery(unsigned), { attemptCount: 10, state: "EXHAUSTED", dueAt: null })
      assert.lengthOf(yield* timesOf(1), 0)
      assert.isUndefined(yield* healthOf(1), "the failure does not count for the receiver")
      yield* changeWebhook(1, (fields) => ({ ...fields, secrets }))
      yield* redrive(1, ["EXHAUSTED"])
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* delivery(unsigned)).state, "DELIVERED")
    }).pipe(Effect.provide(world()))
  )
})

describe("metrics", () => {
  it.effect("count attempts by outcome, and show the attempts in flight", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, (count) => Effect.succeed(answered(count === 0 ? 500 : 200)))
      yield* deliver(1, 1)
      yield* TestClock.adjust("10 seconds")
      const snapshot = yield* Metric.snapshot
      const attempts = snapshot.filter(({ id }) => id === "delivery_attempts_total")
      const counted = attempts.map(({ attributes, state }) => [attributes?.["outcome"], state])
      assert.deepInclude(counted, ["refused", { count: 1, incremental: true }])
      assert.deepInclude(counted, ["taken", { count: 1, incremental: true }])
    }).pipe(Effect.provide(world()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
