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
    /**
     * Runs a write, then makes all cached access data stale, also on failure: the COMMIT may have succeeded. `when` is
     * called after the write, and tells whether the write matters; by default it does.
     */
    readonly moving: <A, E, R>(write: Effect.Effect<A, E, R>, when?: () => boolean) => Effect.Effect<A, E, R>
  }
>()("@wcs/store-sql/AccessEpoch") {}

/** `notify` tells other processes that this one wrote. `step` only makes the data of this process stale. */
const make = (notify: Effect.Effect<void>) => {
  let epoch = 0
  const step = Effect.sync(() => {
    epoch++
  })
  const moving: AccessEpoch["Service"]["moving"] = (write, when = () => true) => {
    const stepped = Effect.ensuring(
      write,
      Effect.suspend(() => (when() ? step : Effect.void))
    )
    return Effect.flatMap(Effect.exit(stepped), (exit) => (when() ? Effect.andThen(notify, exit) : exit))
  }
  return { step, service: AccessEpoch.of({ current: Effect.sync(() => epoch), moving }) }
}

/** The epoch for a process that is the only writer. */
export const layer: Layer.Layer<AccessEpoch> = Layer.sync(AccessEpoch, () => make(Effect.void).service)

/** The Postgres channel that announces writes to other processes. */
export const channel = "wcs_access"

/**
 * Counts a write of the tenant for other processes, in the transaction of the write. Each tenant has a row of its own,
 * so that tenants do not wait for each other.
 */
export const makeCountWrite = (sql: SqlClient.SqlClient): ((tenantId: string) => Script<void>) => {
  const count = sql.onDialectOrElse({
    pg: () => (tenantId: string) =>
      sql`INSERT INTO access_epoch (tenant_id, writes) VALUES (${tenantId}, 1)
      ON CONFLICT (tenant_id) DO UPDATE SET writes = access_epoch.writes + 1`,
    orElse: () => undefined
  })
  return function* (tenantId) {
    if (count !== undefined) yield* changes(count(tenantId))
  }
}

/** How long another process's write may go unnoticed without a notification. */
const lookAgainAfter = Duration.millis(500)

/**
 * The epoch for several writing processes. `heard` resolves when another process may have written. Independent of it,
 * their writes are counted twice a second. If they cannot be counted, cached data expires at the same interval. The
 * client must serve this layer only, so that it never waits for a connection.
 *
 * Other processes are notified after the commit, because Postgres serializes the commits of transactions that notify.
 */
export const layerShared = (heard: Effect.Effect<void>): Layer.Layer<AccessEpoch, never, SqlClient.SqlClient> =>
  Layer.effect(
    AccessEpoch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const notify = sql`SELECT pg_notify(${channel}, '')`.pipe(Effect.timeout(lookAgainAfter), Effect.ignoreCause)
      const { service, step } = make(notify)
      let known: number | undefined
      const count = sql<{ readonly writes: unknown }>`SELECT sum(writes) AS writes FROM access_epoch`.pipe(
        Effect.map(([row]) => Number(row?.writes)),
        Effect.timeout(lookAgainAfter),
        Effect.catchCause(() => Effect.succeed(undefined))
      )
      const look = Effect.gen(function* () {
        const writes = yield* count
        if (writes === undefined || writes !== known) yield* step
        known = writes
      })
      const wait = Effect.raceFirst(heard, Effect.sleep(lookAgainAfter))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, wait)))
      return service
    })
  )
