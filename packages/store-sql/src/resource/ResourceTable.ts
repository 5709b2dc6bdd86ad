import { columnValue, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import { type JsonObject, put } from "@wcs/domain/shared/Json"
import { Schema } from "effect"
import { jsonOf } from "../engine/StoredJson.ts"

/** A row of a resource's table as it is read: numbers may come as text or bigint, where the engine has 64 bits. */
export interface ResourceRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly document: string
}

/** How a resource lies in its table, which has its type's name. */
export interface ResourceTable<Fields extends JsonObject> {
  readonly name: string
  /** What a SELECT of rows `r` lists, for `decode`. */
  readonly selected: string
  /** The resource that a row holds. A row that does not fit the definition is a defect. */
  readonly decode: (row: ResourceRow) => Stored<Fields>
  /** The columns that a new row fills. */
  readonly inserted: (tenantId: string, stored: Stored<Fields>) => Record<string, string | number | null>
  /** The columns that differ: the indexes of the others are not touched. */
  readonly updated: (before: Stored<Fields>, after: Stored<Fields>) => Record<string, string | number | null>
}

const make = <Fields extends JsonObject>(resource: Resource<Fields>): ResourceTable<Fields> => {
  const columns = Object.keys(resource.columns)
  const apart = Object.entries(resource.columns).flatMap(([column, { apart, path }]) =>
    apart === true ? [{ column, path }] : []
  )
  // What is stored was checked when it was written: a rule that has become stricter since must not hide it.
  const decodeFields = Schema.decodeUnknownSync(resource.fields, { disableChecks: true })

  const documentOf = ({ fields }: Stored<Fields>): string =>
    JSON.stringify(apart.reduce<JsonObject>((document, { path }) => put(document, path, undefined), fields))

  const fieldsOf = (row: ResourceRow): Fields => {
    return decodeFields(
      apart.reduce(
        (rest, { column, path }) => put(rest, path, row[column] === "" ? null : String(row[column])),
        jsonOf(row.document, `the document of ${row.id}`)
      )
    )
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
    selected: ["id", "version", "created_at", "updated_at", "deleted_at", "document"]
      .concat(apart.map(({ column }) => column))
      .map((column) => `r.${column}`)
      .join(", "),
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

/** The table of a resource, worked out once for each definition. */
export const tableOf = <Fields extends JsonObject>(resource: Resource<Fields>): ResourceTable<Fields> => {
  const known = tables.get(resource)
  if (known !== undefined) return known as ResourceTable<Fields>
  const table = make(resource)
  tables.set(resource, table)
  return table
}
