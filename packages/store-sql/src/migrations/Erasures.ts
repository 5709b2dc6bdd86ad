import type { Migration } from "../engine/Migration.ts"

/** The people who were erased, by the id of the worker. `due_on` is for announced ones. `erased_at` is null until the end. */
export const erasures: Migration = {
  id: 19,
  name: "erasures",
  statements: ({ byTenant, integer, tableEnd, tenantPosition, text }) => [
    `CREATE TABLE erasure (
      ${tenantPosition},
      worker_id ${text} NOT NULL,
      reason ${text} NOT NULL,
      status ${text} NOT NULL,
      account ${text} NOT NULL,
      request_id ${text} NOT NULL,
      requested_at ${integer} NOT NULL,
      due_on ${text},
      erased_at ${integer},
      UNIQUE (tenant_id, worker_id)
    )${tableEnd}`,
    ...byTenant("erasure"),
    "CREATE INDEX erasure_of_status ON erasure (tenant_id, status, position)",
    "CREATE INDEX erasure_open ON erasure (position) WHERE status IN ('DUE', 'ERASING')"
  ]
}

/** Years for which a tenant keeps workers who have left; null: for ever. */
export const retention: Migration = {
  id: 25,
  name: "retention",
  statements: ({ integer }) => [`ALTER TABLE tenant ADD COLUMN retention_years ${integer}`]
}
