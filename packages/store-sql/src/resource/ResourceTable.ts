import { columnValue, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import { type JsonObject, put } from "@wcs/domain/shared/Json"
import { Schema } from "effect"
import { jsonOf } from "../engine/StoredJson.ts"
import { shapeOf } from "./Shape.ts"

/** A row of a resource's table. Numbers may be text or bigint on an engine with 64 bits. */
export interface ResourceRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly document: string
}

/** The layout of a resource's table, which is named after the type. */
export interface ResourceTable<Fields extends JsonObject> {
  readonly name: string
  /** The columns of rows `r` that `decode` needs. */
  readonly selected: string
  /** The row of the selected values. */
  readonly rowOf: (values: ReadonlyArray<unknown>) => ResourceRow
  /** Decodes a row. Dies if the row does not fit the definition. */
  readonly decode: (row: ResourceRow) => Stored<Fields>
  /** The columns of a new row. */
  readonly inserted: (tenantId: string, stored: Stored<Fields>) => Record<string, string | number | null>
  /** The columns that differ. Indexes of other columns stay untouched. */
  readonly updated: (before: Stored<Fields>, after: Stored<Fields>) => Record<string, string | number | null>
}

const make = <Fields extends JsonObject>(resource: Resource<Fields>): ResourceTable<Fields> => {
  const columns = Object.keys(resource.columns)
  const apart = Object.entries(resource.columns).flatMap(([column, { apart, path }]) =>
    apart === true ? [{ column, path }] : []
  )
  const selected = ["id", "version", "created_at", "updated_at", "deleted_at", "document"].concat(
    apart.map(({ column }) => column)
  )
  const shape = shapeOf(resource.fields.ast)
  // Checks ran at the write. A rule that became stricter must not hide stored data.
  const decodeFields = Schema.decodeUnknownSync(resource.fields, { disableChecks: true })

  const documentOf = ({ fields }: Stored<Fields>): string =>
    JSON.stringify(apart.reduce<JsonObject>((document, { path }) => put(document, path, undefined), fields))

  const fieldsOf = (row: ResourceRow): Fields => {
    const fields = apart.reduce(
      (rest, { column, path }) => put(rest, path, row[column] === "" ? null : String(row[column])),
      jsonOf(row.document, `the document of ${row.id}`)
    )
    return shape.fits(fields) ? (fields as Fields) : decodeFields(fields)
  }

  const valuesOf = (stored: Stored<Fields>): Record<string, string | number | null> => ({
    version: stored.version,
    updated_at: stored.updatedAt,
    deleted_at: stored.deletedAt,
    document: documentOf(stored),
    ...Object.fromEntries(columns.map((column) => [column, columnValue(resource, column, stored.fields)]))
  })

  return {
    name: resource.type,
    selected: selected.map((column) => `r.${column}`).join(", "),
    rowOf: (values) => Object.fromEntries(selected.map((column, index) => [column, values[index]])) as ResourceRow,
    decode: (row) => ({
      id: row.id,
      version: Number(row["version"]),
      createdAt: Number(row["created_at"]),
      updatedAt: Number(row["updated_at"]),
      deletedAt: row["deleted_at"] === null ? null : Number(row["deleted_at"]),
      fields: fieldsOf(row)
    }),
    inserted: (tenantId, stored) => ({
      tenant_id: tenantId,
      id: stored.id,
      created_at: stored.createdAt,
      ...valuesOf(stored)
    }),
    updated: (before, after) => {
      const old = valuesOf(before)
      return Object.fromEntries(Object.entries(valuesOf(after)).filter(([column, value]) => value !== old[column]))
    }
  }
}

const tables = new WeakMap<object, unknown>()

/** The table of a resource, computed once per definition. */
export const tableOf = <Fields extends JsonObject>(resource: Resource<Fields>): ResourceTable<Fields> => {
  const known = tables.get(resource)
  if (known !== undefined) return known as ResourceTable<Fields>
  const table = make(resource)
  tables.set(resource, table)
  return table
}
