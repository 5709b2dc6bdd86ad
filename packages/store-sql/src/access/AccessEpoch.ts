import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { changes, type Script } from "../engine/Script.ts"

/**
 * The epoch behind `AccessStore.epoch`. Every write that can affect the validity of a token raises it. It counts this
 * process's writes, which on SQLite are all writes. If other processes write too, it also rises whenever they may have
 * written.
 */
export class AccessEpoch extends Context.Service<
  AccessEpoch,
  {
    readonly current: Effect.Effect<number>
    /** Makes all cached access data stale. */
    readonly move: Effect.Effect<void>
    /** Runs a write, then makes all cached access data stale, also on failure: the COMMIT may have succeeded. */
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

/** The epoch for a process that is the only writer. */
export const layer: Layer.Layer<AccessEpoch> = Layer.sync(AccessEpoch, () => make())

/** The Postgres channel that announces writes to other processes. */
export const channel = "wcs_access"

/** Counts a write and notifies other processes at the COMMIT. Must be the last statement of its transaction. */
export const makeAnnounce = (sql: SqlClient.SqlClient): (() => Script<void>) => {
  const announce = sql.onDialectOrElse({
    pg: () => sql`WITH moved AS (UPDATE access_epoch SET writes = writes + 1 RETURNING writes)
      SELECT pg_notify(${channel}, CAST(writes AS TEXT)) FROM moved`,
    orElse: () => undefined
  })
  return function* () {
    if (announce !== undefined) yield* changes(announce)
  }
}

/** How long another process's write may go unnoticed without a notification. */
const lookAgainAfter = Duration.millis(500)

/**
 * The epoch for several writing processes. `heard` resolves when another process may have written. Independent of it,
 * their writes are counted twice a second. If they cannot be counted, cached data expires at the same interval. The
 * client must serve this layer only, so that it never waits for a connection.
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
