import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { refusing, StartRefused } from "@wcs/node-server/StartRefused"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import type { SqliteOpenError } from "@wcs/sqlite/SqliteOpenError"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer } from "effect"
import { DataDirectory } from "./DataDirectory.ts"

/** Converts an open error to one sentence. */
const refusal = (directory: string, { message, reason }: SqliteOpenError) =>
  reason === "in use"
    ? new StartRefused({
        message: `The data directory ${directory} is in use by another process: stop that process, or set WCS_DATA to another directory.`,
        isInUse: true
      })
    : new StartRefused({ message })

const client = ({ path, storeFile }: DataDirectory["Service"]) =>
  SqliteClient.layer({ filename: storeFile }).pipe(
    Layer.catchTag("SqliteOpenError", (error) => Layer.effectContext(Effect.fail(refusal(path, error))))
  )

/** Fails if the first run is complete but the store is empty, because the store must have been lost. */
const requireStore = Effect.fnUntraced(function* ({ isNew, path, storeFile }: DataDirectory["Service"]) {
  const bytes = yield* Effect.promise(() =>
    stat(storeFile).then(
      ({ size }) => size,
      () => 0
    )
  )
  if (isNew || bytes > 0) return
  return yield* new StartRefused({
    message:
      `The data directory ${path} has a master key but no store: restore ${basename(storeFile)} from a ` +
      "backup, or set WCS_DATA to another directory for a new store; nothing was changed."
  })
})

/** The embedded store in the data directory. It is locked for this process until the layer is released. */
export const layer = Layer.unwrap(
  DataDirectory.use((directory) =>
    Effect.as(requireStore(directory), refusing(StoreSqlite.layer).pipe(Layer.provide(client(directory))))
  )
)
