import { assert, describe, it } from "@effect/vitest"
import { falsify, shorten } from "@wcs/conformance/walks/ownership/Falsify"
import { Effect, Exit } from "effect"
import fc from "fast-check"

const lists = fc.array(fc.nat(20), { maxLength: 30 })

describe("a search for a counterexample", () => {
  it.effect("finds nothing when there is none, and tries the same values for the same seed", () =>
    Effect.gen(function* () {
      const tried = yield* Effect.forEach([1, 1, 2], (seed) =>
        Effect.gen(function* () {
          const values: Array<ReadonlyArray<number>> = []
          const found = yield* falsify(
            lists,
            (list) =>
              Effect.as(
                Effect.sync(() => void values.push(list)),
                true
              ),
            { seed, maxValues: 100, mayGoOn: () => values.length < 10 }
          )
          assert.isUndefined(found)
          return values
        })
      )
      assert.lengthOf(tried[0] ?? [], 10)
      assert.deepStrictEqual(tried[0], tried[1])
      assert.notDeepEqual(tried[0], tried[2])
    })
  )

  it.effect("finds one and simplifies it within its limits", () =>
    Effect.gen(function* () {
      const isRight = (list: ReadonlyArray<number>) => Effect.succeed(list.filter((item) => item > 10).length < 2)
      const found = yield* falsify(lists, isRight, { seed: 1, maxValues: 100, mayGoOn: () => true })
      assert.deepStrictEqual(found, [11, 11])
      let tries = 0
      const counted = (list: ReadonlyArray<number>) => Effect.sync(() => ++tries > 0 && list.length < 2)
      yield* falsify(lists, counted, { seed: 1, maxValues: 100, mayGoOn: () => tries < 3 })
      assert.strictEqual(tries, 3)
    })
  )

  it.effect("fails with the error of an attempt", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        falsify(lists, () => Effect.fail("lost"), { seed: 1, maxValues: 100, mayGoOn: () => true })
      )
      assert.isTrue(Exit.isFailure(exit))
    })
  )

  it.effect("removes unneeded items from a list", () =>
    Effect.gen(function* () {
      const isWrong = (list: ReadonlyArray<string>) => Effect.succeed(/a.*b.*a/.test(list.join("")))
      assert.deepStrictEqual(yield* shorten([..."xaxxbxyxaxx"], isWrong, () => true), ["a", "b", "a"])
      assert.deepStrictEqual(yield* shorten([..."xaba"], isWrong, () => false), [..."xaba"])
    })
  )
})
