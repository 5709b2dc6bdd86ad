import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scheduler } from "effect"
import { SqlClient } from "effect/sql"
import { holding, insert, started, type Table, table, turns, ways } from "./group.ts"
import { open } from "./temporary.ts"

const names = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(2, "0")}`)

describe("concurrent members", () => {
  it.effect.each(ways)("share one COMMIT, at most groupMax of them: %s", ([, write]) =>
    Effect.gen(function* () {
      for (const [groupMax, expected] of [
        [256, [10]],
        [4, [4, 8, 10]],
        [1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
      ] as const) {
        const rows: Array<number> = []
        const group: Table = yield* table({
          groupMax,
          interceptor: (statement, run) => {
            const done = run()
            if (statement === "COMMIT") rows.push(group.committed().length)
            return done
          }
        })
        yield* Effect.forEach(names(10), (id) => write(group.sql, [id]), { concurrency: "unbounded" })
        assert.deepStrictEqual(rows, [...expected])
      }
    })
  )

  it.effect("have a savepoint each but the first", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const { committed, sql } = yield* table({
        interceptor: (statement, run) => {
          ran.push(statement)
          return run()
        }
      })
      yield* Effect.forEach(names(2), (id) => sql.withTransaction(insert(sql, id)), { concurrency: "unbounded" })
      assert.deepStrictEqual(ran, ["BEGIN IMMEDIATE", "SAVEPOINT member", "RELEASE SAVEPOINT member", "COMMIT"])
      assert.deepStrictEqual(committed(), names(2))
    })
  )
})

describe("a delayed COMMIT", () => {
  it.effect("is not delayed without limit: a long stream of transactions is split into several groups", () =>
    Effect.gen(function* () {
      const { log, sql } = yield* table()
      const slow = (id: string) => sql.withTransaction(Effect.andThen(insert(sql, id), turns(3)))
      yield* Effect.forEach(names(24), slow, { concurrency: "unbounded" })
      assert.isAtLeast(log.length, 3)
      assert.isAtMost(log.length, 6)
      log.length = 0
      const coming = yield* Effect.forEach(names(24), (id) =>
        Effect.tap(started(sql.withTransaction(insert(sql, `${id} fast`))), turns(1))
      )
      yield* Effect.forEach(coming, Fiber.join)
      assert.isAtLeast(log.length, 3)
      assert.isAtMost(log.length, 6)
    })
  )
})

describe("an asynchronous transaction", () => {
  it.effect("cannot write after its end", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const over = yield* Deferred.make<void>()
      const late = Effect.andThen(Deferred.await(over), insert(sql, "late"))
      const fiber = yield* sql.withTransaction(
        Effect.andThen(insert(sql, "in time"), Effect.forkDetach(late, { startImmediately: true }))
      )
      yield* Deferred.succeed(over, undefined)
      const exit = yield* Fiber.await(fiber)
      assert.include(String(exit), "the transaction has ended")
      assert.deepStrictEqual(committed(), ["in time"])
    })
  )

  it.effect("cannot write after its end while it still has the connection", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const straying = Effect.forever(Effect.andThen(sql`REPLACE INTO t (id) VALUES ('stray')`, Effect.yieldNow)).pipe(
        Effect.provideService(Scheduler.MaxOpsBeforeYield, 2048)
      )
      for (const place of ["first", "second"]) {
        const before = place === "first" ? undefined : yield* started(sql.withTransaction(insert(sql, "before")))
        const refused = yield* started(
          sql.withTransaction(Effect.andThen(Effect.forkDetach(straying), Effect.fail("no")))
        ).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 3)) // yields wherever it can
        assert.deepStrictEqual(yield* Fiber.await(refused), Exit.fail("no"))
        if (before !== undefined) yield* Fiber.join(before)
      }
      assert.deepStrictEqual(committed(), ["before"])
    })
  )
})

describe("statements outside transactions", () => {
  const ids = (sql: SqlClient.SqlClient) =>
    Effect.map(sql<{ readonly id: string }>`SELECT id FROM t ORDER BY id`, (rows) => rows.map(({ id }) => id))

  it.effect("read only committed rows, without waiting for a writer", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const written = yield* started(sql.withTransaction(insert(sql, "written")))
      const holder = yield* holding(sql, insert(sql, "holder"))
      assert.deepStrictEqual(yield* ids(sql), [])
      yield* holder.letGo
      yield* Fiber.join(written)
      assert.include(yield* ids(sql), "written")
      yield* Fiber.join(holder.fiber)
      assert.deepStrictEqual(yield* ids(sql), ["holder", "written"])
    })
  )

  it.effect("count as writes by default, also after WITH or a comment", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      yield* sql`WITH fresh AS (SELECT 'with' AS id) INSERT INTO t (id) SELECT id FROM fresh`
      yield* sql`/* SELECT */ INSERT INTO t (id) VALUES ('comment')`
      yield* sql`REPLACE INTO t (id) VALUES ('replace') RETURNING id`
      assert.deepStrictEqual(committed(), ["comment", "replace", "with"])
    })
  )
})

describe("an in-memory database", () => {
  it.effect("runs a read between transactions, never inside the transaction of another fiber", () =>
    Effect.gen(function* () {
      const context = yield* open(":memory:")
      const sql = yield* Effect.provide(SqlClient.SqlClient, context)
      yield* sql`CREATE TABLE t (id TEXT PRIMARY KEY) STRICT`
      const holder = yield* holding(sql, Effect.andThen(insert(sql, "undone"), Effect.fail("no")))
      const read = yield* started(sql`SELECT id FROM t`)
      yield* Effect.forEach(["a", "b"], (id) => started(sql.withTransaction(insert(sql, id))))
      yield* turns()
      assert.isUndefined(read.pollUnsafe())
      yield* holder.letGo
      assert.deepStrictEqual(yield* Fiber.join(read), [])
      const told = yield* started(sql.withTransaction(insert(sql, "told")))
      assert.lengthOf(yield* sql`SELECT id FROM t WHERE id = 'told'`, 1)
      assert.isDefined(told.pollUnsafe(), "only committed rows are read")
      yield* Fiber.await(holder.fiber)
      yield* insert(sql, "c")
      const rows = yield* sql<{ readonly id: string }>`SELECT id FROM t ORDER BY id`
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        ["a", "b", "c", "told"]
      )
    })
  )
})
