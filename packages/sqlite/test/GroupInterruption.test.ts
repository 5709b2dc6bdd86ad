import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scheduler } from "effect"
import { insert, sitting, started, table, turns } from "./group.ts"

/** The smallest number of operations before a yield: the fiber can be interrupted after each. */
const stepwise = 3

describe("an interruption", () => {
  it.effect("while waiting for the connection begins nothing, and the connection goes to the next transaction", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const holder = yield* sitting(sql)
      const waiting = yield* started(sql.withTransaction(insert(sql, "interrupted")))
      const behind = yield* started(sql.withTransaction(insert(sql, "behind")))
      yield* Fiber.interrupt(waiting)
      yield* holder.letGo
      yield* Fiber.join(behind)
      assert.deepStrictEqual(committed(), ["behind"])
    })
  )

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

  it.effect("inside a transaction rolls back its writes and keeps those of its group", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const before = yield* started(sql.withTransaction(insert(sql, "before")))
      const reached = yield* Deferred.make<void>()
      const body = Effect.gen(function* () {
        yield* insert(sql, "interrupted")
        yield* Effect.ignore(sql.withTransaction(insert(sql, "inner")))
        yield* Deferred.succeed(reached, undefined)
        return yield* Effect.never
      })
      const inside = yield* started(sql.withTransaction(body))
      const behind = yield* started(sql.withTransaction(insert(sql, "behind")))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(inside)
      yield* Fiber.join(before)
      yield* Fiber.join(behind)
      assert.deepStrictEqual(committed(), ["before", "behind"])
      assert.isAtMost(log.length, 2)
    })
  )

  it.effect("inside an inner transaction rolls back the outer one too", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const reached = yield* Deferred.make<void>()
      const inner = sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, "inner")
          yield* Deferred.succeed(reached, undefined)
          return yield* Effect.never
        })
      )
      const fiber = yield* started(sql.withTransaction(Effect.andThen(insert(sql, "outer"), inner)))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(fiber)
      yield* sql.withTransaction(insert(sql, "next"))
      assert.deepStrictEqual(committed(), ["next"])
    })
  )

  it.effect("while waiting for the COMMIT still waits for it, and the transaction stays", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const done = yield* started(sql.withTransaction(insert(sql, "done")))
      const holder = yield* sitting(sql)
      const interrupting = yield* started(Fiber.interrupt(done))
      yield* turns()
      assert.isUndefined(interrupting.pollUnsafe())
      yield* holder.letGo
      yield* Fiber.join(interrupting)
      yield* Fiber.join(holder.fiber)
      assert.deepStrictEqual(log, ["COMMIT"])
      assert.deepStrictEqual(committed(), ["done"])
    })
  )

  it.effect("at any step leaves the transaction complete or absent, and the connection free", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      for (const place of ["first", "second"]) {
        const endings = new Set<string>()
        for (let step = 0, isOver = false; !isOver; step++) {
          const [one, two, after] = [`${place} ${step} one`, `${place} ${step} two`, `${place} ${step} after`]
          const holder = place === "first" ? undefined : yield* sitting(sql)
          const victim = yield* started(sql.withTransaction(Effect.andThen(insert(sql, one), insert(sql, two)))).pipe(
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
          const next = yield* started(sql.withTransaction(insert(sql, after)))
          yield* turns()
          assert.isDefined(next.pollUnsafe(), `the seat is never released after step ${step}`)
          assert.include(committed(), after)
        }
        assert.includeMembers([...endings], ["Failure 0", "Failure 2", "Success 2"])
      }
    })
  )

  it.effect(
    "at any step of a statement outside transactions leaves the statement complete or absent, and the connection free",
    () =>
      Effect.gen(function* () {
        const { committed, sql } = yield* table()
        for (let step = 0, isOver = false; !isOver; step++) {
          const holder = yield* sitting(sql)
          const victim = yield* started(insert(sql, `${step}`)).pipe(
            Effect.provideService(Scheduler.MaxOpsBeforeYield, stepwise)
          )
          yield* holder.letGo
          yield* turns(step)
          isOver = victim.pollUnsafe() !== undefined
          yield* Fiber.interrupt(victim)
          if (Exit.isSuccess(yield* Fiber.await(victim))) assert.include(committed(), `${step}`)
          yield* Fiber.join(holder.fiber)
          const next = yield* started(sql.withTransaction(insert(sql, `${step} next`)))
          yield* turns()
          assert.isDefined(next.pollUnsafe(), `the seat is never released after step ${step}`)
        }
      })
  )
})
