import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** An executed statement, without BEGIN, COMMIT and ROLLBACK. */
export interface Ran {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/** Runs an effect and returns its statements in order. */
export const recording = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const ran: Array<Ran> = []
    const note: Statement.Transformer = (statement) => {
      const [text, params] = statement.compile()
      ran.push({ text, params })
      return Effect.succeed(statement)
    }
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, note),
      Effect.map((answer) => ({ answer, ran }))
    )
  })

/** The lines of SQLite's plan for a statement. */
export const planOf = ({ params, text }: Ran) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lines = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
    return lines.map(({ detail }) => detail)
  })

/**
 * The lines of a plan that read a whole stored table or index. Scans of results of the statement's own subqueries, of
 * constants and of parameters are none: the lookups that fill a subquery are lines of the plan too.
 */
export const tableScansOf = (plan: ReadonlyArray<string>): ReadonlyArray<string> => {
  const results = new Set(plan.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(line)?.[1] ?? []))
  const isResult = (line: string) => results.has(/^SCAN (\S+)(?: LEFT-JOIN)?$/.exec(line)?.[1] ?? "")
  return plan.filter(
    (line) =>
      line.startsWith("SCAN ") && !isResult(line) && line !== "SCAN CONSTANT ROW" && !line.includes(" VIRTUAL TABLE ")
  )
}

/** The lines of a plan that look up rows `r` by an index, without fetches of found rows. */
export const lookupsOf = (plan: ReadonlyArray<string>): ReadonlyArray<string> =>
  plan.filter((line) => line.startsWith("SEARCH r ") && !line.includes("INTEGER PRIMARY KEY"))

/** Fails unless a statement reads an index in order, entry by entry and without sorting, for its rows and its end. */
export const assertInOrder = (plan: ReadonlyArray<string>): void => {
  const text = plan.join("\n")
  assert.include(plan, "CO-ROUTINE entry", text)
  assert.deepStrictEqual(tableScansOf(plan), [], text)
  assert.notInclude(text, "B-TREE")
  assert.lengthOf(lookupsOf(plan), 2, text)
  for (const line of lookupsOf(plan)) assert.match(line, /^SEARCH r USING COVERING INDEX /)
}
