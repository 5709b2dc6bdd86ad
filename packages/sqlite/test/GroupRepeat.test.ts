import { assert, describe, it } from "@effect/vitest"
import type { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { Cause, Effect, Exit, Fiber, Result } from "effect"
import { SqlError } from "effect/sql"
import { insert, insertSync, lose, started, table } from "./group.ts"

type Sql = SqliteClient["Service"]

/** An open table, and the beginning of every statement that is run for its effect. */
const recorded = Effect.gen(function* () {
  const ran: Array<string> = []
  const opened = yield* table({
    interceptor: (statement, run) => {
      ran.push(statement.split(" ", statement.startsWith("ROLLBACK TO") ? 2 : 1).join(" "))
      return run()
    }
  })
  ran.length = 0
  return { ...opened, ran }
})

const writing = (sql: Sql, runs: Array<string>, id: string) =>
  sql.transactionSync(({ changes }) => {
    runs.push(id)
    return Result.succeed(changes(insert(sql, id)))
  })

const refusing = (sql: Sql, runs: Array<string>, id: string) =>
  sql.transactionSync(({ changes }) => {
    runs.push(id)
    changes(insert(sql, id))
    return Result.fail("no" as const)
  })

/** Runs the transactions as one group, in order. */
const together = <A, E>(transactions: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(transactions, Effect.exit, { concurrency: "unbounded" })

const isOfStore = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && SqlError.isSqlError(Cause.squash(exit.cause))

describe("synchronous transactions of one group", () => {
  it.effect("have no savepoints", () =>
    Effect.gen(function* () {
      const { committed, ran, sql } = yield* recorded
      yield* together(["a", "b", "c"].map((id) => insertSync(sql, id)))
      assert.deepStrictEqual(ran, ["BEGIN", "INSERT", "INSERT", "INSERT", "COMMIT"])
      assert.deepStrictEqual(committed(), ["a", "b", "c"])
    })
  )

  it.effect("undo nothing when one of them fails before it has written", () =>
    Effect.gen(function* () {
      const { committed, ran, sql } = yield* recorded
      const refused = sql.transactionSync(({ rows }) => Result.fail(rows(sql`SELECT id FROM t`).length))
      const exits = yield* together<number, unknown>([insertSync(sql, "a"), refused, insertSync(sql, "b")])
      assert.deepStrictEqual(exits, [Exit.succeed(1), Exit.fail(1), Exit.succeed(1)])
      assert.deepStrictEqual(ran, ["BEGIN", "INSERT", "INSERT", "COMMIT"])
      assert.deepStrictEqual(committed(), ["a", "b"])
    })
  )

  it.effect("run again with savepoints, once, when one of them fails after it has written", () =>
    Effect.gen(function* () {
      const { committed, log, ran, sql } = yield* recorded
      const runs: Array<string> = []
      const exits = yield* together<number, "no" | SqlError.SqlError>([
        writing(sql, runs, "a"),
        writing(sql, runs, "b"),
        refusing(sql, runs, "c"),
        refusing(sql, runs, "d"),
        writing(sql, runs, "e")
      ])
      const refusal = Exit.fail("no" as const)
      assert.deepStrictEqual(exits, [Exit.succeed(1), Exit.succeed(1), refusal, refusal, Exit.succeed(1)])
      assert.deepStrictEqual(runs, ["a", "b", "c", "a", "b", "c", "d", "e"])
      const kept = ["SAVEPOINT", "INSERT", "RELEASE"]
      const undone = ["SAVEPOINT", "INSERT", "ROLLBACK TO", "RELEASE"]
      assert.deepStrictEqual(
        ran,
        [
          ["BEGIN", "INSERT", "INSERT", "INSERT", "ROLLBACK"],
          ["BEGIN", kept, kept, undone, undone, kept, "COMMIT"]
        ].flat(3)
      )
      assert.deepStrictEqual(log, ["COMMIT"])
      assert.deepStrictEqual(committed(), ["a", "b", "e"])
    })
  )

  it.effect("report the result of their last run", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const twice = (first: boolean) => {
        let runs = 0
        return sql.transactionSync(({ changes }) => {
          changes(insert(sql, `${first} ${++runs}`))
          return (runs === 1) === first ? Result.succeed(runs) : Result.fail(runs)
        })
      }
      const exits = yield* together([insertSync(sql, "a"), twice(true), twice(false)])
      assert.deepStrictEqual(exits, [Exit.succeed(1), Exit.fail(2), Exit.succeed(2)])
      assert.deepStrictEqual(committed(), ["a", "false 2"])
    })
  )

  it.effect(
    "all fail if SQLite rolls the group back in their second run, also when the next group is open by then",
    () =>
      Effect.gen(function* () {
        const { committed, sql } = yield* table()
        let runs = 0
        const before = yield* started(Effect.catch(insertSync(sql, "before"), () => insertSync(sql, "again")))
        const lost = yield* started(
          sql.transactionSync(({ changes }) => {
            changes(insert(sql, "lost"))
            if (++runs === 2) changes(lose(sql))
            return Result.void
          })
        )
        const refused = yield* started(refusing(sql, [], "refused"))
        assert.isTrue(isOfStore(yield* Fiber.await(lost)))
        assert.isTrue(isOfStore(yield* Fiber.await(refused)))
        yield* Fiber.join(before)
        assert.deepStrictEqual(committed(), ["again"])
      })
  )
})
