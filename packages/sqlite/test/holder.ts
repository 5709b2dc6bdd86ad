// A process of its own that opens the database it is told, says "ready", and then writes row after row, each told of
// once it is committed, until it is killed.
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { Console, Effect } from "effect"
import { SqlClient } from "effect/sql"

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY) STRICT`
  yield* Console.log("ready")
  for (let id = 1; ; id++) {
    yield* sql.withTransaction(sql`INSERT INTO kept (id) VALUES (${id})`)
    yield* Console.log(String(id))
    yield* Effect.yieldNow
  }
}).pipe(
  Effect.provide(SqliteClient.layer({ filename: process.argv[2] ?? "" })),
  Effect.catchTag("SqliteOpenError", (error) => Console.log(`${error.reason}: ${error.message}`))
)

Effect.runPromise(program)
