import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { changesOf } from "./Dialect.ts"
import type { SyncConnection } from "./TransactionSync.ts"

/** A statement of a script. It keeps its result for the script, which runs on afterwards. */
interface Step {
  readonly runSync: (connection: SyncConnection) => void
  readonly run: () => Effect.Effect<void, SqlError.SqlError>
}

/**
 * A transaction as a generator of statements, written once for both engines. Each statement can use the results of
 * earlier ones. SQLite runs it synchronously; on Postgres each result is awaited.
 */
export type Script<A> = Generator<Step, A, void>

class Rows<Row> implements Step {
  readonly #statement: Statement.Statement<Row>
  found: ReadonlyArray<Row> = []

  constructor(statement: Statement.Statement<Row>) {
    this.#statement = statement
  }

  runSync(connection: SyncConnection): void {
    this.found = connection.rows(this.#statement)
  }

  run(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.map(this.#statement, (found) => {
      this.found = found
    })
  }
}

class Changes implements Step {
  readonly #statement: Statement.Statement<unknown>
  count = 0

  constructor(statement: Statement.Statement<unknown>) {
    this.#statement = statement
  }

  runSync(connection: SyncConnection): void {
    this.count = connection.changes(this.#statement)
  }

  run(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.map(this.#statement.raw, (answer) => {
      this.count = changesOf(answer)
    })
  }
}

/** Runs a statement of a script and returns its rows: `yield* rows(…)`. */
export function* rows<Row>(statement: Statement.Statement<Row>): Script<ReadonlyArray<Row>> {
  const step = new Rows(statement)
  yield step
  return step.found
}

/** Runs a statement of a script and returns the number of changed rows: `yield* changes(…)`. */
export function* changes(statement: Statement.Statement<unknown>): Script<number> {
  const step = new Changes(statement)
  yield step
  return step.count
}

/** Runs a script synchronously. */
export const runSync = <A>(script: Script<A>, connection: SyncConnection): A => {
  let next = script.next()
  while (next.done !== true) {
    next.value.runSync(connection)
    next = script.next()
  }
  return next.value
}

/** Runs a script statement by statement, inside the open transaction if there is one. */
export const run: <A>(script: Script<A>) => Effect.Effect<A, SqlError.SqlError> = Effect.fnUntraced(function* <A>(
  script: Script<A>
) {
  let next = script.next()
  while (next.done !== true) {
    yield* next.value.run()
    next = script.next()
  }
  return next.value
})
