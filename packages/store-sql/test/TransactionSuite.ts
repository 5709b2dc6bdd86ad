import { assert, layer } from "@effect/vitest"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { makeAtomically } from "@wcs/store-sql/engine/Atomic"
import { changes, type Script } from "@wcs/store-sql/engine/Script"
import { check } from "@wcs/store-suite/Property"
import { Cause, Effect, Exit, Fiber, type Layer, References, Result } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import fc from "fast-check"

/** One step of a transaction. */
type Step =
  | { readonly _tag: "Write" }
  /** A nested transaction that writes and then succeeds or fails. */
  | { readonly _tag: "Inner"; readonly fails: boolean }
  /** A statement whose failure is ignored. */
  | { readonly _tag: "Mistake" }
  /** The engine rolls back the transaction and its whole group. */
  | { readonly _tag: "Lose"; readonly ignored: boolean }
  /** Yields to others. */
  | { readonly _tag: "Pause" }

interface Program {
  /** Run synchronously if the client can: then it only writes, loses everything and fails. */
  readonly isSync: boolean
  readonly isTraced: boolean
  readonly steps: ReadonlyArray<Step>
  readonly fails: boolean
  /** The turn in which it begins. */
  readonly begins: number
  /** After how many turns it is interrupted, if at all. */
  readonly interrupted: number | null
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Step>({ _tag: "Write" }) },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Inner" as const), fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant<Step>({ _tag: "Mistake" }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Lose" as const), ignored: fc.boolean() }) },
  { weight: 6, arbitrary: fc.constant<Step>({ _tag: "Pause" }) }
)

const program: fc.Arbitrary<Program> = fc.record({
  isSync: fc.boolean(),
  isTraced: fc.boolean(),
  steps: fc.array(step, { maxLength: 5 }),
  fails: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  begins: fc.nat({ max: 6 }),
  interrupted: fc.option(fc.nat({ max: 16 }), { freq: 4 })
})

const turns = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

/** The number of rows that a program leaves if it succeeds. */
const rowsOf = ({ isSync, steps }: Program): number =>
  steps.filter((step) => step._tag === "Write" || (step._tag === "Inner" && !step.fails && !isSync)).length

const hasLoss = ({ steps }: Program): boolean => steps.some(({ _tag }) => _tag === "Lose")

/** A statement after which the engine has rolled back the transaction. */
export type Lose = (sql: SqlClient.SqlClient) => Statement.Statement<unknown>

const refusal = "no" as const
const isRefusal = (error: unknown): error is typeof refusal => error === refusal

/** Runs programs concurrently, each in its own transaction, on a table that records the writer of each row. */
const makeTable = Effect.fnUntraced(function* (lose: Lose) {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* Effect.provide(makeAtomically, AccessEpoch.layer)
  yield* sql`CREATE TABLE written (writer INTEGER NOT NULL)`
  yield* sql`CREATE TABLE unique_only (id INTEGER NOT NULL PRIMARY KEY)`
  yield* sql`INSERT INTO unique_only (id) VALUES (1)`
  const write = (writer: number) => sql`INSERT INTO written (writer) VALUES (${writer})`

  const perform = (step: Step, writer: number): Effect.Effect<unknown, SqlError.SqlError> => {
    switch (step._tag) {
      case "Write":
        return write(writer)
      case "Inner": {
        const inner = Effect.andThen(write(writer), step.fails ? Effect.fail(refusal) : Effect.void)
        return Effect.catchIf(sql.withTransaction(inner), isRefusal, () => Effect.void)
      }
      case "Mistake":
        return Effect.ignore(sql`INSERT INTO unique_only (id) VALUES (1)`)
      case "Lose":
        return step.ignored ? Effect.ignore(lose(sql)) : lose(sql)
      case "Pause":
        return turns(1)
    }
  }

  /** The number of rows of each writer, seen from outside all transactions. */
  const seen = Effect.map(
    sql<{ readonly writer: unknown; readonly count: unknown }>`
      SELECT writer, COUNT(*) AS count FROM written GROUP BY writer`,
    (rows) => new Map(rows.map(({ count, writer }) => [Number(writer), Number(count)]))
  )

  /** A program's synchronous body. */
  const script = function* ({ fails, steps }: Program, writer: number): Script<Result.Result<void, typeof refusal>> {
    for (const { _tag } of steps) {
      if (_tag === "Write") yield* changes(write(writer))
      if (_tag === "Lose") yield* changes(lose(sql))
    }
    return fails ? Result.fail(refusal) : Result.void
  }

  return { sql, atomically, perform, script, seen }
})

