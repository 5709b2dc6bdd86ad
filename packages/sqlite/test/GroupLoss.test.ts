import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { type Interceptor, insert, lose, sitting, started, table, turns } from "./group.ts"
import { filename, open, within } from "./temporary.ts"

/** Runs transactions as one group, in order, and returns their exits. */
const together = <A, E>(transactions: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(transactions, Effect.exit, { concurrency: "unbounded" })

/** Whether it failed with the database's error. A catchable failure would be wrong: it may depend on lost rows. */
const isLost = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      SqlError.isSqlError(Cause.isDieReason(reason) ? reason.defect : undefined) ||
      SqlError.isSqlError(Cause.isFailReason(reason) ? reason.error : undefined)
  ) &&
  exit.cause.reasons.every((reason) => !Cause.isFailReason(reason) || SqlError.isSqlError(reason.error))

/** A transaction that fails after reading the writes of earlier members. */
const refusing = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(Effect.andThen(insert(sql, "refused"), Effect.fail("no")))

/** Makes the first statement that begins like this fail without running. */
const failingOnce = (statement: string): Interceptor => {
  let isDue = true
  return (sql, run) => {
    if (!isDue || !sql.startsWith(statement)) return run()
    isDue = false
    throw new Error(`${statement} failed`)
  }
}

/** Checks that the table has exactly the rows of the group after a lost group. */
const nextIsWhole = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, committed: () => ReadonlyArray<string>) {
  const exits = yield* together([sql.withTransaction(insert(sql, "next")), insert(sql, "and one more")])
  assert.isTrue(exits.every(Exit.isSuccess))
  assert.deepStrictEqual(committed(), ["and one more", "next"])
})

