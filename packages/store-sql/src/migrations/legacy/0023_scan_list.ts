import type { Migration } from "../../engine/Migration.ts"

const kept =
  "tenant_id, correlation_id, credential_type, identifier, first_name, surname, outcome, credential_id, account, request_id, at"

/**
 * Lists scans in the order of writing and by status. The table is rebuilt, since SQLite cannot add a primary key to an
 * existing one. The default status is `queued`, which an older server returns for every scan.
 */
export const scanList: Migration = {
  id: 23,
  name: "scan_list",
  statements: ({ integer, keyByTenant, position, tableEnd, text }) => [
    "CREATE TABLE scan_before AS SELECT * FROM scan",
    "DROP TABLE scan",
    `CREATE TABLE scan (
      position ${position},
      tenant_id ${text} NOT NULL,
      correlation_id ${text} NOT NULL,
      credential_type ${text} NOT NULL,
      identifier ${text} NOT NULL,
      first_name ${text} NOT NULL,
      surname ${text} NOT NULL,
      status ${text} NOT NULL DEFAULT 'queued',
      outcome ${text} NOT NULL,
      credential_id ${text},
      account ${text} NOT NULL,
      request_id ${text} NOT NULL,
      at ${integer} NOT NULL
    )${tableEnd}`,
    `INSERT INTO scan (${kept}, status)
      SELECT ${kept}, CASE
        WHEN credential_type = 'FIRST_AID' THEN 'not_verifiable'
        WHEN outcome = 'MATCHED' THEN 'queued'
        ELSE 'unmatched' END
      FROM scan_before ORDER BY correlation_id`,
    "DROP TABLE scan_before",
    "CREATE INDEX scan_of_tenant ON scan (tenant_id, position)",
    "CREATE INDEX scan_of_correlation ON scan (tenant_id, correlation_id, position)",
    "CREATE INDEX scan_of_identifier ON scan (tenant_id, identifier, position)",
    "CREATE INDEX scan_of_credential ON scan (tenant_id, credential_id, position)",
    "CREATE INDEX scan_of_status ON scan (tenant_id, status, position)",
    ...keyByTenant("scan", "scan_of_tenant")
  ]
}
