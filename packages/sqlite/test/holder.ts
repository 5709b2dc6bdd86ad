// A separate process: opens the given database, prints "ready", then writes rows and prints each after its commit,
// until it is killed.
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
