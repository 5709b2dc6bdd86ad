import { assert, layer } from "@effect/vitest"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { auditEntry, start } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect, Exit, Fiber, Queue, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { postgresStore } from "../engines.ts"
import { meddling, move, prepared, stateOf } from "../moving.ts"
import { recording } from "../recording.ts"

/** Moves each credential to a worker, concurrently, each by a transition of its own. */
const moveEach = (tenantId: string, ids: ReadonlyArray<string>, to: string) =>
  Effect.forEach(ids, (id) => move(tenantId, { _tag: "Ids", ids: [id] }, to), { concurrency: "unbounded" })

/** Waits until a statement waits for a lock, and returns its process. */
const waitingProcess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    const [waiting] = yield* sql<{ readonly pid: number }>`SELECT l.pid FROM pg_locks AS l
      JOIN pg_database AS d ON d.oid = l.database AND d.datname = current_database() WHERE NOT l.granted`
    if (waiting !== undefined) return waiting.pid
  }
})

layer(postgresStore, { excludeTestServices: true })("groups of transitions on Postgres", (it) => {
  it.effect("transitions that arrive together take one read and one write", () =>
    Effect.gen(function* () {
      const { ids, tenantId, to } = yield* prepared(40)
      const { answer, ran } = yield* recording(moveEach(tenantId, ids, to))
      assert.lengthOf(ran, 2)
      for (const { decisions, outcome } of answer) {
        assert.deepStrictEqual([outcome, decisions], [Result.succeed(1), [{ found: 1, isPresent: true }]])
      }
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: ids.map(() => 2), records: [40, 40] })
    })
  )

  it.effect("only the transition whose credential has changed meanwhile is decided again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, tenantId, to } = yield* prepared(3)
      const meddle = sql`UPDATE credential SET version = version + 1 WHERE tenant_id = ${tenantId} AND id = ${ids[1]}`
      const moved = yield* moveEach(tenantId, ids, to).pipe(
        Effect.provideService(Statement.CurrentTransformer, meddling(meddle))
      )
      assert.deepStrictEqual(
        moved.map(({ decisions, outcome }) => [outcome, decisions.length]),
        [1, 2, 1].map((decisions) => [Result.succeed(1), decisions])
      )
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [2, 3, 2], records: [3, 3] })
    })
  )

  it.effect("a locked credential delays its own transition only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, tenantId, to } = yield* prepared(3)
      const [locked = "", ...free] = ids
      const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const change = sql`UPDATE credential SET version = version + 1 WHERE tenant_id = ${tenantId} AND id = ${locked}`
      const steps = [change, Deferred.succeed(isLocked, undefined), Deferred.await(isOver)]
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.all(steps)))
      yield* Deferred.await(isLocked)
      const delayed = yield* Effect.forkChild(moveEach(tenantId, [locked], to), { startImmediately: true })
      for (const { outcome } of yield* moveEach(tenantId, free, to)) assert.deepStrictEqual(outcome, Result.succeed(1))
      assert.isUndefined(delayed.pollUnsafe())
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(holder)
      const [last] = yield* Fiber.join(delayed)
      assert.deepStrictEqual(last?.outcome, Result.succeed(1))
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [3, 2, 2], records: [3, 3] })
    })
  )

  it.effect("only the transition whose values Postgres rejects fails", () =>
    Effect.gen(function* () {
      const ownership = yield* OwnershipStore
      const { ids, tenantId, to } = yield* prepared(3)
      const [bad = "", ...good] = ids
      const rejected = ownership.transition(tenantId, { _tag: "Ids", ids: [bad] }, undefined, () =>
        Result.succeed({
          answer: undefined,
          changes: new Map([[bad, { worker: to, applicant: null }]]),
          records: { audit: [auditEntry(bad, { account: "\u0000" })], events: [] },
          at: start
        })
      )
      const [exit, moved] = yield* Effect.all([Effect.exit(rejected), moveEach(tenantId, good, to)], {
        concurrency: "unbounded"
      })
      assert.isTrue(Exit.hasDies(exit))
      for (const { outcome } of moved) assert.deepStrictEqual(outcome, Result.succeed(1))
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [1, 2, 2], records: [2, 2] })
    })
  )

  it.effect("a defect of a decision fails its own transition only", () =>
    Effect.gen(function* () {
      const ownership = yield* OwnershipStore
      const { ids, tenantId, to } = yield* prepared(2)
      const [bad = "", good = ""] = ids
      const thrown = ownership.transition(tenantId, { _tag: "Ids", ids: [bad] }, undefined, () => {
        throw new Error("a defect of the rules")
      })
      const [exit, moved] = yield* Effect.all([Effect.exit(thrown), moveEach(tenantId, [good], to)], {
        concurrency: "unbounded"
      })
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(moved[0]?.outcome, Result.succeed(1))
    })
  )

  it.effect("a transition inside an open transaction is undone with it; others of its time are not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, tenantId, to } = yield* prepared(2)
      const [inside = "", outside = ""] = ids
      const isOpen = yield* Deferred.make<void>()
      const apart = yield* Effect.forkChild(Effect.andThen(Deferred.await(isOpen), moveEach(tenantId, [outside], to)), {
        startImmediately: true
      })
      const steps = [Deferred.succeed(isOpen, undefined), moveEach(tenantId, [inside], to), Effect.fail("undone")]
      const undone = yield* Effect.flip(sql.withTransaction(Effect.all(steps)))
      assert.strictEqual(undone, "undone")
      yield* Fiber.join(apart)
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [1, 2], records: [1, 1] })
    })
  )

  it.effect("a connection that ends during a write fails every caller of the group, and nothing is written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, tenantId, to } = yield* prepared(3)
      const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const lock = sql`LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE`
      const steps = [lock, Deferred.succeed(isLocked, undefined), Deferred.await(isOver)]
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.all(steps)))
      yield* Deferred.await(isLocked)
      const moving = yield* Effect.forkChild(
        Effect.forEach(ids, (id) => Effect.exit(moveEach(tenantId, [id], to)), { concurrency: "unbounded" })
      )
      yield* sql`SELECT pg_terminate_backend(${yield* waitingProcess})`
      const exits = yield* Fiber.join(moving)
      assert.deepStrictEqual(exits.map(Exit.hasDies), [true, true, true])
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(holder)
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [1, 1, 1], records: [0, 0] })
      for (const { outcome } of yield* moveEach(tenantId, ids, to)) assert.deepStrictEqual(outcome, Result.succeed(1))
    })
  )

  it.effect(
    "while connections end again and again, every acknowledged transition is stored, and each is stored whole",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ids, tenantId, to } = yield* prepared(400)
        const answers = yield* Queue.unbounded<string | undefined>()
        const acknowledged: Array<string> = []
        const callers = Effect.forEach(
          ids,
          (id) =>
            Effect.exit(moveEach(tenantId, [id], to)).pipe(
              Effect.tap((exit) => Queue.offer(answers, Exit.isSuccess(exit) ? id : undefined))
            ),
          { concurrency: 32, discard: true }
        )
        const moving = yield* Effect.forkChild(callers)
        const endAll = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`
        for (let answered = 1; answered <= ids.length; answered++) {
          const id = yield* Queue.take(answers)
          if (id !== undefined) acknowledged.push(id)
          if (answered % 25 === 0) yield* Effect.ignore(endAll)
        }
        yield* Fiber.join(moving)
        assert.isNotEmpty(acknowledged)
        const { records, versions } = yield* stateOf(tenantId, ids)
        const stored = ids.filter((_, index) => versions[index] === 2)
        assert.includeMembers(stored, acknowledged)
        assert.deepStrictEqual(records, [stored.length, stored.length])
      })
  )
})
