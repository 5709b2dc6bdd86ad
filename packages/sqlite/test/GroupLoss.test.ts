import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { insert, lose, started, table, ways } from "./group.ts"
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

describe("a group that SQLite has rolled back", () => {
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
  it.effect.each(ways)("at its beginning fails only %s", ([, write]) =>
    Effect.gen(function* () {
      for (const [statement, rows] of [
        ["BEGIN IMMEDIATE", ["next"]],
        ["SAVEPOINT member", ["first", "next"]]
      ] as const) {
        let isDue = false
        const { committed, sql } = yield* table({
          interceptor: (text, run) => {
            if (!isDue || text !== statement) return run()
            isDue = false
            throw new Error(`${statement} failed`)
          }
        })
        // It cannot run again, so the next member has a savepoint.
        const opening = sql.withTransaction(insert(sql, "first"))
        const first = statement === "BEGIN IMMEDIATE" ? undefined : yield* started(opening)
        isDue = true
        assert.include(String(yield* Effect.exit(write(sql, ["victim"]))), `${statement} failed`)
        if (first !== undefined) yield* Fiber.join(first)
        yield* write(sql, ["next"])
        assert.deepStrictEqual(committed(), [...rows], statement)
      }
    })
  )
})
