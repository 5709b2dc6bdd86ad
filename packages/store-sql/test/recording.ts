import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** A statement as it was run; BEGIN, COMMIT and ROLLBACK are none. */
export interface Ran {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/** Runs an effect and tells the statements that it ran, in their order. */
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

/** Whether a line of a plan reads all of a stored table: what is found first, or stands in a parameter, is none. */
export const isScan = (line: string): boolean => /^SCAN (?!(found|n|json_each|counted|client)\b)/.test(line)
