import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { Credential } from "@wcs/domain/holding/Credential"
import type { Scan, ScanField } from "@wcs/domain/holding/Scan"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import type { Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { makeOversight, withOverseer } from "../resource/Oversight.ts"
import { type ScanRow, scanOf, selectedOfScan } from "./ScanRows.ts"

const scanTable: TimelineTable<ScanField, ScanRow, Scan> = {
  name: "scan",
  selected: selectedOfScan,
  index: "scan_of_tenant",
  fields: {
    correlationId: { column: "correlation_id", index: "scan_of_correlation" },
    identifier: { column: "card", index: "scan_of_card" },
    credentialId: { column: "credential_id", index: "scan_of_credential" },
    status: { column: "status", index: "scan_of_status" }
  },
  decode: scanOf
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const records = makeRecordsWriter(sql)
  const page = yield* makeTimelinePage(scanTable)

  const { test } = makeOversight(sql, dialectOf(sql))

  /** Whether a limited account reaches the credential that the scan `r` matched. Each scan asks about one credential. */
  const isReached = (tenantId: string, account: string) =>
    sql`EXISTS (SELECT 1 FROM credential AS c
      WHERE c.tenant_id = ${tenantId} AND c.id = r.credential_id AND ${test(Credential, tenantId, { account }, "c")})`

  function* insert(scan: Scan, audit: AuditEntry): Script<Result.Result<void>> {
    yield* records.all(scan.tenantId, { audit: [audit], events: [], scans: [scan] }, () => 0, null)
    return Result.void
  }

  return ScanStore.of({
    insert: Effect.fn("ScanStore.insert")((scan, audit) => atomically(() => insert(scan, audit))),
    list: Effect.fn("ScanStore.list")((tenantId, selection) =>
      withOverseer((account) =>
        Effect.orDie(page(tenantId, selection, account === undefined ? [] : [isReached(tenantId, account)]))
      )
    )
  })
})

export const layer = Layer.effect(ScanStore, make)
