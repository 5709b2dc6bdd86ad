import { assert, it, layer, type Vitest } from "@effect/vitest"
import type { SqliteClient } from "@wcs/sqlite/SqliteClient"
import type { SyncConnection } from "@wcs/sqlite/SyncConnection"
import { Cause, Effect, Exit, Fiber, Layer, Option, References, Result, Scheduler, Tracer } from "effect"
import { SqlError } from "effect/sql"
import { insert, insertSync, lose, sitting, started, table, turns } from "./group.ts"

const errorOf = (exit: Exit.Exit<unknown, unknown>): unknown => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit)

const transactions = (it: Vitest.MethodsNonLive) => {
  it.effect("share one COMMIT with each other and with asynchronous transactions, and see earlier writes", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const counted = sql.transactionSync(({ rows }) => Result.succeed(rows(sql`SELECT id FROM t`).length))
      const told = yield* Effect.all(
        [insertSync(sql, "a"), sql.withTransaction(insert(sql, "b")), insertSync(sql, "c"), counted],
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
      yield* noted("write", insertSync(sql, "a"))
      yield* noted(
        "refusal",
        sql.transactionSync(() => Result.fail("no" as const))
      )
      yield* noted(
        "no-op",
        sql.transactionSync(() => Result.void)
      )
      assert.deepStrictEqual([log, committed()], [[], []])
      yield* turns()
      assert.deepStrictEqual(log, ["COMMIT", "write: Success", "refusal: Failure", "no-op: Success"])
      assert.deepStrictEqual(committed(), ["a"])
    })
  )

  it.effect("share a COMMIT in groups of at most groupMax, and never if groupMax is 1", () =>
    Effect.gen(function* () {
      for (const [groupMax, commits] of [
        [1, 4],
        [2, 2]
      ] as const) {
        const { committed, log, sql } = yield* table({ groupMax })
        const ids = ["a", "b", "c", "d"]
        yield* Effect.forEach(ids, (id) => insertSync(sql, id), { concurrency: "unbounded" })
        assert.lengthOf(log, commits)
        assert.deepStrictEqual(committed(), ids)
      }
    })
  )

  it.effect("wait for the holder of the connection", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const holder = yield* sitting(sql, insert(sql, "holder"))
      const count = sql.transactionSync(({ rows }) => Result.succeed(rows(sql`SELECT id FROM t`).length))
      const waiting = yield* started(count)
      const interrupted = yield* started(insertSync(sql, "interrupted"))
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
        const began = yield* started(Effect.andThen(Effect.void, insertSync(sql, id))).pipe(
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
      const then = (after: (connection: SyncConnection) => Result.Result<unknown, string>) =>
        sql.transactionSync((connection) => {
          connection.changes(insert(sql, "undone"))
          return after(connection)
        })
      const defect = new Error("a defect")
      const bodies = [
        () => Result.fail("no"),
        () => {
          throw defect
        },
        ({ changes }: SyncConnection) => Result.succeed(changes(insert(sql, "undone")))
      ]
      for (const name of ["free", "waited"]) {
        const holder = name === "free" ? undefined : yield* sitting(sql)
        const before = yield* started(insertSync(sql, `${name} before`))
        const running = yield* Effect.forEach(bodies, (body) => started(then(body)))
        const after = yield* started(insertSync(sql, `${name} after`))
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
      for (const ends of [
        (sql: SqliteClient["Service"]) => sql.transactionSync(({ changes }) => Result.succeed(changes(lose(sql)))),
        (sql: SqliteClient["Service"]) =>
          sql.transactionSync(({ changes }) => {
            assert.throws(() => changes(lose(sql)))
            assert.throws(() => changes(insert(sql, "outside")))
            return Result.fail("no")
          }),
        (sql: SqliteClient["Service"]) =>
          sql.transactionSync(({ changes }) => {
            assert.throws(() => changes(lose(sql)))
            return Result.void
          })
      ]) {
        const { committed, log, sql } = yield* table()
        const before = yield* started(insertSync(sql, "before"))
        // This resumes while the member that lost the group still has the seat, and opens the next group immediately.
        const again = yield* started(Effect.catch(insertSync(sql, "once"), () => insertSync(sql, "again")))
        const refused = yield* started(sql.transactionSync(() => Result.fail("no")))
        const lost = yield* started<unknown, unknown, never>(ends(sql))
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
        // It cannot run again, so the next member has a savepoint.
        const opening = sql.withTransaction(insert(sql, "first"))
        const first = statement === "BEGIN IMMEDIATE" ? undefined : yield* started(opening)
        isDue = true
        const exit = yield* Effect.exit(insertSync(sql, "victim"))
        assert.include(String(errorOf(exit)), `${statement} failed`)
        if (first !== undefined) assert.strictEqual(Exit.isSuccess(yield* Fiber.await(first)), firstStays)
        yield* insertSync(sql, "next")
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
      const first = yield* started(insertSync(sql, "first"))
      const exit = yield* Effect.exit(
        sql.transactionSync(({ changes }) => {
          changes(insert(sql, "refused"))
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
      const kept: Array<SyncConnection> = []
      yield* sql.transactionSync((connection) => Result.succeed(kept.push(connection)))
      for (const { changes, rows } of kept) {
        assert.throws(() => changes(insert(sql, "late")), /the transaction has ended/)
        assert.throws(() => rows(sql`SELECT 1`), /the transaction has ended/)
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
          const both = sql.transactionSync(({ changes }) => {
            changes(insert(sql, one))
            return Result.succeed(changes(insert(sql, two)))
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
          const next = yield* started(insertSync(sql, `${isFree} ${step} next`))
          yield* turns()
          assert.isDefined(next.pollUnsafe(), `the connection is never released after step ${step}`)
        }
      }
      assert.includeMembers([...endings], ["Failure 0", "Success 2"])
    })
  )
}

for (const [name, isTraced] of [
  ["synchronous transactions", false],
  ["synchronous transactions with a tracer", true]
] as const) {
  layer(Layer.succeed(References.TracerEnabled, isTraced))(name, transactions)
}

/** The spans of an effect, without their ids and times. */
const spansOf = Effect.fnUntraced(function* (effect: Effect.Effect<unknown, unknown>) {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.exit(Effect.withTracer(effect, tracer))
  return spans.map(({ attributes, events, kind, name, parent, status }) => ({
    name,
    kind,
    parent: Option.getOrUndefined(
      Option.map(parent, ({ spanId }) => spans.findIndex((span) => span.spanId === spanId))
    ),
    attributes: [...attributes].sort(),
    events: events.map(([event]) => event),
    end: status._tag === "Ended" ? status.exit._tag : status._tag
  }))
})

it.effect("a synchronous transaction has the spans of an asynchronous one", () =>
  Effect.gen(function* () {
    for (const isFree of [true, false]) {
      const { sql } = yield* table()
      const read = sql`SELECT id FROM t`
      const write = insert(sql, "a")
      for (const [async, sync] of [
        [
          sql.withTransaction(Effect.all([read, write.raw, Effect.fail("undone")])),
          sql.transactionSync(({ changes, rows }) => Result.fail([rows(read), changes(write)]))
        ],
        [
          sql.withTransaction(Effect.all([sql`DELETE FROM t`.raw, write.raw])),
          sql.transactionSync(({ changes }) => Result.succeed([changes(sql`DELETE FROM t`), changes(write)]))
        ],
        [
          sql.withTransaction(Effect.all([read, write.raw])),
          sql.transactionSync(({ changes, rows }) => Result.succeed([rows(read), changes(write)]))
        ]
      ] as const) {
        const holder = isFree ? undefined : yield* sitting(sql)
        const traced = yield* started(spansOf(async))
        if (holder !== undefined) yield* holder.letGo
        const expected = yield* Fiber.join(traced)
        const other = isFree ? undefined : yield* sitting(sql)
        const found = yield* started(spansOf(sync))
        if (other !== undefined) yield* other.letGo
        assert.deepStrictEqual(yield* Fiber.join(found), expected)
        assert.lengthOf(expected, 3)
      }
    }
  })
)
