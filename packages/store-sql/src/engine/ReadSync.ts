import { Context, Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** Runs a SELECT and returns its rows as arrays, in the order of its columns. */
export type Read = (
  text: string,
  params: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>

/**
 * Runs a SELECT without a `Statement`, which costs more than SQLite's own work for one row. Inside a transaction, or for
 * a tracer, it uses a `Statement`. Only an engine in this process can provide it.
 */
export class ReadSync extends Context.Service<ReadSync, Read>()("@wcs/store-sql/engine/ReadSync") {}

/** Reads by `ReadSync`, or by a `Statement` if the engine does not provide it. */
export const makeReader: Effect.Effect<Read, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Option.getOrElse(
    yield* Effect.serviceOption(ReadSync),
    (): Read => (text, params) => sql.unsafe(text, params).values
  )
})
