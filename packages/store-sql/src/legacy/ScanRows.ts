import type { Scan } from "@wcs/domain/holding/Scan"
import { cardKey } from "@wcs/domain/shared/CardNumber"
import type { BatchColumns } from "../engine/Batch.ts"

export interface ScanRow {
  readonly tenant_id: string
  readonly correlation_id: string
  readonly credential_type: string
  readonly identifier: string
  readonly first_name: string
  readonly surname: string
  readonly status: Scan["status"]
  readonly outcome: Scan["outcome"]
  readonly credential_id: string | null
  readonly account: string
  readonly request_id: string
  readonly at: unknown
}

export const scanColumns = {
  tenant_id: "TEXT",
  correlation_id: "TEXT",
  credential_type: "TEXT",
  identifier: "TEXT",
  card: "TEXT",
  first_name: "TEXT",
  surname: "TEXT",
  status: "TEXT",
  outcome: "TEXT",
  credential_id: "TEXT",
  account: "TEXT",
  request_id: "TEXT",
  at: "BIGINT"
} as const satisfies BatchColumns

/** The columns that `scanOf` needs, of the scans `r`. */
export const selectedOfScan = Object.keys(scanColumns)
  .map((column) => `r.${column}`)
  .join(", ")

export const scanRow = (scan: Scan) => ({
  tenant_id: scan.tenantId,
  correlation_id: scan.correlationId,
  credential_type: scan.credentialType,
  identifier: scan.identifier,
  card: cardKey(scan.identifier),
  first_name: scan.firstName,
  surname: scan.surname,
  status: scan.status,
  outcome: scan.outcome,
  credential_id: scan.credentialId,
  account: scan.account,
  request_id: scan.requestId,
  at: scan.at
})

export const scanOf = (row: ScanRow): Scan => ({
  tenantId: row.tenant_id,
  correlationId: row.correlation_id,
  credentialType: row.credential_type,
  identifier: row.identifier,
  firstName: row.first_name,
  surname: row.surname,
  status: row.status,
  outcome: row.outcome,
  credentialId: row.credential_id,
  account: row.account,
  requestId: row.request_id,
  at: Number(row.at)
})
