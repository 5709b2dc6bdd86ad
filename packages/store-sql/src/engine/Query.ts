import type { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Read } from "./DirectRead.ts"

/** A placeholder in a cached statement, filled at each run. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Returns the placeholder of a value by its name. */
export type At<Values> = (name: keyof Values & string) => Placeholder

/** A text, or its placeholder. */
export type Text = string | Placeholder

/** A statement built once. Each run fills its placeholders. */
export type Query<Values, Row> = (values: Values) => Statement.Statement<Row>

/**
 * Returns the text of a statement and its parameters for given values. The text is built at its first use, because the
 * texts of all statements would delay the start.
 */
const compile = <Values extends object>(build: (at: At<Values>) => Statement.Statement<object>) => {
  let built: readonly [text: string, bound: ReadonlyArray<unknown>] | undefined
  return (values: Values): readonly [text: string, params: ReadonlyArray<unknown>] => {
    built ??= build((name) => new Placeholder(name)).compile()
    const [text, bound] = built
    return [text, bound.map((value) => (value instanceof Placeholder ? values[value.name as keyof Values] : value))]
  }
}

/**
 * Caches the text of a statement. Building a statement takes longer than SQLite takes to run it, and a connection finds
 * its prepared statement faster by an identical string object.
 */
export const keep = <Values extends object, Row extends object>(
  sql: SqlClient.SqlClient,
  build: (at: At<Values>) => Statement.Statement<Row>
): Query<Values, Row> => {
  const compiled = compile(build)
  return (values) => sql.unsafe<Row>(...compiled(values))
}

/** Caches the text of a SELECT, whose rows are arrays. */
export const keepRead = <Values extends object>(
  read: Read,
  build: (at: At<Values>) => Statement.Statement<object>
): ((values: Values) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>) => {
  const compiled = compile(build)
  return (values) => read(...compiled(values))
}
