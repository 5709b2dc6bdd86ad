import type { ColumnTypes } from "../engine/Dialect.ts"

/** A resource's table as of a migration, independent of today's definition. */
export interface DocumentTable {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  /** Sort columns, or columns whose values few rows share: read in their own order, ties by id. */
  readonly by: ReadonlyArray<string>
  /** Columns whose values many rows share: read in the order of creation. */
  readonly of: ReadonlyArray<string>
}

/** The statements of a table of documents. Filtered and sorted values have columns of their own, '' if absent. */
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
    checksum ${integer} NOT NULL,
    PRIMARY KEY (tenant_id, id)
  )${tableEnd}`,
  ...["created_at", "updated_at", ...by].map(
    (column) => `CREATE INDEX ${table}_by_${column} ON ${table} (tenant_id, ${column}, id)`
  ),
  ...of.map((column) => `CREATE INDEX ${table}_of_${column} ON ${table} (tenant_id, ${column}, created_at, id)`)
]
