import { Clock, Effect } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller, withoutCaller } from "../access/Caller.ts"
import {
  nameOf,
  type Privilege,
  type PrivilegeName,
  type Privileges,
  privilegesOf,
  unitsOf
} from "../access/Privilege.ts"
import { RequestId } from "../shared/RequestId.ts"
import { makeCheck } from "./CheckRows.ts"
import type { Mapping } from "./ColumnMapping.ts"
import { advanced, halted, type Import, type Working } from "./Import.ts"
import { countOf, type ImportRow } from "./ImportRow.ts"
import type { Work } from "./ImportStore.ts"
import { type Mark, makeTools } from "./RowTools.ts"
import { makeRun } from "./RunRows.ts"
import { makeTouched, makeUndo } from "./UndoRows.ts"

/** Rows of a portion. Between two portions others work, and the place is stored. */
const portionMax = 200

const of = (...operations: ReadonlyArray<Privilege["operation"]>): ReadonlyArray<PrivilegeName> =>
  operations.map((operation) => nameOf({ entityType: "worker", operation }))

/** The privileges that the account needs while the work goes on. */
const needed = {
  CHECKING: of("READ"),
  RUNNING: of("READ", "CREATE", "UPDATE"),
  UNDOING: of("READ", "UPDATE", "DELETE")
} as const satisfies Record<Working, ReadonlyArray<PrivilegeName>>

/** The privileges of the account that asked for the work; undefined if they do not suffice any more. */
const privilegesFor = (status: Working, { account }: Work): Privileges | undefined => {
  // The rows are written beyond any limit, so an account that was limited to units meanwhile does not go on.
  if (account === undefined || account.deactivatedAt !== null || unitsOf(account.role) !== undefined) return undefined
  const privileges = privilegesOf(account.role)
  return needed[status].every((name) => privileges.has(name)) ? privileges : undefined
}

/** A function that does the next portion of an import's work. */
export const make = Effect.gen(function* () {
  const tools = yield* makeTools
  const { store } = tools
  const check = makeCheck(tools)
  const run = makeRun(tools)
  const undo = makeUndo(tools)
  const touchedRow = makeTouched(tools)

  /** Writes although the login that asked has ended. */
  const advance = (...given: Parameters<typeof store.advance>) => withoutCaller(store.advance(...given))

  const marksOf = (
    it: Import,
    rows: ReadonlyArray<ImportRow>
  ): Effect.Effect<ReadonlyArray<Mark>, never, Caller | RequestId> => {
    const columns = it.columns.map(({ name }) => name)
    // Without an order no column has dates.
    const mapping: Mapping = { columns, mapped: it.mapped, dateOrder: it.dateOrder ?? "YMD" }
    switch (it.status) {
      case "CHECKING":
        return check(it, mapping, rows)
      case "RUNNING":
        return run(it, mapping, rows)
      default:
        return it.isUntouched ? undo(it, rows) : Effect.succeed([])
    }
  }

  /** The rows as they are after the portion, for the counts. */
  const outcomesOf = Effect.fnUntraced(function* (
    it: Import,
    rows: ReadonlyArray<ImportRow>,
    marks: ReadonlyArray<Mark>
  ) {
    if (it.status === "CHECKING") return marks
    const marked = new Map(marks.map(({ outcome, row }) => [row, outcome]))
    const now = yield* store.rows(it.tenantId, it.id, { after: it.cursor, limit: portionMax })
    return now.slice(0, rows.length).map(({ outcome, row }) => ({ outcome: marked.get(row) ?? outcome }))
  })

  const portion = Effect.fnUntraced(function* (it: Import) {
    const rows = yield* store.rows(it.tenantId, it.id, { after: it.cursor, limit: portionMax })
    if (it.status === "UNDOING" && !it.isUntouched) {
      const changed = yield* touchedRow(it.tenantId, rows)
      if (changed !== undefined) {
        const problem = `Nothing was undone: ${changed.workerId}, row ${changed.row}, was changed or used after the import.`
        yield* advance(halted(it, problem, yield* Clock.currentTimeMillis), [])
        return
      }
    }
    const marks = yield* marksOf(it, rows)
    const outcomes = yield* outcomesOf(it, rows, marks)
    const next = advanced(
      it,
      {
        cursor: rows.at(-1)?.row ?? it.cursor,
        seen: it.seen + rows.length,
        counts: countOf(outcomes, it.counts),
        isLast: rows.length < portionMax
      },
      yield* Clock.currentTimeMillis
    )
    yield* advance(next, marks)
  })

  /**
   * Does the next portion of an import's work on behalf of the account that asked for it. A portion that was cut off can
   * be repeated: rows that are done are left alone. A row is done once, also if two workers do the same portion.
   */
  const step = Effect.fn("ImportSteps.step")(function* (work: Work) {
    const { it, timeZone } = work
    const status = it.status as Working
    const privileges = privilegesFor(status, work)
    if (privileges === undefined) {
      const problem = `${it.actor.account} may not do this any more.`
      yield* store.advance(halted(it, problem, yield* Clock.currentTimeMillis), [])
      return
    }
    const caller: Caller["Service"] = {
      ...{ tenantId: it.tenantId, timeZone, account: it.actor.account, privileges, rateLimitKey: it.id },
      ...{ bearer: it.actor.bearer ?? { kind: "session", id: accountIdOf(it.actor.account) } },
      ...{ rateLimit: null, workerId: null }
    }
    yield* portion(it).pipe(Effect.provideService(Caller, caller), Effect.provideService(RequestId, it.actor.requestId))
  })

  /** Ends work that fails again and again. */
  const halt = Effect.fnUntraced(function* ({ it }: Work) {
    const problem = "The work failed several times because of an internal error. Ask for it again, or ask the operator."
    yield* store.advance(halted(it, problem, yield* Clock.currentTimeMillis), [])
  })

  return { step, halt }
})
