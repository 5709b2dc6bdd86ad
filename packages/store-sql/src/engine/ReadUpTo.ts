import { Context, Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** A row by column. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Runs a SELECT and returns its first rows as objects. Stops after the first row with which the texts exceed `most`
 * characters.
 */
export type Read = (
  text: string,
  params: ReadonlyArray<unknown>,
  most: number
) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Reads rows one by one. Only an engine in this process can provide it. */
export class ReadUpTo extends Context.Service<ReadUpTo, Read>()("@wcs/store-sql/engine/ReadUpTo") {}

/** Reads by `ReadUpTo`. Reads all rows if the engine does not provide it. */
export const makeReadUpTo: Effect.Effect<Read, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Option.getOrElse(
    yield* Effect.serviceOption(ReadUpTo),
    (): Read => (text, params) => sql.unsafe<Row>(text, params)
  )
})
