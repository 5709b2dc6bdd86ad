import type { ColumnTypes } from "../engine/Dialect.ts"
import type { Migration } from "../engine/Migration.ts"

const verifications = ({ integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE verification (
    ${tenantPosition},
    id ${text} NOT NULL,
    credential_id ${text} NOT NULL,
    correlation_id ${text} NOT NULL,
    request_id ${text} NOT NULL,
    triggered_by ${text} NOT NULL,
    account ${text} NOT NULL,
    requested_at ${integer} NOT NULL,
    eligibility ${text},
    status_detail ${text},
    expiry_date ${text},
    error_message ${text},
    verified_at ${integer},
    UNIQUE (tenant_id, id)
  )${tableEnd}`,
  "CREATE INDEX verification_of_credential ON verification (tenant_id, credential_id, position)",
  "CREATE INDEX verification_open ON verification (tenant_id, credential_id, position) WHERE verified_at IS NULL"
]

/**
 * Runs of credentials with open verifications. They take turns by tenant and credential type, which `queue` combines:
 * the next queue is one index step away. A run without a due time waits for a person.
 */
const runs = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE verification_run (
    tenant_id ${text} NOT NULL,
    credential_id ${text} NOT NULL,
    queue ${text} NOT NULL,
    partition ${integer} NOT NULL,
    due_at ${integer},
    attempts ${integer} NOT NULL,
    PRIMARY KEY (tenant_id, credential_id)
  )${tableEnd}`,
  "CREATE INDEX verification_run_waiting ON verification_run (queue, due_at, partition) WHERE due_at IS NOT NULL"
]

export const verificationTables = (types: ColumnTypes): ReadonlyArray<string> => [
  ...verifications(types),
  ...runs(types)
]

/** The notice of a register that a person recorded, in place of a question. */
export const notices: Migration = {
  id: 15,
  name: "notices",
  statements: ({ text }) => [
    `ALTER TABLE verification ADD COLUMN notice_issued_on ${text}`,
    `ALTER TABLE verification ADD COLUMN notice_reference ${text}`
  ]
}
