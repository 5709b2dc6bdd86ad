import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scheduler } from "effect"
import { holding, insert, started, table, turns, ways } from "./group.ts"

/** The smallest number of operations before a yield: the fiber can be interrupted after each. */
const stepwise = 3

describe("an interruption", () => {
  it.effect("while waiting for the connection does not end the group of the transaction that has the connection", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const before = yield* started(sql.withTransaction(insert(sql, "before")))
      const reached = yield* Deferred.make<void>()
      const letGo = yield* Deferred.make<void>()
      const half = sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, "half")
          yield* Deferred.succeed(reached, undefined)
          yield* Deferred.await(letGo)
          return yield* Effect.fail("no")
        })
      )
      const inside = yield* started(half)
      yield* Deferred.await(reached)
      for (let round = 0; round < 3; round++) {
        const waiting = yield* started(sql.withTransaction(insert(sql, "interrupted")))
        yield* turns()
        yield* Fiber.interrupt(waiting)
        yield* turns()
        assert.deepStrictEqual([log, committed()], [[], []])
      }
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.await(inside)
      yield* Fiber.join(before)
      assert.deepStrictEqual(committed(), ["before"])
    })
  )

  it.effect.each(ways)("at any step leaves %s complete or absent, and the connection free", ([, write]) =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const endings = new Set<string>()
      for (const place of ["first", "second"]) {
        for (let step = 0, isOver = false; !isOver; step++) {
          const [one, two, after] = [`${place} ${step} one`, `${place} ${step} two`, `${place} ${step} after`]
          const holder = place === "first" ? undefined : yield* holding(sql)
          const victim = yield* started(write(sql, [one, two])).pipe(
            Effect.provideService(Scheduler.MaxOpsBeforeYield, stepwise)
          )
          if (holder !== undefined) yield* holder.letGo
          yield* turns(step)
          isOver = victim.pollUnsafe() !== undefined
          yield* Fiber.interrupt(victim)
          const exit = yield* Fiber.await(victim)
          const there = committed().filter((id) => id === one || id === two).length
          assert.include(Exit.isSuccess(exit) ? [2] : [0, 2], there, `${place}, interrupted at step ${step}`)
          endings.add(`${exit._tag} ${there}`)
          if (holder !== undefined) yield* Fiber.join(holder.fiber)
          const next = yield* started(write(sql, [after]))
          yield* turns()
          assert.isDefined(next.pollUnsafe(), `the connection is never released after step ${step}`)
          assert.include(committed(), after)
        }
      }
      assert.includeMembers([...endings], ["Failure 0", "Success 2"])
    })
  )
})
