import { assert, describe, it, vi } from "@effect/vitest"
import * as TimeSlices from "@wcs/deployment/TimeSlices"
import { Effect, Fiber } from "effect"
import { afterEach } from "vitest"

afterEach(() => {
  vi.restoreAllMocks()
})

/** Runs an effect by the scheduler, with a clock that moves by so many milliseconds each time it is read. */
const run = <A>(millisPerReading: number, effect: Effect.Effect<A>): Promise<A> => {
  let now = 0
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += millisPerReading
    return now
  })
  return Effect.runPromise(Effect.provide(effect, TimeSlices.layer))
}

/** Takes some operations, and counts them. */
const work = (operations: number, count: { done: number }) =>
  Effect.forEach(
    Array.from({ length: operations }),
    () =>
      Effect.sync(() => {
        count.done++
      }),
    { discard: true }
  )

describe("threat 43: the scheduler of the server", () => {
  for (const [speed, millisPerReading, isShared] of [
    ["slow", 2, true],
    ["fast", 0, false]
  ] as const) {
    it(`${isShared ? "lets others run" : "does not interrupt work"} while ${speed} work goes on`, () =>
      run(
        millisPerReading,
        Effect.gen(function* () {
          const [first, second] = [{ done: 0 }, { done: 0 }]
          const fibers = [
            yield* Effect.forkChild(work(1_000, first)),
            yield* Effect.forkChild(
              Effect.andThen(
                work(1, second),
                Effect.sync(() => first.done)
              )
            )
          ] as const
          yield* Fiber.join(fibers[0])
          const doneBefore = yield* Fiber.join(fibers[1])
          assert.strictEqual(first.done, 1_000)
          assert.strictEqual(doneBefore < 1_000, isShared, `${doneBefore}`)
        })
      ))
  }

  for (const [speed, millisPerReading] of [
    ["fast", 0],
    ["slow", 100]
  ] as const) {
    it(`gives every waiting fiber its turn, with ${speed} work`, () =>
      run(
        millisPerReading,
        Effect.gen(function* () {
          const order: Array<number> = []
          const fibers = yield* Effect.forEach([1, 2, 3], (n) =>
            Effect.forkChild(
              Effect.gen(function* () {
                order.push(n)
                yield* Effect.yieldNow
                order.push(n)
              })
            )
          )
          yield* Effect.forEach(fibers, Fiber.join)
          if (millisPerReading === 0) assert.deepStrictEqual(order, [1, 2, 3, 1, 2, 3])
          assert.sameMembers(order, [1, 1, 2, 2, 3, 3])
        })
      ))
  }

  it("lets the event loop turn between two slices", () =>
    run(
      100,
      Effect.gen(function* () {
        let turns = 0
        const count = () => {
          turns++
        }
        for (let n = 0; n < 5; n++) {
          setImmediate(count)
          yield* Effect.yieldNow
        }
        assert.isAtLeast(turns, 4)
      })
    ))

  it("goes on with the other fibers after one throws in a task", async () => {
    const done = await run(
      0,
      Effect.gen(function* () {
        const broken = yield* Effect.forkChild(Effect.sync((): number => assert.fail("broken")))
        const sound = yield* Effect.forkChild(Effect.succeed(7))
        yield* Effect.exit(Fiber.join(broken))
        return yield* Fiber.join(sound)
      })
    )
    assert.strictEqual(done, 7)
  })
})