describe("a group that SQLite has rolled back", () => {
  it.effect("fails every member: writers, refusals, no-ops and single statements", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const exits = yield* together([
        sql.withTransaction(insert(sql, "before")),
        refusing(sql),
        sql.withTransaction(sql`SELECT id FROM t`),
        insert(sql, "alone"),
        sql.withTransaction(lose(sql))
      ])
      assert.deepStrictEqual(exits.map(isLost), [true, true, true, true, true])
      assert.deepStrictEqual(log, [])
      assert.deepStrictEqual(committed(), [])
      yield* nextIsWhole(sql, committed)
    })
  )

  it.effect(
    "does not continue outside the transaction: further statements of its member fail, and so does the member",
    () =>
      Effect.gen(function* () {
        const { committed, sql } = yield* table()
        const before = yield* started(sql.withTransaction(insert(sql, "before")))
        const exit = yield* Effect.exit(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* Effect.ignore(lose(sql))
              yield* Effect.ignore(insert(sql, "outside"))
              yield* Effect.ignore(sql.withTransaction(insert(sql, "inner")))
              yield* Effect.ignore(sql.withTransaction(Effect.fail("no")))
            })
          )
        )
        assert.isTrue(isLost(exit))
        assert.isTrue(isLost(yield* Fiber.await(before)))
        assert.deepStrictEqual(committed(), [])
        yield* nextIsWhole(sql, committed)
      })
  )

  it.effect("reports no refusal of its members, even if a member caught the error", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const before = yield* started(sql.withTransaction(insert(sql, "before")))
      const refusal = Effect.andThen(Effect.ignore(lose(sql)), Effect.fail("no"))
      const outer = yield* started(sql.withTransaction(refusal))
      assert.isTrue(isLost(yield* Fiber.await(outer)))
      assert.isTrue(isLost(yield* Fiber.await(before)))
      let inner: unknown
      const around = Effect.tapError(sql.withTransaction(refusal), (error) =>
        Effect.sync(() => {
          inner = error
        })
      )
      assert.isTrue(isLost(yield* Effect.exit(sql.withTransaction(around))))
      assert.isTrue(SqlError.isSqlError(inner))
    })
  )

  it.effect("during an inner transaction fails the inner transaction with an error that the outer one can catch", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      let inner: unknown
      const outer = Effect.tap(Effect.flip(sql.withTransaction(lose(sql))), (error) =>
        Effect.sync(() => {
          inner = error
        })
      )
      assert.isTrue(isLost(yield* Effect.exit(sql.withTransaction(outer))))
      assert.isTrue(SqlError.isSqlError(inner))
    })
  )

  it.effect("is reported while its last member still has the connection, and no other transaction joins it", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const before = yield* started(sql.withTransaction(insert(sql, "before")))
      const holder = yield* sitting(sql, Effect.andThen(Effect.ignore(lose(sql)), turns()))
      const next = yield* started(sql.withTransaction(insert(sql, "next")))
      yield* holder.letGo
      assert.isTrue(isLost(yield* Fiber.await(before)))
      assert.isUndefined(next.pollUnsafe())
      assert.isTrue(isLost(yield* Fiber.await(holder.fiber)))
      yield* Fiber.join(next)
      assert.deepStrictEqual(committed(), ["next"])
    })
  )

  it.effect("because the disk is full keeps earlier commits, and the next group works once there is room", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      yield* insert(sql, "kept")
      const [pages] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 4}`)
      const large = sql`INSERT INTO t (id) VALUES (${"x".repeat(100_000)})`
      const exits = yield* together([
        sql.withTransaction(insert(sql, "before")),
        sql.withTransaction(large),
        sql.withTransaction(insert(sql, "after"))
      ])
      assert.deepStrictEqual(exits.map(isLost), [true, true, false])
      assert.include(String(exits[0]), "full")
      assert.deepStrictEqual(committed(), ["after", "kept"])
      yield* sql.unsafe("PRAGMA max_page_count = 100000")
      yield* sql.withTransaction(large)
      assert.lengthOf(committed(), 3)
    })
  )
})

describe("a failing COMMIT", () => {
  it.effect("fails every member and keeps none of their writes", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table({ interceptor: failingOnce("COMMIT") })
      const exits = yield* together([sql.withTransaction(insert(sql, "a")), refusing(sql), insert(sql, "b")])
      assert.deepStrictEqual(exits.map(isLost), [true, true, true])
      assert.deepStrictEqual(log, [])
      yield* nextIsWhole(sql, committed)
    })
  )

  it.effect("of SQLite leaves the transaction open, and it is rolled back", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const dangling = sql`INSERT INTO t (id, parent) VALUES ('child', 'nobody')`
      const exits = yield* together([sql.withTransaction(insert(sql, "a")), sql.withTransaction(dangling)])
      assert.deepStrictEqual(exits.map(isLost), [true, true])
      assert.include(String(exits[0]), "FOREIGN KEY")
      yield* nextIsWhole(sql, committed)
    })
  )

  it.effect("of a full group fails the whole group too", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table({ groupMax: 2, interceptor: failingOnce("COMMIT") })
      const exits = yield* together(["a", "b", "c"].map((id) => sql.withTransaction(insert(sql, id))))
      assert.deepStrictEqual(exits.map(isLost), [true, true, false])
      assert.deepStrictEqual(committed(), ["c"])
    })
  )

  it.effect("with a failing rollback: the next group rolls back before it begins", () =>
    Effect.gen(function* () {
      const [commit, rollback] = [failingOnce("COMMIT"), failingOnce("ROLLBACK")]
      const { committed, sql } = yield* table({
        interceptor: (statement, run) => commit(statement, () => rollback(statement, run))
      })
      assert.isTrue(isLost(yield* Effect.exit(sql.withTransaction(insert(sql, "a")))))
      yield* nextIsWhole(sql, committed)
    })
  )
})

describe("a closed database", () => {
  it.effect("fails members that wait for a COMMIT, and keeps none of their writes", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const scope = yield* Scope.make()
      const context = yield* Scope.provide(open(file), scope)
      const sql = yield* Effect.provide(SqlClient.SqlClient, context)
      yield* sql`CREATE TABLE t (id TEXT PRIMARY KEY) STRICT`
      const waiting = yield* started(sql.withTransaction(insert(sql, "waiting")))
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isLost(yield* Fiber.await(waiting)))
      assert.deepStrictEqual(yield* within(file, (next) => next`SELECT id FROM t`), [])
    })
  )
})

describe("a failing control statement", () => {
  const fails = (statement: string, victim: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      let isDue = false
      const { committed, sql } = yield* table({
        interceptor: (sql, run) => {
          if (!isDue || sql !== statement) return run()
          isDue = false
          throw new Error(`${statement} failed`)
        }
      })
      const first = yield* started(sql.withTransaction(insert(sql, "first")))
      isDue = true
      const exit = yield* Effect.exit(victim(sql))
      return { committed, sql, exit, first: yield* Fiber.await(first) }
    })

  it.effect("RELEASE SAVEPOINT fails the whole group: no other member commits the writes of the failed member", () =>
    Effect.gen(function* () {
      const writing = (sql: SqlClient.SqlClient) => sql.withTransaction(insert(sql, "written"))
      const { committed, exit, first, sql } = yield* fails("RELEASE SAVEPOINT member", writing)
      assert.deepStrictEqual([isLost(first), isLost(exit)], [true, true])
      yield* nextIsWhole(sql, committed)
    })
  )

  it.effect("ROLLBACK TO SAVEPOINT fails the whole group: no other member commits the writes of a refused member", () =>
    Effect.gen(function* () {
      const { committed, exit, first, sql } = yield* fails("ROLLBACK TO SAVEPOINT member", refusing)
      assert.deepStrictEqual([isLost(first), isLost(exit)], [true, true])
      yield* nextIsWhole(sql, committed)
    })
  )

  it.effect("SAVEPOINT fails only its own transaction", () =>
    Effect.gen(function* () {
      const { committed, exit, first } = yield* fails("SAVEPOINT member", refusing)
      assert.isTrue(isLost(exit))
      assert.isTrue(Exit.isSuccess(first))
      assert.deepStrictEqual(committed(), ["first"])
    })
  )

  it.effect("BEGIN fails its own transaction, and the next transaction begins again", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table({ interceptor: failingOnce("BEGIN") })
      assert.isTrue(isLost(yield* Effect.exit(sql.withTransaction(insert(sql, "a")))))
      yield* nextIsWhole(sql, committed)
    })
  )
})
