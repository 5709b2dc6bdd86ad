import { assert, describe, it } from "@effect/vitest"
import type { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { Cause, Effect, Exit, Fiber, References, Result, Scheduler } from "effect"
import { SqlError } from "effect/sql"
import * as fc from "fast-check"
import { type Interceptor, insert, insertSync, lose, started, table, turns } from "./group.ts"

/** The step of a member after writing its rows. */
const endings = [
  "keeps",
  "refuses unwritten",
  "refuses",
  "dies",
  "loses",
  "hides a loss",
  "hides a mistake",
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
  /** Whether it writes another row as soon as it learns that the store failed. */
  retries: fc.boolean(),
  isTraced: fc.boolean(),
  /** The number of steps after which its fiber yields. */
  steps: fc.constantFrom(3, 4, 7, 2048)
})
type Member = typeof member extends fc.Arbitrary<infer A> ? A : never

const controls = ["BEGIN IMMEDIATE", "SAVEPOINT member", "RELEASE SAVEPOINT member", "ROLLBACK TO SAVEPOINT member"]

/** Transaction-control statements that fail once. */
const faults = fc.array(fc.record({ statement: fc.constantFrom(...controls, "ROLLBACK", "COMMIT"), nth: fc.nat(2) }), {
  maxLength: 2
})

type Faults = typeof faults extends fc.Arbitrary<infer A> ? A : never

/** Fails at the faults, until they are disabled. */
const breaking = (found: Faults) => {
  const left = found.map(({ nth, statement }) => ({ statement, nth }))
  let isMended = false
  const interceptor: Interceptor = (statement, run) => {
    const due = left.filter((one) => one.statement === statement && one.nth-- === 0)
    if (!isMended && due.length > 0) throw new Error(`${statement} failed`)
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
        const inner = sql.withTransaction(
          Effect.all([insert(sql, named(index, "n")), turns(turnsWithin), undone], { discard: true })
        )
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
      if (ending === "hides a mistake") yield* Effect.ignore(insert(sql, named(index, "a")))
      if (ending === "hides a loss") {
        yield* Effect.ignore(lose(sql))
        yield* Effect.ignore(insert(sql, named(index, "outside")))
        yield* Effect.ignore(sql.withTransaction(insert(sql, named(index, "outside within"))))
        yield* turns(turnsWithin)
        return yield* Effect.fail("no" as const)
      }
      return rowsOf(member, index)
    })
  )
}

const alone = (sql: Sql, member: Member, index: number) => {
  const id = named(index, "a")
  const statement = member.ending === "repeats" ? sql`INSERT INTO t (id) VALUES (${id}), (${id})` : insert(sql, id)
  return Effect.as(statement, rowsOf(member, index))
}

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
    if (end === "hides a mistake") ignore(() => put(named(index, `a${runs}`)))
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
  const again = named(index, "again")
  const whole = Effect.flatMap(Effect.exit(transaction), (exit) => {
    if (!member.retries || !isOfStore(exit)) return exit
    seen.clear()
    return Effect.as(insertSync(sql, again), [again])
  })
  const fiber = yield* started(
    Effect.map(Effect.exit(whole), (exit): Told => ({ exit, seen, committed: new Set(committed()) }))
  ).pipe(
    Effect.provideService(Scheduler.MaxOpsBeforeYield, member.steps),
    Effect.provideService(References.TracerEnabled, member.isTraced)
  )
  if (member.ending === "is interrupted")
    yield* started(Effect.andThen(turns(member.turnsWithin), Fiber.interrupt(fiber)))
  return fiber
})

const endingsOf = ({ ending, endingAgain, way }: Member) => (way === "sync" ? [ending, endingAgain] : [ending])

/** Whether a member has no reason to fail if the store has none. */
const keeps = (member: Member): boolean =>
  member.way === "alone"
    ? !["repeats", "is interrupted"].includes(member.ending)
    : endingsOf(member).every((ending) => ["keeps", "hides a mistake"].includes(ending))

/** Whether a member makes its whole group fail. */
const spoils = (member: Member): boolean =>
  member.way !== "alone" && endingsOf(member).some((ending) => ["loses", "hides a loss", "dangles"].includes(ending))

const perform = Effect.fnUntraced(function* (program: ReadonlyArray<Member>, groupMax: number, found: Faults) {
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
    const member = program[index] ?? assert.fail("no such member")
    const own = left.filter(isOf(index))
    if (Exit.isFailure(end)) {
      const whole = [0, rowsOf(member, index).length, ...(member.retries ? [1] : [])]
      assert.include(whole, own.length, "an interrupted one has written all or nothing")
      continue
    }
    const { committed, exit, seen } = end.value
    const isQuiet = found.length === 0 && !program.some(spoils)
    if (isQuiet && keeps(member)) assert.isTrue(Exit.isSuccess(exit), `failed without a reason: ${String(exit)}`)
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
          faults,
          (program, groupMax, found) => Effect.runPromise(Effect.scoped(perform(program, groupMax, found)))
        ),
        { numRuns: 150 }
      )
    )
  )
})
