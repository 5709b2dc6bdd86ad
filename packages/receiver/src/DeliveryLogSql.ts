import { Clock, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Claim, DeliveryLog, retentionMillis } from "./DeliveryLog.ts"

export interface DeliveryLogSqlOptions {
  /** 30 days by default, at least 84 hours. */
  readonly retentionSeconds?: number
  /** `webhook_delivery` by default, created when missing. Use one table per sender. */
  readonly table?: string
}

/**
 * A log in SQLite or Postgres that any number of processes can share. A row is a handled or claimed delivery; `at` is
 * when it was handled or when the claim ends. A claim is one statement and therefore atomic.
 */
export const make = Effect.fnUntraced(function* ({
  retentionSeconds,
  table = "webhook_delivery"
}: DeliveryLogSqlOptions = {}): Effect.fn.Return<DeliveryLog["Service"], SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [log, index] = [sql(table), sql(`${table}_by_at`)]
  yield* sql`CREATE TABLE IF NOT EXISTS ${log} (id TEXT NOT NULL PRIMARY KEY, handled INTEGER NOT NULL, at BIGINT NOT NULL)`
  yield* sql`CREATE INDEX IF NOT EXISTS ${index} ON ${log} (at)`

  const retention = retentionMillis(retentionSeconds)
  return DeliveryLog.of({
    claim: Effect.fn("DeliveryLog.claim")(function* (id, seconds): Effect.fn.Return<Claim, SqlError.SqlError> {
      const now = yield* Clock.currentTimeMillis
      const until = now + seconds * 1000
      const claimed = yield* sql`INSERT INTO ${log} AS known (id, handled, at) VALUES (${id}, 0, ${until})
        ON CONFLICT (id) DO UPDATE SET handled = 0, at = excluded.at
        WHERE (known.handled = 0 AND known.at <= ${now}) OR known.at < ${now - retention}
        RETURNING id`
      if (claimed.length > 0) return { _tag: "Claimed", until }
      // The row is missing when another process just released it: the next attempt gets it.
      const [row] = yield* sql<{ readonly handled: unknown }>`SELECT handled FROM ${log} WHERE id = ${id}`
      return Number(row?.handled ?? 0) === 1 ? { _tag: "Handled" } : { _tag: "Busy" }
    }, Effect.orDie),
    complete: Effect.fn("DeliveryLog.complete")(function* (id) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO ${log} (id, handled, at) VALUES (${id}, 1, ${now})
        ON CONFLICT (id) DO UPDATE SET handled = 1, at = excluded.at`
      yield* sql`DELETE FROM ${log} WHERE at < ${now - retention}`
    }, Effect.orDie),
    release: Effect.fn("DeliveryLog.release")(function* (id, until) {
      yield* sql`DELETE FROM ${log} WHERE id = ${id} AND handled = 0 AND at = ${until}`
    }, Effect.orDie)
  })
})

/** @public */
export const layer = (
  options?: DeliveryLogSqlOptions
): Layer.Layer<DeliveryLog, SqlError.SqlError, SqlClient.SqlClient> => Layer.effect(DeliveryLog, make(options))
