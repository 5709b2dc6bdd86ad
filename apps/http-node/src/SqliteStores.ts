import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import type { SqliteOpenError } from "@wcs/sqlite/SqliteOpenError"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Effect, Layer } from "effect"
import { DataDirectory } from "./DataDirectory.ts"
import { refusing, StartRefused } from "./StartRefused.ts"

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

/** The embedded store, in the data directory; it is this process's alone until the layer is released. */
export const layer = Layer.unwrap(
  DataDirectory.use((directory) => Effect.succeed(refusing(StoreSql.layer).pipe(Layer.provide(client(directory)))))
)
