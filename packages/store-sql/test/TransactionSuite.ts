import { assert, layer } from "@effect/vitest"
import { atomically } from "@wcs/store-sql/engine/Atomic"
import { changes, type Script } from "@wcs/store-sql/engine/Script"
import { check } from "@wcs/store-suite/Property"
import { Cause, Effect, Exit, Fiber, type Layer, References, Result } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import fc from "fast-check"

/** One thing that a transaction does. */
type Step =
  | { readonly _tag: "Write" }
  /** A transaction within it, which writes and then fails or not. */
  | { readonly _tag: "Inner"; readonly fails: boolean }
  /** A statement that fails, and is taken no notice of. */
  | { readonly _tag: "Mistake" }
  /** The engine undoes the transaction by itself, and all those that share its fate. */
  | { readonly _tag: "Lose"; readonly ignored: boolean }
  /** Goes on when others had their turn. */
  | { readonly _tag: "Pause" }

interface Program {
  /** Run in one go where the client can: then it only writes, loses everything and fails. */
  readonly isAtOnce: boolean
  readonly steps: ReadonlyArray<Step>
  readonly fails: boolean
  /** The turn in which it begins. */
  readonly begins: number
  /** After how many turns it is interrupted, if it is. */
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
  isAtOnce: fc.boolean(),
  steps: fc.array(step, { maxLength: 5 }),
  fails: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  begins: fc.nat({ max: 6 }),
  interrupted: fc.option(fc.nat({ max: 16 }), { freq: 4 })
})

const turns = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

/** How many rows a program leaves when it succeeds. */
const rowsOf = ({ isAtOnce, steps }: Program): number =>
  steps.filter((step) => step._tag === "Write" || (step._tag === "Inner" && !step.fails && !isAtOnce)).length

const hasLoss = ({ steps }: Program): boolean => steps.some(({ _tag }) => _tag === "Lose")

/** What the engine does to itself: a statement after which there is no transaction. */
export type Lose = (sql: SqlClient.SqlClient) => Statement.Statement<unknown>

const refusal = "no" as const
const isRefusal = (error: unknown): error is typeof refusal => error === refusal

/** Runs programs at the same time, each in a transaction of its own, on a table that knows who wrote what. */
const makeTable = Effect.fnUntraced(function* (lose: Lose) {
  const sql = yield* SqlClient.SqlClient
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

  /** How many rows of each writer somebody outside all transactions sees. */
  const seen = Effect.map(
    sql<{ readonly writer: unknown; readonly count: unknown }>`
      SELECT writer, COUNT(*) AS count FROM written GROUP BY writer`,
    (rows) => new Map(rows.map(({ count, writer }) => [Number(writer), Number(count)]))
  )

  /** What a program does in one go. */
  const script = function* ({ fails, steps }: Program, writer: number): Script<Result.Result<void, typeof refusal>> {
    for (const { _tag } of steps) {
      if (_tag === "Write") yield* changes(write(writer))
      if (_tag === "Lose") yield* changes(lose(sql))
    }
    return fails ? Result.fail(refusal) : Result.void
  }

  return { sql, perform, script, seen }
})

type Table = Effect.Success<ReturnType<typeof makeTable>>

/** One program on the table, and what becomes of it. */
const start = Effect.fnUntraced(function* ({ perform, script, seen, sql }: Table, program: Program, writer: number) {
  const { begins, fails, interrupted, isAtOnce, steps } = program
  let isComplete = false
  const body = Effect.gen(function* () {
    for (const step of steps) yield* perform(step, writer)
    if (fails) return yield* Effect.fail(refusal)
    isComplete = true
  })
  const inOneGo = atomically(sql, function* () {
    const outcome = yield* script(program, writer)
    isComplete = Result.isSuccess(outcome)
    return outcome
  }).pipe(Effect.provideService(References.TracerEnabled, false))
  const told = Effect.gen(function* () {
    yield* turns(begins)
    yield* isAtOnce ? inOneGo : sql.withTransaction(body)
    assert.strictEqual((yield* seen).get(writer) ?? 0, rowsOf(program), "told before it could be seen")
  })
  const fiber = yield* Effect.forkChild(told)
  if (interrupted !== null) yield* Effect.forkChild(Effect.andThen(turns(interrupted), Fiber.interrupt(fiber)))
  return { fiber, isComplete: () => isComplete, program, writer }
})

type Seen = Effect.Success<Table["seen"]>

/** The rows of a writer are all there or none is, and who was there stays. */
const assertWhole = (programs: ReadonlyArray<Program>, first: number, before: Seen, now: Seen) => {
  for (const [n, program] of programs.entries()) {
    const rows = now.get(first + n) ?? 0
    assert.include([0, rowsOf(program)], rows, `half of transaction ${n}`)
    assert.isAtLeast(rows, before.get(first + n) ?? 0, `transaction ${n} was there, and is not any more`)
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
      assert.isFalse(program.fails || hasLoss(program), "succeeded in spite of itself")
      assert.strictEqual(rows, rowsOf(program), "acknowledged, and not there")
      continue
    }
    const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
    assert.isFalse(defect instanceof Error && defect.name === "AssertionError", String(defect))
    const wasInterrupted = Cause.hasInterrupts(exit.cause)
    // One that was complete when it was interrupted may have been committed, whole.
    if (!(wasInterrupted && isComplete())) assert.strictEqual(rows, 0, "failed, and there")
    assert.isTrue(wasInterrupted || program.fails || programs.some(hasLoss), "failed without a reason")
  }
})

/**
 * What transactions of a client are, however many share a COMMIT: random programs of them, which write, fail, are
 * interrupted, make mistakes, wait and lose everything, leave exactly what was acknowledged and nothing of what failed.
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
