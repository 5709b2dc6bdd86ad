import { assert, describe, it } from "@effect/vitest"
import type { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { Cause, Effect, Exit, Fiber, References, Result, Scheduler } from "effect"
import { SqlError } from "effect/sql"
import * as fc from "fast-check"
import { type Interceptor, insert, lose, started, table, turns } from "./group.ts"

/** The step of a member after writing its rows. */
const endings = [
  "keeps",
  "refuses unwritten",
  "refuses",
  "dies",
  "loses",
  "hides a loss",
  "repeats",
  "dangles",
  "is interrupted"
] as const

const member = fc.record({
  way: fc.constantFrom("by effect", "sync", "alone"),
  ending: fc.constantFrom("keeps", "keeps", ...endings),
  /** The step of a synchronous member whose body runs again. */
  endingAgain: fc.constantFrom("keeps", "keeps", ...endings),
  turnsBefore: fc.nat(3),
  turnsWithin: fc.nat(3),
  nested: fc.constantFrom("none", "kept", "undone"),
  isTraced: fc.boolean(),
  /** The number of steps after which its fiber yields. */
  steps: fc.constantFrom(3, 4, 7, 2048)
})
type Member = typeof member extends fc.Arbitrary<infer A> ? A : never

const controls = ["BEGIN IMMEDIATE", "SAVEPOINT member", "RELEASE SAVEPOINT member", "ROLLBACK TO SAVEPOINT member"]

/** A transaction-control statement that fails once, or null. */
const fault = fc.option(fc.record({ statement: fc.constantFrom(...controls, "ROLLBACK", "COMMIT"), nth: fc.nat(2) }))

type Fault = typeof fault extends fc.Arbitrary<infer A> ? A : never

/** Fails at the fault, until it is disabled. */
const breaking = (found: Fault) => {
  let left = found?.nth ?? 0
  let isMended = false
  const interceptor: Interceptor = (statement, run) => {
    if (!isMended && statement === found?.statement && left-- === 0) throw new Error(`${statement} failed`)
    return run()
  }
  const mend = () => {
    isMended = true
  }
  return { interceptor, mend }
}

/** A row is named after its member. */
const named = (index: number, row: string) => `${index}-${row}`

const isOf = (index: number) => (id: string) => id.startsWith(`${index}-`)

/** The rows of a member in its nth run. */
const rowsOf = ({ nested, way }: Member, index: number, run = 1): ReadonlyArray<string> => {
  const rows = way === "alone" ? ["a"] : way === "by effect" && nested === "kept" ? ["a", "b", "n"] : ["a", "b"]
  return rows.map((row) => named(index, way === "sync" ? `${row}${run}` : row))
}

type Sql = SqliteClient["Service"]
type See = (rows: ReadonlyArray<object>) => void

const byEffect = (sql: Sql, member: Member, index: number, see: See) => {
  const { ending, nested, turnsWithin } = member
  return sql.withTransaction(
    Effect.gen(function* () {
      see(yield* sql`SELECT id FROM t`)
      if (ending === "refuses unwritten") return yield* Effect.fail("no" as const)
      yield* insert(sql, named(index, "a"))
      yield* turns(turnsWithin)
      if (nested !== "none") {
        const undone = nested === "undone" ? Effect.fail("undone" as const) : Effect.void
        const inner = sql.withTransaction(Effect.andThen(insert(sql, named(index, "n")), undone))
        yield* Effect.catchIf(
          inner,
          (error) => error === "undone",
          () => Effect.void
        )
      }
      yield* insert(sql, named(index, "b"))
      if (ending === "refuses") return yield* Effect.fail("no" as const)
      if (ending === "dies") return yield* Effect.die("dead")
      if (ending === "loses") yield* lose(sql)
      if (ending === "repeats") yield* insert(sql, named(index, "a"))
      if (ending === "dangles") yield* sql`INSERT INTO t (id, parent) VALUES (${named(index, "d")}, 'nobody')`
      if (ending === "hides a loss") {
        yield* Effect.ignore(lose(sql))
        yield* Effect.ignore(insert(sql, named(index, "outside")))
        return yield* Effect.fail("no" as const)
      }
      return rowsOf(member, index)
    })
  )
}

const alone = (sql: Sql, member: Member, index: number) =>
  Effect.as(insert(sql, named(index, "a")), rowsOf(member, index))

/** Each run of the body writes other rows. Succeeds with the rows of its last run. */
const sync = (sql: Sql, member: Member, index: number, see: See) => {
  let runs = 0
  return sql.transactionSync(({ changes, rows }): Result.Result<ReadonlyArray<string>, "no"> => {
    const end = runs++ === 0 ? member.ending : member.endingAgain
    const written = rowsOf(member, index, runs)
    const put = (id: string, parent: string | null = null) =>
      changes(sql`INSERT INTO t (id, parent) VALUES (${id}, ${parent})`)
    const ignore = (write: () => unknown) => Result.try(write)
    see(rows(sql`SELECT id FROM t`))
    if (end === "refuses unwritten") return Result.fail("no")
    for (const row of written) put(row)
    if (end === "dies") throw "dead"
    if (end === "loses") changes(lose(sql))
    if (end === "repeats") for (const row of written) put(row)
    if (end === "dangles") put(named(index, "d"), "nobody")
    if (end === "hides a loss") {
      ignore(() => changes(lose(sql)))
      ignore(() => put(named(index, "outside")))
    }
    return end === "refuses" || end === "hides a loss" ? Result.fail("no") : Result.succeed(written)
  })
}

/** Whether the store failed, independent of the member's reads. */
const isOfStore = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      (Cause.isFailReason(reason) && SqlError.isSqlError(reason.error)) ||
      (Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect))
  )

