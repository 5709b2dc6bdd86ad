import type { ColumnTypes } from "../engine/Dialect.ts"

/** A table of a resource, as a migration writes it: not the definition of today, which may be another. */
export interface DocumentTable {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  /** Columns by which rows are sorted, or that a few rows share: read in their own order, ties by id. */
  readonly by: ReadonlyArray<string>
  /** Columns whose values many rows share: what is found is read in the order of its creation. */
  readonly of: ReadonlyArray<string>
}

/** The statements of a table of documents. What is filtered or sorted by stands in columns of its own, where absent is ''. */
export const documentTable = (
  { integer, tableEnd, text }: ColumnTypes,
  { by, columns, of, table }: DocumentTable
): ReadonlyArray<string> => [
  `CREATE TABLE ${table} (
    tenant_id ${text} NOT NULL,
    id ${text} NOT NULL,
    version ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    deleted_at ${integer},
    ${columns.map((column) => `${column} ${text} NOT NULL,`).join("\n    ")}
    document ${text} NOT NULL,
    PRIMARY KEY (tenant_id, id)
  )${tableEnd}`,
  ...["created_at", "updated_at", ...by].map(
    (column) => `CREATE INDEX ${table}_by_${column} ON ${table} (tenant_id, ${column}, id)`
  ),
  ...of.map((column) => `CREATE INDEX ${table}_of_${column} ON ${table} (tenant_id, ${column}, created_at, id)`)
]
