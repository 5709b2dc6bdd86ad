import { stat } from "node:fs/promises"
import { basename } from "node:path"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import type { SqliteOpenError } from "@wcs/sqlite/SqliteOpenError"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Effect, Layer } from "effect"
import { refusing, StartRefused } from "../StartRefused.ts"
import { DataDirectory } from "./DataDirectory.ts"

/** Why the file cannot be used, in the words of the settings where another process has it. */
const refusal = (directory: string, { message, reason }: SqliteOpenError) =>
  reason === "in use"
    ? new StartRefused({
        message: `The data directory ${directory} is in use by another process: stop that one, or set WCS_DATA to another.`,
        isInUse: true
      })
    : new StartRefused({ message })

const client = ({ path, storeFile }: DataDirectory["Service"]) =>
  SqliteClient.layer({ filename: storeFile }).pipe(
    Layer.catchTag("SqliteOpenError", (error) => Layer.effectContext(Effect.fail(refusal(path, error))))
  )

/** An empty file beside the key of a store that was whole once is no new store: it would only look like one. */
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
      `The data directory ${path} has its master key and has lost its store: put ${basename(storeFile)} back from a ` +
      "backup, or set WCS_DATA to another directory to begin anew; nothing was changed."
  })
})

/** The embedded store, in the data directory; it is this process's alone until the layer is released. */
export const layer = Layer.unwrap(
  DataDirectory.use((directory) =>
    Effect.as(requireStore(directory), refusing(StoreSql.layer).pipe(Layer.provide(client(directory))))
  )
)
