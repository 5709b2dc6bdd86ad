import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { changes, type Script } from "../engine/Script.ts"

/**
 * What `AccessStore.epoch` answers, moved by every store that writes what a token's validity rests on. It counts the
 * writes of this process, which on SQLite are all there are. Where other processes write too, it is moved whenever they
 * may have.
 */
export class AccessEpoch extends Context.Service<
  AccessEpoch,
  {
    readonly current: Effect.Effect<number>
    /** Makes everything that was remembered stale. */
    readonly move: Effect.Effect<void>
    /** Runs a write, after which nothing that was remembered holds, however it ends: a COMMIT may have been in time. */
    readonly moving: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@wcs/store-sql/AccessEpoch") {}

const make = () => {
  let epoch = 0
  const move = Effect.sync(() => {
    epoch++
  })
  return AccessEpoch.of({ current: Effect.sync(() => epoch), move, moving: Effect.ensuring(move) })
}

/** Where this process is the only one that writes. */
export const layer: Layer.Layer<AccessEpoch> = Layer.sync(AccessEpoch, () => make())

/** What tells other processes of a write, on Postgres: the channel that they listen on. */
export const channel = "wcs_access"

/** Counts a write and tells of it once it is committed, as the last statement of its transaction. */
export const makeTell = (sql: SqlClient.SqlClient): (() => Script<void>) => {
  const tell = sql.onDialectOrElse({
    pg: () => sql`WITH moved AS (UPDATE access_epoch SET writes = writes + 1 RETURNING writes)
      SELECT pg_notify(${channel}, CAST(writes AS TEXT)) FROM moved`,
    orElse: () => undefined
  })
  return function* () {
    if (tell !== undefined) yield* changes(tell)
  }
}

/** How long a write of another process may go unnoticed where nothing is heard of it. */
const lookAgainAfter = Duration.millis(500)

/**
 * Where other processes write too. `heard` waits until one of them may have told of a write; besides, their writes are
 * counted twice a second, whatever is heard. Where they cannot be counted, nothing that was remembered holds for longer
 * than that either. The client is for this alone: nobody else has to be waited for.
 */
export const layerShared = (heard: Effect.Effect<void>): Layer.Layer<AccessEpoch, never, SqlClient.SqlClient> =>
  Layer.effect(
    AccessEpoch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const service = make()
      let known: number | undefined
      const count = sql<{ readonly writes: unknown }>`SELECT writes FROM access_epoch`.pipe(
        Effect.map(([row]) => Number(row?.writes)),
        Effect.timeout(lookAgainAfter),
        Effect.catchCause(() => Effect.succeed(undefined))
      )
      const look = Effect.gen(function* () {
        const writes = yield* count
        if (writes === undefined || writes !== known) yield* service.move
        known = writes
      })
      const wait = Effect.raceFirst(heard, Effect.sleep(lookAgainAfter))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, wait)))
      return service
    })
  )
