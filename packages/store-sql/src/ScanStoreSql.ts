import type { Scan } from "@wcs/domain/Scan"
import { ScanStore } from "@wcs/domain/ScanStore"
import type { AuditEntry } from "@wcs/domain/Trail"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { atomically } from "./Atomic.ts"
import { changes, type Script } from "./Script.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

interface ScanRow {
  readonly tenant_id: string
  readonly correlation_id: string
  readonly credential_type: string
  readonly identifier: string
  readonly first_name: string
  readonly surname: string
  readonly outcome: Scan["outcome"]
  readonly credential_id: string | null
  readonly account: string
  readonly request_id: string
  readonly at: unknown
}

const rowOf = (scan: Scan) => ({
  tenant_id: scan.tenantId,
  correlation_id: scan.correlationId,
  credential_type: scan.credentialType,
  identifier: scan.identifier,
  first_name: scan.firstName,
  surname: scan.surname,
  outcome: scan.outcome,
  credential_id: scan.credentialId,
  account: scan.account,
  request_id: scan.requestId,
  at: scan.at
})

const scanOf = (row: ScanRow): Scan => ({
  tenantId: row.tenant_id,
  correlationId: row.correlation_id,
  credentialType: row.credential_type,
  identifier: row.identifier,
  firstName: row.first_name,
  surname: row.surname,
  outcome: row.outcome,
  credentialId: row.credential_id,
  account: row.account,
  requestId: row.request_id,
  at: Number(row.at)
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const trail = makeTrailWriter(sql)

  function* insert(scan: Scan, audit: AuditEntry): Script<Result.Result<void>> {
    yield* changes(sql`INSERT INTO scan ${sql.insert(rowOf(scan))}`)
    yield* trail.audit(scan.tenantId, [audit])
    return Result.void
  }

  return ScanStore.of({
    insert: Effect.fn("ScanStore.insert")((scan, audit) => atomically(sql, () => insert(scan, audit))),
    list: Effect.fn("ScanStore.list")((tenantId, afterCorrelationId, limit) =>
      sql<ScanRow>`SELECT s.tenant_id, s.correlation_id, s.credential_type, s.identifier, s.first_name, s.surname,
        s.outcome, s.credential_id, s.account, s.request_id, s.at FROM scan AS s
        WHERE s.tenant_id = ${tenantId} AND s.correlation_id > ${afterCorrelationId}
        ORDER BY s.correlation_id LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map(scanOf))
      )
    )
  })
})

export const layer: Layer.Layer<ScanStore, never, SqlClient.SqlClient> = Layer.effect(ScanStore, make)
