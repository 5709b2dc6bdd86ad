import type { SqlClient, Statement } from "effect/sql"

/** A placeholder in a cached statement, filled at each run. */
class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Returns the placeholder of a value by its name. */
export type At<Values> = (name: keyof Values & string) => Place

/** A text, or its placeholder. */
export type Text = string | Place

/** A statement built once. Each run fills its placeholders. */
export type Query<Values, Row> = (values: Values) => Statement.Statement<Row>

/**
 * Caches the text of a statement. Building a statement takes longer than SQLite takes to run it, and a connection finds
 * its prepared statement faster by an identical string object.
 */
export const keep = <Values extends object, Row extends object>(
  sql: SqlClient.SqlClient,
  build: (at: At<Values>) => Statement.Statement<Row>
): Query<Values, Row> => {
  const [text, bound] = build((name) => new Place(name)).compile()
  return (values) =>
    sql.unsafe<Row>(
      text,
      bound.map((value) => (value instanceof Place ? values[value.name as keyof Values] : value))
    )
}
