import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Effect, Layer, References } from "effect"

/** The path of a database in an empty directory, removed with the scope. */
export const filename = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-store-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => join(path, "store.db")
)

/** A client of a database that exists for this layer only. */
export const client = Layer.unwrap(Effect.map(filename, (file) => SqliteClient.layer({ filename: file })))

/** The store on such a database, with the client to inspect it. */
export const store = Layer.provideMerge(StoreSql.layer, client)

/** The same without a tracer, so that transactions run synchronously. */
export const unwatched = Layer.provideMerge(store, Layer.succeed(References.TracerEnabled, false))
