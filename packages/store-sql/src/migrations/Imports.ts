import type { Migration } from "../engine/Migration.ts"

/**
 * Imports and the rows of their files. A deleted import has the status DELETED until its rows are gone. `account_id` is
 * of the account that asked for the work. In a row, '' in a key means that it has none, and `cells`, `fault`, and
 * `before` are JSON.
 */
export const imports: Migration = {
  id: 26,
  name: "imports",
  statements: ({ byTenant, integer, tableEnd, tenantPosition, text }) => [
    `CREATE TABLE import (
      ${tenantPosition},
      id ${text} NOT NULL,
      version ${integer} NOT NULL,
      status ${text} NOT NULL,
      account_id ${text} NOT NULL,
      updated_at ${integer} NOT NULL,
      document ${text} NOT NULL,
      UNIQUE (tenant_id, id)
    )${tableEnd}`,
    ...byTenant("import"),
    "CREATE INDEX import_of_status ON import (tenant_id, status, position)",
    "CREATE INDEX import_working ON import (position) WHERE status IN ('CHECKING', 'RUNNING', 'UNDOING')",
    "CREATE INDEX import_by_updated_at ON import (updated_at)",
    "CREATE INDEX import_uploading ON import (updated_at) WHERE status = 'UPLOADING'",
    `CREATE TABLE import_row (
      tenant_id ${text} NOT NULL,
      import_id ${text} NOT NULL,
      line ${integer} NOT NULL,
      cells ${text} NOT NULL,
      outcome ${text} NOT NULL,
      fault ${text},
      worker_id ${text},
      same_as ${integer},
      tag ${text},
      before ${text},
      id_key ${text} NOT NULL,
      name_key ${text} NOT NULL,
      PRIMARY KEY (tenant_id, import_id, line)
    )${tableEnd}`,
    "CREATE INDEX import_row_of_outcome ON import_row (tenant_id, import_id, outcome, line)",
    "CREATE INDEX import_row_of_id_key ON import_row (tenant_id, import_id, id_key, line) WHERE id_key <> ''",
    "CREATE INDEX import_row_of_name_key ON import_row (tenant_id, import_id, name_key, line) WHERE name_key <> ''",
    "CREATE INDEX import_row_of_worker ON import_row (tenant_id, worker_id) WHERE worker_id IS NOT NULL",
    "CREATE INDEX import_row_of_same_as ON import_row (tenant_id, import_id, same_as) WHERE same_as IS NOT NULL"
  ]
}
