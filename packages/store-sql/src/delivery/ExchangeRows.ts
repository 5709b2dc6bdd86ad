import type { Settlement } from "@wcs/domain/webhook/DeliveryStore"
import { type Exchange, exchangesKept } from "@wcs/domain/webhook/Exchange"
import { Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { inStatements, insertAll, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, type Script } from "../engine/Script.ts"

interface ExchangeRow {
  readonly number: unknown
  readonly request_headers: string
  readonly response_headers: string
  readonly response_body: string | null
}

const columns = {
  tenant_id: "TEXT",
  delivery_id: "TEXT",
  number: "BIGINT",
  request_headers: "TEXT",
  response_headers: "TEXT",
  response_body: "TEXT"
} as const

const rowOf = (tenantId: string, deliveryId: string, exchange: Exchange) => ({
  tenant_id: tenantId,
  delivery_id: deliveryId,
  number: exchange.number,
  request_headers: JSON.stringify(exchange.requestHeaders),
  response_headers: JSON.stringify(exchange.responseHeaders),
  response_body: exchange.responseBody
})

/** The headers of a row. Empty when unreadable, so that the others are shown. */
const headersOf = (text: string): Exchange["responseHeaders"] => {
  const read = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(read) && Array.isArray(read.success) ? read.success : []
}

const exchangeOf = (row: ExchangeRow): Exchange => ({
  number: Number(row.number),
  requestHeaders: headersOf(row.request_headers),
  responseHeaders: headersOf(row.response_headers),
  responseBody: row.response_body
})

/** A delivery. */
interface Key {
  readonly tenant_id: string
  readonly id: string
}

/** The table of what attempts sent and got. Rows are only added, so a worker never restores what an erasure deleted. */
export const makeExchanges = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  // A second result of one attempt is ignored: a failure would stop the worker.
  const insert = keepForBatches(
    sql,
    dialect,
    columns,
    (batch) => sql`${insertAll(sql, "delivery_exchange", columns, batch)} ON CONFLICT DO NOTHING`
  )
  const deleteUpTo = keepForBatches(
    sql,
    dialect,
    { tenant: "TEXT", delivery: "TEXT", up_to: "BIGINT" },
    ({ rows: batch, fieldOf, varies }) => sql`WITH n AS MATERIALIZED (${batch}) DELETE FROM delivery_exchange
      WHERE ${varies("tenant") ? sql.literal("true") : sql`tenant_id = ${fieldOf("tenant")}`}
      AND (tenant_id, delivery_id, number) IN (
        SELECT x.tenant_id, x.delivery_id, x.number FROM n CROSS JOIN delivery_exchange AS x
        WHERE x.tenant_id = ${fieldOf("tenant")} AND x.delivery_id = n.delivery AND x.number <= n.up_to)`
  )

  function* remove(all: ReadonlyArray<{ tenant: string; delivery: string; up_to: number }>): Script<void> {
    for (const batch of inStatements(dialect, all, ({ tenant }) => tenant)) yield* changes(deleteUpTo(batch))
  }

  return {
    /** Adds the exchanges of these settlements, and deletes the oldest above those that are kept. */
    add: function* (settlements: ReadonlyArray<Settlement>): Script<void> {
      const added = settlements.flatMap(({ delivery: { id, tenantId }, exchange }) =>
        exchange === undefined ? [] : [rowOf(tenantId, id, exchange)]
      )
      for (const batch of inStatements(dialect, added, (row) => row.tenant_id)) yield* changes(insert(batch))
      yield* remove(
        added
          .filter(({ number }) => number > exchangesKept)
          .map(({ delivery_id, number, tenant_id }) => ({
            ...{ tenant: tenant_id, delivery: delivery_id, up_to: number - exchangesKept }
          }))
      )
    },

    /** Deletes the exchanges of these deliveries. */
    remove: (deliveries: ReadonlyArray<Key>): Script<void> =>
      remove(
        deliveries.map(({ id, tenant_id }) => ({ tenant: tenant_id, delivery: id, up_to: Number.MAX_SAFE_INTEGER }))
      ),

    read: (tenantId: string, deliveryId: string): Effect.Effect<ReadonlyArray<Exchange>> =>
      sql<ExchangeRow>`SELECT x.number, x.request_headers, x.response_headers, x.response_body
        FROM delivery_exchange AS x WHERE x.tenant_id = ${tenantId} AND x.delivery_id = ${deliveryId}
        ORDER BY x.number LIMIT ${exchangesKept}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(exchangeOf))
      )
  }
}

export type Exchanges = ReturnType<typeof makeExchanges>
