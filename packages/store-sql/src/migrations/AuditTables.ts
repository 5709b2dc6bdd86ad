import type { ColumnTypes } from "../engine/Dialect.ts"

/**
 * The audit log, append-only. An entry has the owners before and after its change, so that a transition writes no
 * further row; all four are null if the owners did not change. The index of an entity's entries tells which ones
 * changed owners: a separate index would cost a link five times as much. Seals are written afterwards, in batches.
 */
export const auditTables = ({
  byTenant,
  integer,
  tableEnd,
  tenantPosition,
  text
}: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE audit_event (
    ${tenantPosition},
    id ${text} NOT NULL,
    account ${text} NOT NULL,
    bearer_kind ${text},
    bearer_id ${text},
    operation ${text} NOT NULL,
    action ${text} NOT NULL,
    entity_type ${text} NOT NULL,
    entity_id ${text} NOT NULL,
    request_id ${text} NOT NULL,
    at ${integer} NOT NULL,
    worker_before ${text},
    applicant_before ${text},
    worker_after ${text},
    applicant_after ${text}
  )${tableEnd}`,
  ...byTenant("audit_event"),
  "CREATE INDEX audit_event_of_entity ON audit_event (tenant_id, entity_id, position, worker_after)",
  "CREATE INDEX audit_event_of_account ON audit_event (tenant_id, account, position)",
  "CREATE INDEX audit_event_of_type ON audit_event (tenant_id, entity_type, position)",
  "CREATE INDEX audit_event_of_action ON audit_event (tenant_id, action, position)",
  "CREATE INDEX audit_event_of_bearer ON audit_event (tenant_id, bearer_kind, position)",
  "CREATE INDEX audit_event_of_request ON audit_event (tenant_id, request_id, position)",
  `CREATE TABLE audit_seal (
    tenant_id ${text} NOT NULL,
    number ${integer} NOT NULL,
    count ${integer} NOT NULL,
    first_id ${text} NOT NULL,
    last_id ${text} NOT NULL,
    last_position ${integer} NOT NULL,
    entries_hash ${text} NOT NULL,
    contents ${text} NOT NULL,
    previous_hash ${text} NOT NULL,
    sealed_at ${integer} NOT NULL,
    signature ${text} NOT NULL,
    PRIMARY KEY (tenant_id, number)
  )${tableEnd}`
]
