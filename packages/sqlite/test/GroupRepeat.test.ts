import { assert, describe, it } from "@effect/vitest"
import type { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { Effect, Exit, Result } from "effect"
import type { SqlError } from "effect/sql"
import { insert, insertSync, table } from "./group.ts"

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
})
