import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import { makeConnection, spanAttributes } from "./SqliteClient.ts"
import { check, openReader } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"
import { fromCause as fromOpenCause, SqliteOpenError } from "./SqliteOpenError.ts"

/** The process that owns the database can block the first read for a moment. */
const busyTimeoutMillis = 10_000

const make = Effect.fnUntraced(function* (filename: string) {
  const reader = yield* openReader({ filename, busyTimeoutMillis })
  yield* Effect.try({
    try: () => {
      reader.exec("BEGIN")
      check(reader, filename) // the first read chooses the moment
    },
    catch: (cause) => (cause instanceof SqliteOpenError ? cause : fromOpenCause(filename, cause))
  })
  const connection = makeConnection(reader, (evaluate) => Effect.try({ try: evaluate, catch: fromCause }))
  return yield* SqlClient.make({
    acquirer: Effect.succeed(connection),
    borrower: (use) => use(connection),
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    spanAttributes
  })
})

/**
 * A client that reads everything committed at one moment, beside the process that owns the database. It blocks neither
 * readers nor the writer, but the write-ahead log cannot shrink until the layer is released. Fails if the file is
 * damaged.
 */
export const layer = (filename: string): Layer.Layer<SqlClient.SqlClient, SqliteOpenError> =>
  Layer.effect(SqlClient.SqlClient, make(filename)).pipe(Layer.provide(Reactivity.layer))
