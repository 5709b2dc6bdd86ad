import type { Eligibility, StatusDetail } from "@wcs/domain/holding/Verification"
import type { Trigger, VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import type { SqlClient, Statement } from "effect/sql"
import type { BatchColumns } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { rows, type Script } from "../engine/Script.ts"

export interface VerificationRow {
  readonly id: string
  readonly credential_id: string
  readonly correlation_id: string
  readonly request_id: string
  readonly triggered_by: Trigger
  readonly account: string
  readonly requested_at: unknown
  readonly eligibility: Eligibility | null
  readonly status_detail: StatusDetail | null
  readonly expiry_date: string | null
  readonly error_message: string | null
  readonly verified_at: unknown
  readonly notice_issued_on: string | null
  readonly notice_reference: string | null
}

export const verificationColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  credential_id: "TEXT",
  correlation_id: "TEXT",
  request_id: "TEXT",
  triggered_by: "TEXT",
  account: "TEXT",
  requested_at: "BIGINT",
  eligibility: "TEXT",
  status_detail: "TEXT",
  expiry_date: "TEXT",
  error_message: "TEXT",
  verified_at: "BIGINT",
  notice_issued_on: "TEXT",
  notice_reference: "TEXT"
} as const satisfies BatchColumns

/** The columns of a SELECT of verifications `r`, for `verificationOf`. */
export const selectedOfVerification = Object.keys(verificationColumns)
  .filter((column) => column !== "tenant_id")
  .map((column) => `r.${column}`)
  .join(", ")

/** SQL of a run's queue: its tenant and the type of the credential, a row under an alias, or none. */
export const queueOf = (sql: SqlClient.SqlClient, tenantId: Statement.Fragment, credential: string) =>
  sql`CAST(${tenantId} AS TEXT) || ' ' || coalesce(${sql.literal(credential)}.credential_type, '')`

/** The same for a column with the credential's id. */
export const currentQueueOf = (sql: SqlClient.SqlClient, tenantId: Statement.Fragment, credentialId: string) =>
  sql`CAST(${tenantId} AS TEXT) || ' ' || coalesce((SELECT c.credential_type FROM credential AS c
    WHERE c.tenant_id = ${tenantId} AND c.id = ${sql.literal(credentialId)}), '')`

/** The columns of an outcome; null while open. */
export const outcomeColumns = (outcome: VerificationDraft["outcome"]) => ({
  eligibility: outcome?.eligibility ?? null,
  status_detail: outcome?.statusDetail ?? null,
  expiry_date: outcome?.expiryDate ?? null,
  error_message: outcome?.errorMessage ?? null,
  verified_at: outcome?.verifiedAt ?? null
})

export const verificationRow = (tenantId: string, verification: VerificationDraft) => ({
  tenant_id: tenantId,
  id: verification.id,
  credential_id: verification.credentialId,
  correlation_id: verification.correlationId,
  request_id: verification.requestId,
  triggered_by: verification.trigger,
  account: verification.account,
  requested_at: verification.requestedAt,
  ...outcomeColumns(verification.outcome),
  notice_issued_on: verification.notice?.issuedOn ?? null,
  notice_reference: verification.notice?.reference ?? null
})

const outcomeOf = (row: VerificationRow): VerificationDraft["outcome"] =>
  row.eligibility === null || row.status_detail === null
    ? null
    : {
        eligibility: row.eligibility,
        statusDetail: row.status_detail,
        expiryDate: row.expiry_date,
        errorMessage: row.error_message,
        verifiedAt: Number(row.verified_at)
      }

export const verificationOf = (row: VerificationRow): VerificationDraft => ({
  id: row.id,
  credentialId: row.credential_id,
  correlationId: row.correlation_id,
  requestId: row.request_id,
  trigger: row.triggered_by,
  account: row.account,
  requestedAt: Number(row.requested_at),
  outcome: outcomeOf(row),
  ...(row.notice_issued_on === null || row.notice_reference === null
    ? {}
    : { notice: { issuedOn: row.notice_issued_on, reference: row.notice_reference } })
})

/** Makes the function that counts the open verifications of a credential. */
export const makeCountOpen = (sql: SqlClient.SqlClient) => {
  const query = keep<{ tenantId: string; credentialId: string }, { readonly open: unknown }>(
    sql,
    (at) => sql`SELECT count(*) AS open FROM verification AS r${dialectOf(sql).indexedBy("verification_open")}
      WHERE r.tenant_id = ${at("tenantId")} AND r.credential_id = ${at("credentialId")} AND r.verified_at IS NULL`
  )
  return function* (tenantId: string, credentialId: string): Script<number> {
    const [counted] = yield* rows(query({ tenantId, credentialId }))
    return Number(counted?.open)
  }
}
