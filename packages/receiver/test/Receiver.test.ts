import { assert, describe, it } from "@effect/vitest"
import { DeliveryLog } from "@wcs/receiver/DeliveryLog"
import * as DeliveryLogMemory from "@wcs/receiver/DeliveryLogMemory"
import * as Receiver from "@wcs/receiver/Receiver"
import * as SecretRing from "@wcs/receiver/SecretRing"
import { Data, Deferred, Effect, Fiber, Layer, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { bytesOf, headersOf, idOf, now, requestOf, secretOf, timestamp, verified } from "./sender.ts"

class Unwell extends Data.TaggedError("Unwell") {}

const silent = Logger.layer([])
const layer = Layer.merge(DeliveryLogMemory.layer(), silent)

/** A receiver at the time of the valid deliveries, and the calls of its handler. */
const receiving = Effect.fnUntraced(function* (
  options: Partial<Receiver.ReceiverOptions<Unwell, never>> = {},
  ring = SecretRing.make(secretOf(1))
) {
  yield* TestClock.setTime(now)
  const given: Array<string> = []
  const { handle = () => Effect.void } = options
  const receive = yield* Receiver.make({
    secrets: Effect.succeed(ring),
    ...options,
    handle: (delivery) =>
      Effect.andThen(
        Effect.sync(() => given.push(delivery.event.deliveryId)),
        handle(delivery)
      )
  })
  const statusOf = (incoming: Receiver.Incoming) => Effect.map(receive(incoming), ({ status }) => status)
  return { receive, statusOf, given }
})

const id = idOf(1)
const body = bytesOf(verified(id))

describe("the receiver", () => {
  it.effect("EVT-12: handles a delivery once, however often it arrives", () =>
    Effect.gen(function* () {
      const { given, receive } = yield* receiving()
      const none = { status: 204, headers: {}, text: null }
      assert.deepStrictEqual(yield* receive(requestOf(id)), none)
      assert.deepStrictEqual(yield* receive(requestOf(id)), none)
      yield* TestClock.adjust("76 hours") // the last retry has a new signature
      assert.deepStrictEqual(yield* receive(requestOf(id, { at: timestamp + 76 * 3600 })), none)
      assert.deepStrictEqual(yield* receive(requestOf(idOf(2), { at: timestamp + 76 * 3600 })), none)
      assert.deepStrictEqual(given, [id, idOf(2)])
    }).pipe(Effect.provide(layer))
  )

  const altered = { ...verified(id), data: "altered" }
  const good = headersOf(id, body)
  const refusals: ReadonlyArray<readonly [what: string, incoming: () => Receiver.Incoming, status: number]> = [
    ["no signature", () => requestOf(id, { headers: { ...good, "webhook-signature": "" } }), 400],
    ["a stranger's signature", () => requestOf(id, { headers: headersOf(id, body, [secretOf(2)]) }), 401],
    ["an altered body", () => requestOf(id, { headers: good, body: bytesOf(altered) }), 401],
    ["a delivery that is more than 300 s old", () => requestOf(id, { at: timestamp - 301 }), 401],
    ["no headers", () => requestOf(id, { headers: {} }), 400],
    ["a signed body that is not JSON", () => requestOf(id, { body: Buffer.from("{") }), 400],
    ["a signed body that is not an event", () => requestOf(id, { body: bytesOf({}) }), 400],
    ["a signed body of another delivery", () => requestOf(id, { body: bytesOf(verified(idOf(2))) }), 400],
    ["a body beyond 1 MiB", () => requestOf(id, { body: Buffer.alloc(1_048_577) }), 413],
    ["a Content-Length beyond 1 MiB", () => requestOf(id, { headers: { ...good, "Content-Length": "1048577" } }), 413],
    ["headers beyond 16 KiB", () => requestOf(id, { headers: { ...good, pad: "a".repeat(16_384) } }), 413],
    ["another method", () => requestOf(id, { method: "GET" }), 405]
  ]
  it.effect.each(refusals)("EVT-12: %s is refused without a call of the handler", ([, incoming, status]) =>
    Effect.gen(function* () {
      const { given, receive } = yield* receiving()
      const answer = yield* receive(incoming())
      assert.strictEqual(answer.status, status)
      assert.isNotNull(answer.text)
      assert.notInclude(answer.text ?? "", id)
      assert.deepStrictEqual(given, [])
      assert.strictEqual((yield* receive(requestOf(id))).status, 204, "the log has no record of the refused delivery")
      assert.deepStrictEqual(given, [id])
    }).pipe(Effect.provide(layer))
  )

  it.effect("accepts a body of 1 MiB", () =>
    Effect.gen(function* () {
      const { statusOf } = yield* receiving()
      const text = JSON.stringify(verified(id))
      const largest = Buffer.from(text + " ".repeat(1_048_576 - text.length))
      assert.strictEqual(yield* statusOf(requestOf(id, { body: largest })), 204)
    }).pipe(Effect.provide(layer))
  )

  it.effect("reads an endless body only up to the limit", () =>
    Effect.gen(function* () {
      const { statusOf } = yield* receiving()
      let pieces = 0
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (; pieces < 1000; pieces++) yield Buffer.alloc(65_536)
      }
      assert.strictEqual(yield* statusOf({ ...requestOf(id), body: endless() }), 413)
      assert.strictEqual(pieces, 16)
    }).pipe(Effect.provide(layer))
  )

  it.effect("EVT-12: calls the handler again until it succeeds", () =>
    Effect.gen(function* () {
      const failures = yield* Ref.make<ReadonlyArray<Effect.Effect<void, Unwell>>>([
        Effect.fail(new Unwell()),
        Effect.die(new Error("a defect")),
        Effect.void
      ])
      const handle = () => Effect.flatten(Ref.modify(failures, ([first = Effect.void, ...more]) => [first, more]))
      const { given, statusOf } = yield* receiving({ handle })
      const statuses = yield* Effect.replicateEffect(
        Effect.suspend(() => statusOf(requestOf(id))),
        4
      )
      assert.deepStrictEqual(statuses, [500, 500, 204, 204])
      assert.lengthOf(given, 3)
    }).pipe(Effect.provide(layer))
  )

  it.effect("EVT-12: answers 503 while the delivery is being handled", () =>
    Effect.gen(function* () {
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const handle = () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
      const { given, receive, statusOf } = yield* receiving({ handle })
      const first = yield* Effect.forkChild(receive(requestOf(id)))
      yield* Deferred.await(begun)
      const second = yield* receive(requestOf(id))
      assert.strictEqual(second.status, 503)
      assert.strictEqual(second.headers["retry-after"], "30")
      assert.isUndefined(first.pollUnsafe(), "not answered before it is handled")
      yield* Deferred.succeed(end, undefined)
      assert.strictEqual((yield* Fiber.join(first)).status, 204)
      assert.strictEqual(yield* statusOf(requestOf(id)), 204)
      assert.deepStrictEqual(given, [id])
    }).pipe(Effect.provide(layer))
  )

  it.effect("interrupts a handler that takes too long, and blocks the delivery for a while", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const handle = () =>
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      const { given, receive, statusOf } = yield* receiving({ handle, handlerSecondsMax: 10 })
      const first = yield* Effect.forkChild(receive(requestOf(id)))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(first)).status, 500)
      yield* Deferred.await(interrupted)
      assert.strictEqual(yield* statusOf(requestOf(id)), 503)
      yield* TestClock.adjust("30 seconds")
      const again = yield* Effect.forkChild(statusOf(requestOf(id)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(again), 500)
      assert.deepStrictEqual(given, [id, id])
    }).pipe(Effect.provide(layer))
  )

  it.effect("interrupts the handler of an interrupted request, and blocks the delivery for a while", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const handle = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const { given, receive, statusOf } = yield* receiving({ handle })
      const first = yield* Effect.forkChild(receive(requestOf(id)))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* statusOf(requestOf(id)), 503)
      assert.deepStrictEqual(given, [id])
    }).pipe(Effect.provide(layer))
  )

  it.effect("answers when a body takes longer than its time limit", () =>
    Effect.gen(function* () {
      const { receive } = yield* receiving()
      const never: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }
      const fiber = yield* Effect.forkChild(receive({ ...requestOf(id), body: never }), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).status, 408)
    }).pipe(Effect.provide(layer))
  )

  it.effect("EVT-12: does not acknowledge a delivery that the log could not record", () =>
    Effect.gen(function* () {
      const { statusOf } = yield* receiving()
      assert.strictEqual(yield* statusOf(requestOf(id)), 500)
    }).pipe(
      Effect.provide(
        Layer.merge(
          silent,
          Layer.succeed(
            DeliveryLog,
            DeliveryLog.of({
              claim: () => Effect.succeed({ _tag: "Claimed", until: now }),
              complete: () => Effect.die(new Error("the disk is full")),
              release: () => Effect.void
            })
          )
        )
      )
    )
  )
})
