// A separate process: migrates the given store, a file or a Postgres URL, and kills itself before the statement with
// the given number, after announcing that.
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { migrate } from "@wcs/store-sql/engine/Migrations"
import { Effect, type Layer, Redacted, References } from "effect"
import { type SqlClient, Statement } from "effect/sql"
import { withLater } from "./later.ts"

const [place = "", stop = ""] = process.argv.slice(2)
let left = Number(stop)

const stopping: Statement.Transformer = (statement) => {
  if (left-- === 0) {
    process.stdout.write("reached")
    process.kill(process.pid, "SIGKILL")
  }
  return Effect.succeed(statement)
}

const client: Layer.Layer<SqlClient.SqlClient, unknown> = place.startsWith("postgres://")
  ? PgClient.layer({ url: Redacted.make(place) })
  : SqliteClient.layer({ filename: place })

const program = migrate(withLater).pipe(
  Effect.provideService(Statement.CurrentTransformer, stopping),
  Effect.provide(client),
  Effect.provideService(References.MinimumLogLevel, "Warn")
)

Effect.runPromise(program)
