// A process of its own that brings the store it is told, a file or a URL of Postgres, up to the schema, and is killed, as by kill -9, before the
// statement with the number it is told; it says so before.
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import { Effect, type Layer, Redacted, References } from "effect"
import { type SqlClient, Statement } from "effect/sql"

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

const program = migrate(migrations).pipe(
  Effect.provideService(Statement.CurrentTransformer, stopping),
  Effect.provide(client),
  Effect.provideService(References.MinimumLogLevel, "Warn")
)

Effect.runPromise(program)