/** The outcome of a member, and the committed rows at the time of the report. */
interface Told {
  /** The rows that it wrote, or its failure. */
  readonly exit: Exit.Exit<ReadonlyArray<string>, unknown>
  readonly seen: ReadonlySet<string>
  readonly committed: ReadonlySet<string>
}

const begin = Effect.fnUntraced(function* (
  { committed, sql }: Effect.Success<ReturnType<typeof table>>,
  member: Member,
  index: number
) {
  const seen = new Set<string>()
  const see: See = (rows) => {
    seen.clear()
    for (const row of rows) if ("id" in row) seen.add(String(row.id))
  }
  const ways = { "by effect": byEffect, sync, alone }
  const transaction: Effect.Effect<ReadonlyArray<string>, unknown> = ways[member.way](sql, member, index, see)
  const fiber = yield* started(
    Effect.map(Effect.exit(transaction), (exit): Told => ({ exit, seen, committed: new Set(committed()) }))
  ).pipe(
    Effect.provideService(Scheduler.MaxOpsBeforeYield, member.steps),
    Effect.provideService(References.TracerEnabled, member.isTraced)
  )
  if (member.ending === "is interrupted")
    yield* started(Effect.andThen(turns(member.turnsWithin), Fiber.interrupt(fiber)))
  return fiber
})

const perform = Effect.fnUntraced(function* (program: ReadonlyArray<Member>, groupMax: number, found: Fault) {
  const { interceptor, mend } = breaking(found)
  const opened = yield* table({ groupMax, interceptor })
  const fibers: Array<Fiber.Fiber<Told>> = []
  for (const [index, member] of program.entries()) {
    yield* turns(member.turnsBefore)
    fibers.push(yield* begin(opened, member, index))
  }
  const ends = yield* Effect.forEach(fibers, Fiber.await)
  const left = opened.committed()
  for (const [index, end] of ends.entries()) {
    const all = program.slice(index, index + 1).flatMap((member) => rowsOf(member, index))
    const own = left.filter(isOf(index))
    if (Exit.isFailure(end)) {
      assert.include([0, all.length], own.length, "an interrupted one has written all or nothing")
      continue
    }
    const { committed, exit, seen } = end.value
    const rows = Exit.isSuccess(exit) ? exit.value : []
    assert.deepStrictEqual([...own].sort(), [...rows].sort(), String(exit))
    assert.isTrue(
      rows.every((row) => committed.has(row)),
      "resumed before its COMMIT"
    )
    if (isOfStore(exit)) continue
    const others = [...seen].filter((id) => !isOf(index)(id))
    assert.isTrue(
      others.every((id) => committed.has(id)),
      `reported an outcome that depends on lost rows: ${String(exit)}`
    )
  }
  mend()
  yield* opened.sql.withTransaction(insert(opened.sql, "last"))
  assert.include(opened.committed(), "last")
})

describe("any members, in any order, with any fault", () => {
  it.live("keep exactly the writes that were reported as committed, and no member waits forever", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(member, { minLength: 1, maxLength: 12 }),
          fc.constantFrom(1, 2, 3, 256),
          fault,
          (program, groupMax, found) => Effect.runPromise(Effect.scoped(perform(program, groupMax, found)))
        ),
        { numRuns: 150 }
      )
    )
  )
})
