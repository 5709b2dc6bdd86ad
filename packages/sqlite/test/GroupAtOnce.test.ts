import { assert, describe, it } from "@effect/vitest"
import type { Immediate } from "@wcs/sqlite/GroupCommit"
import { Cause, Effect, Exit, Fiber, Result, Scheduler } from "effect"
import { SqlError } from "effect/sql"
import { insert, insertAtOnce, sitting, started, table, turns } from "./group.ts"

const insertion = "INSERT INTO t (id) VALUES (?)"
const losing = "INSERT OR ROLLBACK INTO t (id) VALUES ('twice'), ('twice')"

const errorOf = (exit: Exit.Exit<unknown, unknown>): unknown => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit)

describe("synchronous transactions", () => {
  it.effect("share one COMMIT with each other and with waiting ones, and see earlier writes", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const counted = sql.atOnce(({ rows }) => Result.succeed(rows("SELECT id FROM t", []).length))
      const told = yield* Effect.all(
        [insertAtOnce(sql, "a"), sql.withTransaction(insert(sql, "b")), insertAtOnce(sql, "c"), counted],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([told[0], told[2], told[3]], [1, 1, 3])
      assert.deepStrictEqual(log, ["COMMIT"])
      assert.deepStrictEqual(committed(), ["a", "b", "c"])
    })
  )

  it.effect("report writes, failures and no-ops after the COMMIT", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const holder = yield* sitting(sql)
      yield* holder.letGo
      yield* Fiber.join(holder.fiber)
      log.length = 0
      const noted = <A, E>(name: string, transaction: Effect.Effect<A, E>) =>
        started(Effect.onExit(transaction, ({ _tag }) => Effect.sync(() => log.push(`${name}: ${_tag}`))))
      yield* noted("write", insertAtOnce(sql, "a"))
      yield* noted(
        "refusal",
        sql.atOnce(() => Result.fail("no" as const))
      )
      yield* noted(
        "no-op",
        sql.atOnce(() => Result.void)
      )
      assert.deepStrictEqual([log, committed()], [[], []])
      yield* turns()
      assert.deepStrictEqual(log, ["COMMIT", "write: Success", "refusal: Failure", "no-op: Success"])
      assert.deepStrictEqual(committed(), ["a"])
    })
  )

  it.effect("share a COMMIT with at most groupMax, and with none if groupMax is 1", () =>
    Effect.gen(function* () {
      for (const [groupMax, commits] of [
        [1, 4],
        [2, 2]
      ] as const) {
        const { committed, log, sql } = yield* table({ groupMax })
        const ids = ["a", "b", "c", "d"]
        yield* Effect.forEach(ids, (id) => insertAtOnce(sql, id), { concurrency: "unbounded" })
        assert.lengthOf(log, commits)
        assert.deepStrictEqual(committed(), ids)
      }
    })
  )

  it.effect("wait for the holder of the connection", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const holder = yield* sitting(sql, insert(sql, "holder"))
      const count = sql.atOnce(({ rows }) => Result.succeed(rows("SELECT id FROM t", []).length))
      const waiting = yield* started(count)
      const interrupted = yield* started(insertAtOnce(sql, "interrupted"))
      yield* turns()
      yield* Fiber.interrupt(interrupted)
      yield* holder.letGo
      assert.strictEqual(yield* Fiber.join(waiting), 1)
      yield* Fiber.join(holder.fiber)
      assert.deepStrictEqual(committed(), ["holder"])
    })
  )

  it.effect("do not join a transaction that takes the connection just as they begin", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const ids = ["a", "b", "c", "d", "e", "f", "g", "h"]
      for (const [index, id] of ids.entries()) {
        const began = yield* started(Effect.andThen(Effect.void, insertAtOnce(sql, id))).pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, 3 + index) // yields one step later each time
        )
        const refusal = Effect.andThen(turns(), Effect.fail("no"))
        const refused = yield* started(sql.withTransaction(Effect.andThen(insert(sql, "refused"), refusal)))
        yield* Fiber.join(began)
        assert.deepStrictEqual(yield* Fiber.await(refused), Exit.fail("no"))
      }
      assert.deepStrictEqual(committed(), ids)
    })
  )

  it.effect("are rolled back if they fail, throw or die, without effect on others", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const then = (after: (connection: Immediate) => Result.Result<unknown, string>) =>
        sql.atOnce((connection) => {
          connection.changes(insertion, ["undone"])
          return after(connection)
        })
      const defect = new Error("a defect")
      const bodies = [
        () => Result.fail("no"),
        () => {
          throw defect
        },
        ({ changes }: Immediate) => Result.succeed(changes(insertion, ["undone"]))
      ]
      for (const name of ["free", "waited"]) {
        const holder = name === "free" ? undefined : yield* sitting(sql)
        const before = yield* started(insertAtOnce(sql, `${name} before`))
        const running = yield* Effect.forEach(bodies, (body) => started(then(body)))
        const after = yield* started(insertAtOnce(sql, `${name} after`))
        if (holder !== undefined) yield* holder.letGo
        const [refused, thrown, mistaken] = yield* Effect.forEach(running, Fiber.await)
        assert.deepStrictEqual(refused, Exit.fail("no"))
        assert.deepStrictEqual(thrown, Exit.die(defect))
        assert.isTrue(mistaken !== undefined && SqlError.isSqlError(errorOf(mistaken)))
        yield* Fiber.join(before)
        yield* Fiber.join(after)
      }
      assert.deepStrictEqual(committed(), ["free after", "free before", "waited after", "waited before"])
    })
  )

  it.effect("fail with the group's error if SQLite rolled the group back", () =>
    Effect.gen(function* () {
      for (const body of [
        ({ changes }: Immediate) => Result.succeed(changes(losing, [])),
        ({ changes }: Immediate) => {
          assert.throws(() => changes(losing, []))
          assert.throws(() => changes(insertion, ["outside"]))
          return Result.fail("no")
        },
        ({ changes }: Immediate) => {
          assert.throws(() => changes(losing, []))
          return Result.void
        }
      ]) {
        const { committed, log, sql } = yield* table()
        const before = yield* started(insertAtOnce(sql, "before"))
        // This resumes while the member that lost the group still has the seat, and opens the next group immediately.
        const again = yield* started(Effect.catch(insertAtOnce(sql, "once"), () => insertAtOnce(sql, "again")))
        const refused = yield* started(sql.atOnce(() => Result.fail("no")))
        const lost = yield* started(sql.atOnce<unknown, string>(body))
        for (const fiber of [before, refused, lost]) {
          assert.isTrue(SqlError.isSqlError(errorOf(yield* Fiber.await<unknown, unknown>(fiber))))
        }
        yield* Fiber.join(again)
        assert.deepStrictEqual([log, committed()], [["COMMIT"], ["again"]])
      }
    })
  )

  it.effect("fail if the group cannot be begun, joined, closed or committed, and the next group is complete", () =>
    Effect.gen(function* () {
      for (const [statement, firstStays] of [
        ["BEGIN IMMEDIATE", true],
        ["SAVEPOINT member", true],
        ["RELEASE SAVEPOINT member", false],
        ["COMMIT", false]
      ] as const) {
        let isDue = false
        const { committed, sql } = yield* table({
          interceptor: (text, run) => {
            if (!isDue || text !== statement) return run()
            isDue = false
            throw new Error(`${statement} failed`)
          }
        })
        const first = statement === "BEGIN IMMEDIATE" ? undefined : yield* started(insertAtOnce(sql, "first"))
        isDue = true
        const exit = yield* Effect.exit(insertAtOnce(sql, "victim"))
        assert.include(String(errorOf(exit)), `${statement} failed`)
        if (first !== undefined) assert.strictEqual(Exit.isSuccess(yield* Fiber.await(first)), firstStays)
        yield* insertAtOnce(sql, "next")
        const left = firstStays && first !== undefined ? ["first", "next"] : ["next"]
        assert.deepStrictEqual(committed(), left, statement)
      }
    })
  )

  it.effect("that cannot be rolled back fail the whole group", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table({
        interceptor: (text, run) => {
          if (text === "ROLLBACK TO SAVEPOINT member") throw new Error("the rollback fails")
          return run()
        }
      })
      const first = yield* started(insertAtOnce(sql, "first"))
      const exit = yield* Effect.exit(
        sql.atOnce(({ changes }) => {
          changes(insertion, ["refused"])
          return Result.fail("no")
        })
      )
      assert.include(String(errorOf(exit)), "the rollback fails")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(first)))
      assert.deepStrictEqual(committed(), [])
    })
  )

  it.effect("cannot use their connection after their end", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const kept: Array<Immediate> = []
      yield* sql.atOnce((connection) => Result.succeed(kept.push(connection)))
      for (const { changes, rows } of kept) {
        assert.throws(() => changes(insertion, ["late"]), /the transaction has ended/)
        assert.throws(() => rows("SELECT 1", []), /the transaction has ended/)
      }
      assert.lengthOf(kept, 1)
      assert.deepStrictEqual(committed(), [])
    })
  )

  it.effect("are applied completely or not at all when interrupted at any step, and release the connection", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const endings = new Set<string>()
      for (const isFree of [true, false]) {
        for (let step = 0, isOver = false; !isOver; step++) {
          const [one, two] = [`${isFree} ${step} one`, `${isFree} ${step} two`]
          const holder = isFree ? undefined : yield* sitting(sql)
          const both = sql.atOnce(({ changes }) => {
            changes(insertion, [one])
            return Result.succeed(changes(insertion, [two]))
          })
          const victim = yield* started(both).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 3))
          if (holder !== undefined) yield* holder.letGo
          yield* turns(step)
          isOver = victim.pollUnsafe() !== undefined
          yield* Fiber.interrupt(victim)
          const exit = yield* Fiber.await(victim)
          const there = committed().filter((id) => id === one || id === two).length
          assert.include(Exit.isSuccess(exit) ? [2] : [0, 2], there, `interrupted at step ${step}`)
          endings.add(`${exit._tag} ${there}`)
          const next = yield* started(insertAtOnce(sql, `${isFree} ${step} next`))
          yield* turns()
          assert.isDefined(next.pollUnsafe(), `the connection is never released after step ${step}`)
        }
      }
      assert.includeMembers([...endings], ["Failure 0", "Success 2"])
    })
  )
})
