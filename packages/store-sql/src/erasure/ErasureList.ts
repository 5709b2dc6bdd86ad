import { Reason } from "@wcs/domain/erasure/Erasure"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { migrate, migrations } from "../engine/Migrations.ts"

/** An erasure in a list that outlives backups. */
export const Listed = Schema.Struct({
  tenantId: Schema.String,
  workerId: Schema.String,
  reason: Reason,
  account: Schema.String,
  requestId: Schema.String,
  requestedAt: Schema.Int
})
export type Listed = typeof Listed.Type

interface Row {
  readonly tenant_id: string
  readonly worker_id: string
  readonly reason: Listed["reason"]
  readonly account: string
  readonly request_id: string
  readonly requested_at: unknown
}

/** Reads all erasures of the store that were not only announced, oldest first. */
export const readErasures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Row>`SELECT r.tenant_id, r.worker_id, r.reason, r.account, r.request_id, r.requested_at
    FROM erasure AS r WHERE r.status <> 'ANNOUNCED' ORDER BY r.position`
  return rows.map(
    (row): Listed => ({
      tenantId: row.tenant_id,
      workerId: row.worker_id,
      reason: row.reason,
      account: row.account,
      requestId: row.request_id,
      requestedAt: Number(row.requested_at)
    })
  )
})

/**
 * Adds erasures to a restored store, in the open transaction, so that the worker repeats them. Applies all migrations
 * first. Returns the number of those that the store did not have.
 */
export const repeatErasures = Effect.fnUntraced(function* (list: ReadonlyArray<Listed>) {
  const sql = yield* SqlClient.SqlClient
  yield* migrate(migrations)
  let added = 0
  for (const { account, reason, requestedAt, requestId, tenantId, workerId } of list) {
    const row = {
      ...{ tenant_id: tenantId, worker_id: workerId, reason, status: "DUE", account },
      ...{ request_id: requestId, requested_at: requestedAt }
    }
    const found = yield* sql`INSERT INTO erasure ${sql.insert(row)}
      ON CONFLICT (tenant_id, worker_id) DO UPDATE SET status = excluded.status, reason = excluded.reason,
        account = excluded.account, request_id = excluded.request_id, requested_at = excluded.requested_at
      WHERE erasure.status = 'ANNOUNCED' RETURNING worker_id`
    added += found.length
  }
  return added
})
