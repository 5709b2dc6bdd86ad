import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** An empty directory, removed with the scope. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-sqlite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The path of a database that does not exist yet. */
export const filename = Effect.map(directory, (path) => join(path, "store.db"))

/** Opens a database until the scope closes. */
export const open = (file: string, options: Omit<SqliteClient.SqliteClientOptions, "filename"> = {}) =>
  Layer.build(SqliteClient.layer({ busyTimeoutMillis: 50, ...options, filename: file }))

/** Opens a database for one use. */
export const within = <A, E>(file: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(open(file), (context) => Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), context))
  )
