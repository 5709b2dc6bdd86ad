import { assert, describe, it } from "@effect/vitest"
import type { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { Deferred, Effect, Exit, Fiber, Result, Scheduler } from "effect"
import { SqlClient } from "effect/sql"
import { type Interceptor, insert, sitting, started, type Table, table, turns } from "./group.ts"
import { open } from "./temporary.ts"

const names = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(2, "0")}`)

/** Logs how a transaction ended, when its fiber resumes. */
const noted = <A, E>({ log }: Table, name: string, transaction: Effect.Effect<A, E>) =>
  Effect.onExit(transaction, (exit) => Effect.sync(() => log.push(`${name}: ${exit._tag}`)))

describe("transactions of one group", () => {
  it.effect("share one COMMIT and resume after it", () =>
    Effect.gen(function* () {
      const group = yield* table()
      const { log, sql } = group
      const members = names(32)
      yield* Effect.forEach(members, (id) => noted(group, id, sql.withTransaction(insert(sql, id))), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(log, ["COMMIT", ...members.map((id) => `${id}: Success`)])
      assert.deepStrictEqual(group.committed(), members)
    })
  )

  it.effect("number at most groupMax; more transactions form further groups", () =>
    Effect.gen(function* () {
      const group = yield* table({ groupMax: 4 })
      const { log, sql } = group
      yield* Effect.forEach(names(10), (id) => noted(group, id, sql.withTransaction(insert(sql, id))), {
        concurrency: "unbounded"
      })
      const sizes = log
        .join(" ")
        .split("COMMIT")
        .slice(1)
        .map((told) => told.match(/Success/g)?.length)
      assert.deepStrictEqual(sizes, [4, 4, 2])
    })
  )

  it.effect("do not share a COMMIT if groupMax is 1", () =>
    Effect.gen(function* () {
      const group = yield* table({ groupMax: 1 })
      yield* Effect.forEach(names(5), (id) => group.sql.withTransaction(insert(group.sql, id)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(group.log, 5)
    })
  )

  it.effect("need no others: a single transaction commits without waiting", () =>
    Effect.gen(function* () {
      const group = yield* table()
      for (const id of names(3)) yield* group.sql.withTransaction(insert(group.sql, id))
      assert.lengthOf(group.log, 3)
      assert.lengthOf(group.committed(), 3)
    })
  )

  it.effect("see the writes of earlier transactions of the group before the COMMIT", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const first = yield* started(sql.withTransaction(insert(sql, "first")))
      const seen = yield* started(sql.withTransaction(sql`SELECT id FROM t`))
      assert.deepStrictEqual(committed(), [])
      yield* Fiber.join(first)
      assert.deepStrictEqual(
        (yield* Fiber.join(seen)).map((row) => ({ ...row })),
        [{ id: "first" }]
      )
    })
  )
})

describe("the first transaction of a group", () => {
  const controls = (ran: Array<string>): Interceptor => {
    return (statement, run) => {
      ran.push(statement)
      return run()
    }
  }
  const refusing = (sql: SqlClient.SqlClient) =>
    sql.withTransaction(Effect.andThen(insert(sql, "refused"), Effect.fail("no" as const)))

  it.effect("has no savepoint; each later transaction has one", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const { committed, sql } = yield* table({ interceptor: controls(ran) })
      yield* Effect.forEach(names(2), (id) => sql.withTransaction(insert(sql, id)), { concurrency: "unbounded" })
      assert.deepStrictEqual(ran, ["BEGIN IMMEDIATE", "SAVEPOINT member", "RELEASE SAVEPOINT member", "COMMIT"])
      assert.deepStrictEqual(committed(), names(2))
    })
  )

  it.effect("rolls back the group when it fails; later transactions form a new group and keep their writes", () =>
    Effect.gen(function* () {
      for (const refused of [
        refusing,
        (sql: SqliteClient["Service"]) =>
          sql.transactionSync(({ changes }) => {
            changes(insert(sql, "refused"))
            return Result.fail("no" as const)
          })
      ]) {
        const ran: Array<string> = []
        const { committed, sql } = yield* table({ interceptor: controls(ran) })
        const first = yield* started(Effect.flip(refused(sql)))
        const second = yield* started(sql.withTransaction(insert(sql, "second")))
        assert.strictEqual(yield* Fiber.join(first), "no")
        yield* Fiber.join(second)
        assert.deepStrictEqual(
          ran.filter((statement) => !statement.startsWith("INSERT")),
          ["BEGIN IMMEDIATE", "ROLLBACK", "BEGIN IMMEDIATE", "COMMIT"]
        )
        assert.deepStrictEqual(committed(), ["second"])
      }
    })
  )

  it.effect("fails if its rollback fails, and the next group does not contain its writes", () =>
    Effect.gen(function* () {
      let isDue = true
      const { committed, sql } = yield* table({
        interceptor: (statement, run) => {
          if (!isDue || statement !== "ROLLBACK") return run()
          isDue = false
          throw new Error("the rollback fails")
        }
      })
      const exit = yield* Effect.exit(refusing(sql))
      assert.include(String(exit), "the rollback fails")
      yield* sql.withTransaction(insert(sql, "next"))
      assert.deepStrictEqual(committed(), ["next"])
    })
  )
})

describe("a delayed COMMIT", () => {
  it.effect("delays every outcome: writes, failures and no-ops", () =>
    Effect.gen(function* () {
      const group = yield* table()
      const { log, sql } = group
      const write = yield* started(noted(group, "write", sql.withTransaction(insert(sql, "write"))))
      const refusal = yield* started(
        noted(group, "refusal", sql.withTransaction(Effect.andThen(insert(sql, "refused"), Effect.fail("no" as const))))
      )
      const noop = yield* started(noted(group, "no-op", sql.withTransaction(sql`SELECT id FROM t`)))
      const holder = yield* sitting(sql)
      yield* turns()
      assert.deepStrictEqual(log, [])
      assert.deepStrictEqual(group.committed(), [])
      yield* holder.letGo
      assert.strictEqual((yield* Fiber.await(write))._tag, "Success")
      assert.deepStrictEqual(yield* Fiber.await(refusal), Exit.fail("no" as const))
      yield* Fiber.join(noop)
      yield* Fiber.join(holder.fiber)
      assert.deepStrictEqual(log, ["COMMIT", "write: Success", "refusal: Failure", "no-op: Success"])
      assert.deepStrictEqual(group.committed(), ["write"])
    })
  )

  it.effect("is on disk before any transaction of the group resumes", () =>
    Effect.gen(function* () {
      const atCommit: Array<ReadonlyArray<string>> = []
      const group: Table = yield* table({
        interceptor: (statement, run) => {
          if (statement === "COMMIT") atCommit.push([...group.log])
          return run()
        }
      })
      const seen: Array<ReadonlyArray<string>> = []
      const look = Effect.sync(() => seen.push(group.committed()))
      const member = (id: string) => Effect.tap(group.sql.withTransaction(insert(group.sql, id)), look)
      yield* Effect.forEach(["a", "b"], (id) => noted(group, id, member(id)), { concurrency: "unbounded" })
      assert.deepStrictEqual(atCommit, [[]])
      assert.deepStrictEqual(seen, [
        ["a", "b"],
        ["a", "b"]
      ])
    })
  )

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

describe("a failing transaction", () => {
  it.effect("rolls back only its own writes", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const failing = sql.withTransaction(Effect.andThen(insert(sql, "failed"), Effect.fail("no" as const)))
      const exits = yield* Effect.forEach(
        [sql.withTransaction(insert(sql, "before")), failing, sql.withTransaction(insert(sql, "after"))],
        Effect.exit,
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        exits.map(({ _tag }) => _tag),
        ["Success", "Failure", "Success"]
      )
      assert.lengthOf(log, 1)
      assert.deepStrictEqual(committed(), ["after", "before"])
    })
  )

  it.effect("inside another transaction does not roll back the outer one, at any position in the group", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const member = (id: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* insert(sql, id)
            const inner = sql.withTransaction(Effect.andThen(insert(sql, `${id} inner`), Effect.fail("no" as const)))
            yield* Effect.ignore(inner)
          })
        )
      yield* Effect.forEach(["a", "b"], member, { concurrency: "unbounded" })
      assert.deepStrictEqual(committed(), ["a", "b"])
    })
  )
})

describe("an asynchronous transaction", () => {
  it.effect("uses the connection alone: later transactions wait, and commit with it or after it", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const holder = yield* sitting(sql, insert(sql, "holder"))
      const other = yield* started(sql.withTransaction(sql`INSERT INTO t SELECT 'saw ' || count(*), NULL FROM t`))
      yield* turns()
      assert.deepStrictEqual(log, [])
      yield* holder.letGo
      yield* Fiber.join(holder.fiber)
      yield* Fiber.join(other)
      assert.deepStrictEqual(committed(), ["holder", "saw 1"])
    })
  )

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
      const holder = yield* sitting(sql, insert(sql, "holder"))
      assert.deepStrictEqual(yield* ids(sql), [])
      yield* holder.letGo
      yield* Fiber.join(written)
      assert.include(yield* ids(sql), "written")
      yield* Fiber.join(holder.fiber)
      assert.deepStrictEqual(yield* ids(sql), ["holder", "written"])
    })
  )

  it.effect("are on disk before they return, and can join a group of transactions", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const seen: Array<ReadonlyArray<string>> = []
      const look = Effect.sync(() => seen.push(committed()))
      const alone = Effect.tap(insert(sql, "alone"), look)
      yield* Effect.all([alone, sql.withTransaction(insert(sql, "other"))], { concurrency: "unbounded" })
      assert.deepStrictEqual(seen, [["alone", "other"]])
      assert.lengthOf(log, 1)
    })
  )

  it.effect("write nothing when they fail, and do not fail other statements of the group", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const twice = sql`INSERT INTO t (id) VALUES ('one'), ('two'), ('one')`
      const exits = yield* Effect.forEach([insert(sql, "good"), twice], Effect.exit, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        exits.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
      assert.deepStrictEqual(committed(), ["good"])
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
      const holder = yield* sitting(sql, Effect.andThen(insert(sql, "undone"), Effect.fail("no")))
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
