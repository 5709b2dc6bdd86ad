// A process of its own that brings the store it is told up to the schema, and is killed, as by kill -9, before the
// statement with the number it is told; it says so before.
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { migrate, migrations } from "@wcs/store-sql/Migrations"
import { Effect, References } from "effect"
import { Statement } from "effect/sql"

const [file = "", stop = ""] = process.argv.slice(2)
let left = Number(stop)

const stopping: Statement.Transformer = (statement) => {
  if (left-- === 0) {
    process.stdout.write("reached")
    process.kill(process.pid, "SIGKILL")
  }
  return Effect.succeed(statement)
}

const program = migrate(migrations).pipe(
  Effect.provideService(Statement.CurrentTransformer, stopping),
  Effect.provide(SqliteClient.layer({ filename: file })),
  Effect.provideService(References.MinimumLogLevel, "Warn")
)

Effect.runPromise(program)
