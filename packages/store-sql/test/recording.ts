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

/** Whether a line of a plan reads a whole stored table. Scans of earlier results and of parameters are none. */
export const isScan = (line: string): boolean =>
  /^SCAN /.test(line) &&
  !/^SCAN (found|n|json_each|counted|client|entry|sorted|last|o|\(subquery-\d+\)|CONSTANT ROW)( |$)/.test(line)

/** The lines of a plan that look up rows `r` by an index, without fetches of found rows. */
export const lookupsOf = (plan: ReadonlyArray<string>): ReadonlyArray<string> =>
  plan.filter((line) => line.startsWith("SEARCH r ") && !line.includes("INTEGER PRIMARY KEY"))
