import type { ColumnTypes } from "../engine/Dialect.ts"

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
 * the next queue is one index step away. A run can be claimed from `claim_at` on: when it is due, or when its lease
 * ends.
 */
const runs = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE verification_run (
    tenant_id ${text} NOT NULL,
    credential_id ${text} NOT NULL,
    queue ${text} NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('queued', 'leased', 'in_review')),
    claim_at ${integer},
    lease ${text},
    attempts ${integer} NOT NULL,
    PRIMARY KEY (tenant_id, credential_id),
    CHECK ((state = 'in_review') = (claim_at IS NULL)),
    CHECK ((state = 'leased') = (lease IS NOT NULL))
  )${tableEnd}`,
  "CREATE INDEX verification_run_waiting ON verification_run (queue, claim_at) WHERE claim_at IS NOT NULL",
  "CREATE INDEX verification_run_leased ON verification_run (queue, claim_at) WHERE state = 'leased'"
]

export const verificationTables = (types: ColumnTypes): ReadonlyArray<string> => [
  ...verifications(types),
  ...runs(types)
]
