import type { Migration } from "../../engine/Migration.ts"

/** Verifications, and the credentials to be verified. A run never waits for a person. */
export const verification: Migration = {
  id: 17,
  name: "verification",
  statements: ({ integer, keyByTenant, position, tableEnd, text }) => [
    `CREATE TABLE verification (
      position ${position},
      tenant_id ${text} NOT NULL,
      id ${text} NOT NULL,
      credential_id ${text} NOT NULL,
      correlation_id ${text} NOT NULL,
      request_id ${text} NOT NULL,
      begun_by ${text} NOT NULL,
      account ${text} NOT NULL,
      requested_at ${integer} NOT NULL,
      eligibility ${text},
      status_detail ${text},
      expiry_date ${text},
      error_message ${text},
      verified_at ${integer},
      UNIQUE (tenant_id, id)
    )${tableEnd}`,
    ...keyByTenant("verification"),
    "CREATE INDEX verification_of_credential ON verification (tenant_id, credential_id, position)",
    `CREATE INDEX verification_open ON verification (tenant_id, credential_id, position) WHERE verified_at IS NULL`,
    `CREATE TABLE verification_run (
      tenant_id ${text} NOT NULL,
      credential_id ${text} NOT NULL,
      due_at ${integer},
      attempts ${integer} NOT NULL,
      lease ${text},
      PRIMARY KEY (tenant_id, credential_id)
    )${tableEnd}`,
    "CREATE INDEX verification_run_due ON verification_run (due_at) WHERE due_at IS NOT NULL"
  ]
}
