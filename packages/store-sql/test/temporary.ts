import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Effect, Layer, References } from "effect"

/** The path of a database in an empty directory, which is gone with the scope. */
export const filename = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-store-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => join(path, "store.db")
)

/** A client of a database that is there for the layer alone. */
export const client = Layer.unwrap(Effect.map(filename, (file) => SqliteClient.layer({ filename: file })))

/** The store on such a database, and the client to look into it. */
export const store = Layer.provideMerge(StoreSql.layer, client)

/** The same where nobody traces: then transactions are run in one go. */
export const unwatched = Layer.provideMerge(store, Layer.succeed(References.TracerEnabled, false))
