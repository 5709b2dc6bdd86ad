import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import type { TakeBytes } from "@wcs/http/request/Incoming"
import { brokenOff } from "@wcs/http/request/RequestBody"
import { bytesOf } from "@wcs/node-server/NodeBody"
import { Effect, Fiber, Result } from "effect"

const anyBytes = () => true

const textOf = Effect.fnUntraced(function* (source: PassThrough, take: TakeBytes = anyBytes) {
  const read = yield* Effect.result(bytesOf(source, 10, take))
  return Result.match(read, {
    onSuccess: (bytes) => Buffer.from(bytes).toString(),
    onFailure: ({ _tag }) => _tag
  })
})

const streamOf = (...pieces: ReadonlyArray<string>) => {
  const stream = new PassThrough()
  for (const piece of pieces) stream.write(piece)
  return stream.end()
}

describe("the bytes of a body", () => {
  it.effect("are one piece, several, or none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* textOf(streamOf("one")), "one")
      assert.strictEqual(yield* textOf(streamOf("o", "n", "e")), "one")
      assert.strictEqual(yield* textOf(streamOf()), "")
    })
  )

  it.effect("may reach the limit exactly, in any number of pieces", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* textOf(streamOf("01234", "56789")), "0123456789")
      assert.strictEqual(yield* textOf(streamOf("01234", "56789", "0")), "PayloadTooLarge")
      assert.strictEqual(yield* textOf(streamOf("01234567890")), "PayloadTooLarge")
    })
  )

  it.effect("beyond the limit are discarded, so that the client can finish sending", () =>
    Effect.gen(function* () {
      const source = streamOf("01234567890", ...Array.from({ length: 100 }, () => "x".repeat(1000)))
      assert.strictEqual(yield* textOf(source), "PayloadTooLarge")
      yield* Effect.promise(() => new Promise((resolve) => source.once("end", resolve)))
    })
  )

  it.effect("threat 43: are accounted for as they arrive, and refused at the first piece over the budget", () =>
    Effect.gen(function* () {
      const taken: Array<number> = []
      const upTo = (bytes: number) => (piece: number) => {
        taken.push(piece)
        return taken.reduce((sum, one) => sum + one) <= bytes
      }
      assert.strictEqual(yield* textOf(streamOf("012", "34"), upTo(5)), "01234")
      assert.deepStrictEqual(taken.splice(0), [3, 2])
      const source = streamOf("012", "34", "5", "x".repeat(1000))
      assert.strictEqual(yield* textOf(source, upTo(4)), "Unavailable")
      assert.deepStrictEqual(taken, [3, 2])
      yield* Effect.promise(() => new Promise((resolve) => source.once("end", resolve)))
    })
  )

  it.effect("fail if the client closes the connection early", () =>
    Effect.gen(function* () {
      const source = new PassThrough()
      const reading = yield* Effect.forkChild(Effect.flip(bytesOf(source, 10, anyBytes)), { startImmediately: true })
      source.write("half")
      source.destroy()
      assert.strictEqual(yield* Fiber.join(reading), brokenOff)
      assert.strictEqual(yield* Effect.flip(bytesOf(source, 10, anyBytes)), brokenOff, "also before the body is read")
    })
  )

  it.effect("have no listeners any more after their reader is interrupted", () =>
    Effect.gen(function* () {
      const source = new PassThrough()
      const listeners = () => ["data", "end", "close"].map((event) => source.listenerCount(event))
      const before = listeners()
      const reading = yield* Effect.forkChild(bytesOf(source, 10, anyBytes), { startImmediately: true })
      assert.notDeepEqual(listeners(), before)
      yield* Fiber.interrupt(reading)
      assert.deepStrictEqual(listeners(), before)
    })
  )
})
