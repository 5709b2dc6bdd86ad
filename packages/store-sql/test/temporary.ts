import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer } from "effect"

/** The path of a database in an empty directory, removed with the scope. */
export const filename = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-store-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => join(path, "store.db")
)

/** A client with synchronous reads and transactions for the store. */
export const clientOf = (options: SqliteClient.SqliteClientOptions) =>
  Layer.provideMerge(StoreSqlite.synchronous, SqliteClient.layer(options))

/** A client of a database that exists for this layer only. */
export const client = Layer.unwrap(Effect.map(filename, (file) => clientOf({ filename: file })))

/** The store on a client, with the client to inspect it. */
export const storeOn = (on: ReturnType<typeof clientOf>) => Layer.provideMerge(StoreSql.layer, on)

/** The store on such a database. */
export const store = Layer.provideMerge(StoreSql.layer, client)
