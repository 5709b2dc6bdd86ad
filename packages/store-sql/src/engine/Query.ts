import type { SqlClient, Statement } from "effect/sql"

/** A place in a kept statement, filled anew at each run. */
class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A place in a kept statement, by the name of the value that fills it. */
export type At<Values> = (name: keyof Values & string) => Place

/** What may stand where a text is due: the text, or its place. */
export type Text = string | Place

/** A statement that is put together once; each run fills its places. */
export type Query<Values, Row> = (values: Values) => Statement.Statement<Row>

/**
 * Keeps the text of a statement. To put one together out of its parts costs more than SQLite takes to run it, and a
 * connection finds its prepared statement faster by a text that is the same object each time.
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
