import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { changesOf } from "./Dialect.ts"

/** A statement of a script, and whether its rows are asked for or how many rows it has changed. */
interface Step {
  readonly statement: Statement.Statement<unknown>
  readonly asks: "rows" | "changes"
}

type Answer = ReadonlyArray<unknown> | number

/**
 * What a transaction does, written once for every engine: statements, one after the other, each with the answers to
 * those before it at hand. SQLite runs it in one go, on the thread that asks; on Postgres each answer is waited for.
 */
export type Script<A> = Generator<Step, A, Answer>

/** Runs a statement of a script: `yield* rows(…)` are its rows. */
export function* rows<Row>(statement: Statement.Statement<Row>): Script<ReadonlyArray<Row>> {
  return (yield { statement, asks: "rows" }) as ReadonlyArray<Row>
}

/** Runs a statement of a script for what it changes: `yield* changes(…)` is how many rows. */
export function* changes(statement: Statement.Statement<unknown>): Script<number> {
  return (yield { statement, asks: "changes" }) as number
}

/** A connection that answers at once, and throws what a statement fails with. */
export interface Immediate {
  readonly rows: (sql: string, params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  readonly changes: (sql: string, params: ReadonlyArray<unknown>) => number
}

/** Runs a script in one go. */
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

/** Runs a script statement by statement, in the transaction that is open, if one is. */
export const run: <A>(script: Script<A>) => Effect.Effect<A, SqlError.SqlError> = Effect.fnUntraced(function* <A>(
  script: Script<A>
) {
  let step = script.next()
  while (step.done !== true) step = script.next(yield* answerTo(step.value))
  return step.value
})
