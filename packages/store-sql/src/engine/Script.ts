import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { changesOf } from "./Dialect.ts"

/** A statement of a script, and whether its rows or its number of changed rows are wanted. */
interface Step {
  readonly statement: Statement.Statement<unknown>
  readonly asks: "rows" | "changes"
}

type Answer = ReadonlyArray<unknown> | number

/**
 * A transaction as a generator of statements, written once for both engines. Each statement can use the results of
 * earlier ones. SQLite runs it synchronously; on Postgres each result is awaited.
 */
export type Script<A> = Generator<Step, A, Answer>

/** Runs a statement of a script and returns its rows: `yield* rows(…)`. */
export function* rows<Row>(statement: Statement.Statement<Row>): Script<ReadonlyArray<Row>> {
  return (yield { statement, asks: "rows" }) as ReadonlyArray<Row>
}

/** Runs a statement of a script and returns the number of changed rows: `yield* changes(…)`. */
export function* changes(statement: Statement.Statement<unknown>): Script<number> {
  return (yield { statement, asks: "changes" }) as number
}

/** A synchronous connection. It throws the errors of a statement. */
export interface Immediate {
  readonly rows: (sql: string, params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  readonly changes: (sql: string, params: ReadonlyArray<unknown>) => number
}

/** Runs a script synchronously. */
export const runAtOnce = <A>(script: Script<A>, connection: Immediate): A => {
  let step = script.next()
  while (step.done !== true) {
    const { asks, statement } = step.value
    step = script.next(connection[asks](...statement.compile()))
  }
  return step.value
}

const answerTo = ({ asks, statement }: Step): Effect.Effect<Answer, SqlError.SqlError> =>
  asks === "rows" ? statement : Effect.map(statement.raw, changesOf)

/** Runs a script statement by statement, inside the open transaction if there is one. */
export const run: <A>(script: Script<A>) => Effect.Effect<A, SqlError.SqlError> = Effect.fnUntraced(function* <A>(
  script: Script<A>
) {
  let step = script.next()
  while (step.done !== true) step = script.next(yield* answerTo(step.value))
  return step.value
})