type Table = Effect.Success<ReturnType<typeof makeTable>>

/** Starts one program on the table and checks its outcome. */
const start = Effect.fnUntraced(function* (
  { atomically, perform, script, seen, sql }: Table,
  program: Program,
  writer: number
) {
  const { begins, fails, interrupted, isSync, isTraced, steps } = program
  let isComplete = false
  const body = Effect.gen(function* () {
    for (const step of steps) yield* perform(step, writer)
    if (fails) return yield* Effect.fail(refusal)
    isComplete = true
  })
  const sync = atomically(function* () {
    const outcome = yield* script(program, writer)
    isComplete = Result.isSuccess(outcome)
    return outcome
  }).pipe(Effect.provideService(References.TracerEnabled, isTraced))
  const told = Effect.gen(function* () {
    yield* turns(begins)
    yield* isSync ? sync : sql.withTransaction(body)
    assert.strictEqual((yield* seen).get(writer) ?? 0, rowsOf(program), "resumed before its rows were visible")
  })
  const fiber = yield* Effect.forkChild(told)
  if (interrupted !== null) yield* Effect.forkChild(Effect.andThen(turns(interrupted), Fiber.interrupt(fiber)))
  return { fiber, isComplete: () => isComplete, program, writer }
})

type Seen = Effect.Success<Table["seen"]>

/** A writer's rows are all there or none is, and rows that were there stay. */
const assertWhole = (programs: ReadonlyArray<Program>, first: number, before: Seen, now: Seen) => {
  for (const [n, program] of programs.entries()) {
    const rows = now.get(first + n) ?? 0
    assert.include([0, rowsOf(program)], rows, `half of transaction ${n}`)
    assert.isAtLeast(rows, before.get(first + n) ?? 0, `transaction ${n} was there and has disappeared`)
  }
}

const runAll = Effect.fnUntraced(function* (table: Table, programs: ReadonlyArray<Program>, first: number) {
  const running = yield* Effect.forEach(programs, (program, n) => start(table, program, first + n))
  let seen = yield* table.seen
  while (running.some(({ fiber }) => fiber.pollUnsafe() === undefined)) {
    yield* Effect.yieldNow
    const before = seen
    seen = yield* table.seen
    assertWhole(programs, first, before, seen)
  }
  seen = yield* table.seen
  for (const { fiber, isComplete, program, writer } of running) {
    const exit = yield* Fiber.await(fiber)
    const rows = seen.get(writer) ?? 0
    if (Exit.isSuccess(exit)) {
      assert.isFalse(program.fails || hasLoss(program), "succeeded although it fails")
      assert.strictEqual(rows, rowsOf(program), "acknowledged but not there")
      continue
    }
    const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
    assert.isFalse(defect instanceof Error && defect.name === "AssertionError", String(defect))
    const wasInterrupted = Cause.hasInterrupts(exit.cause)
    // A transaction that was complete when interrupted may have been committed.
    if (!(wasInterrupted && isComplete())) assert.strictEqual(rows, 0, "failed but there")
    assert.isTrue(wasInterrupted || program.fails || programs.some(hasLoss), "failed without a reason")
  }
})

/**
 * Tests a client's transactions with any group size. Random programs write, fail, are interrupted, ignore errors,
 * wait and lose everything. The table must then hold exactly what was acknowledged.
 */
export const transactionSuite = <E>(name: string, client: Layer.Layer<SqlClient.SqlClient, E>, lose: Lose): void =>
  layer(client, { excludeTestServices: true })(name, (it) => {
    it.effect("the table holds exactly what was acknowledged, and nothing of what failed", () =>
      Effect.gen(function* () {
        const table = yield* makeTable(lose)
        let first = 0
        yield* check(fc.array(program, { minLength: 1, maxLength: 12 }), (programs) => {
          first += programs.length
          return runAll(table, programs, first - programs.length)
        })
      })
    )
  })
