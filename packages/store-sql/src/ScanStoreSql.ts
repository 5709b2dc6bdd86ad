import type { Scan } from "@wcs/domain/Scan"
import { ScanStore } from "@wcs/domain/ScanStore"
import type { AuditEntry } from "@wcs/domain/Trail"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { atomically } from "./Atomic.ts"
import { type ScanRow, scanOf } from "./ScanRows.ts"
import type { Script } from "./Script.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const trail = makeTrailWriter(sql)

  function* insert(scan: Scan, audit: AuditEntry): Script<Result.Result<void>> {
    yield* trail.all(scan.tenantId, { audit: [audit], events: [], scans: [scan] }, () => 0)
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
