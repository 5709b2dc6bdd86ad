import type { Caller } from "@wcs/domain/access/Caller"
import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { rows, type Script } from "../engine/Script.ts"

/**
 * The epoch behind `AccessStore.epoch`. Every write that can affect the validity of a token raises it. It counts this
 * process's writes, which on SQLite are all writes. If other processes write too, it also rises whenever they may have
 * written.
 */
export class AccessEpoch extends Context.Service<
  AccessEpoch,
  {
    readonly current: () => number
    /** Makes the access data that this process has cached stale. */
    readonly step: () => void
    /** The number of access writes of the tenant at which a caller last passed `CallerCheck`. */
    readonly checkedAt: WeakMap<Caller["Service"], number>
    /**
     * Runs a write, then makes all cached access data stale, also on failure: the COMMIT may have succeeded. `when` is
     * called after the write, and tells whether the write matters; by default it does.
     */
    readonly moving: <A, E, R>(write: Effect.Effect<A, E, R>, when?: () => boolean) => Effect.Effect<A, E, R>
  }
>()("@wcs/store-sql/AccessEpoch") {}

/** `notify` tells other processes that this one wrote. */
const make = (notify: Effect.Effect<void>) => {
  let epoch = 0
  const step = () => {
    epoch++
  }
  const moving: AccessEpoch["Service"]["moving"] = (write, when = () => true) => {
    const stepped = Effect.ensuring(
      write,
      Effect.sync(() => {
        if (when()) step()
      })
    )
    return Effect.flatMap(Effect.exit(stepped), (exit) => (when() ? Effect.andThen(notify, exit) : exit))
  }
  return AccessEpoch.of({ current: () => epoch, step, checkedAt: new WeakMap(), moving })
}

/** The epoch for a process that is the only writer. */
export const layer: Layer.Layer<AccessEpoch> = Layer.sync(AccessEpoch, () => make(Effect.void))

/** The Postgres channel that announces writes to other processes. */
export const channel = "wcs_access"

/** The number of a tenant's access writes, inside a transaction. It changes with each revocation. */
export interface AccessWrites {
  /** Returns the number of those that are committed. */
  readonly read: (tenantId: string) => Script<number>
  /**
   * Returns the number, and adds `by` to it. The tenant's next access write waits until this transaction ends. So a
   * revocation is visible to what gives access after it, and what gave access before it is visible to the revocation.
   */
  readonly enter: (tenantId: string, by: 0 | 1) => Script<number>
}

/**
 * Other processes read the number from the store. Each tenant has a row of its own, so that tenants do not wait for each
 * other. On SQLite, transactions run one after the other in this process, so the epoch is such a number.
 */
export const makeAccessWrites = (sql: SqlClient.SqlClient, epoch: AccessEpoch["Service"]): AccessWrites =>
  sql.onDialectOrElse({
    pg: (): AccessWrites => ({
      *read(tenantId) {
        const [row] = yield* rows(
          sql<{ readonly writes: unknown }>`SELECT writes FROM access_epoch WHERE tenant_id = ${tenantId}`
        )
        return Number(row?.writes ?? 0)
      },
      *enter(tenantId, by) {
        const [row] = yield* rows(
          sql<{ readonly writes: unknown }>`INSERT INTO access_epoch (tenant_id, writes) VALUES (${tenantId}, ${by})
            ON CONFLICT (tenant_id) DO UPDATE SET writes = access_epoch.writes + excluded.writes RETURNING writes`
        )
        return Number(row?.writes) - by
      }
    }),
    orElse: (): AccessWrites => ({
      // biome-ignore lint/correctness/useYield: needs no statement
      *read() {
        return epoch.current()
      },
      // biome-ignore lint/correctness/useYield: needs no statement
      *enter(_, by) {
        const before = epoch.current()
        // Also before the COMMIT: the next transaction of the group must see it.
        if (by > 0) epoch.step()
        return before
      }
    })
  })

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
      const service = make(notify)
      let known: number | undefined
      const count = sql<{ readonly writes: unknown }>`SELECT sum(writes) AS writes FROM access_epoch`.pipe(
        Effect.map(([row]) => Number(row?.writes)),
        Effect.timeout(lookAgainAfter),
        Effect.catchCause(() => Effect.succeed(undefined))
      )
      const look = Effect.gen(function* () {
        const writes = yield* count
        if (writes === undefined || writes !== known) service.step()
        known = writes
      })
      const wait = Effect.raceFirst(heard, Effect.sleep(lookAgainAfter))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, wait)))
      return service
    })
  )
