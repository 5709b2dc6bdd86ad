import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { Context, Layer, References } from "effect"
import { DirectRead } from "./engine/DirectRead.ts"
import { ReadUpTo } from "./engine/ReadUpTo.ts"
import { TransactionSync } from "./engine/TransactionSync.ts"
import * as StoreSql from "./StoreSql.ts"

/** The synchronous transactions and reads of a SQLite client. */
export const synchronous = Layer.effectContext(
  SqliteClient.SqliteClient.useSync(({ readSync, readUpTo, transactionSync }) =>
    Context.make(TransactionSync, transactionSync).pipe(
      Context.add(DirectRead, readSync),
      Context.add(ReadUpTo, readUpTo)
    )
  )
)

/** The storage ports on a SQLite client, with its synchronous transactions and reads. */
export const layer = Layer.provide(StoreSql.layer, synchronous)

/**
 * The storage ports on a database in memory that exists for one build of the layer, for tests. Without a tracer, as in
 * a server without telemetry, because statements that a tracer sees are slower.
 *
 * @public
 */
export const layerMemory = Layer.orDie(Layer.provide(layer, SqliteClient.layerMemory(StoreSql.upgrade))).pipe(
  Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
)
