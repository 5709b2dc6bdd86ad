import { Context, Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** Runs a SELECT and returns its rows as arrays, in the order of its columns. */
export type Read = (
  text: string,
  params: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>

/**
 * Runs a SELECT without a `Statement`, which costs more than SQLite's own work for one row. Inside a transaction, or for
 * a tracer, it uses a `Statement`.
 */
export class DirectRead extends Context.Service<DirectRead, Read>()("@wcs/store-sql/engine/DirectRead") {}

/** Reads by `DirectRead`, or by a `Statement` if the engine does not provide it. */
export const makeReader: Effect.Effect<Read, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Option.getOrElse(
    yield* Effect.serviceOption(DirectRead),
    (): Read => (text, params) => sql.unsafe(text, params).values
  )
})
