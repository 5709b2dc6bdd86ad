import type { Found } from "@wcs/domain/crud/ResourceStore"
import { fnv1a } from "@wcs/domain/lease/Fnv"
import { columnValue, type Resource, type Stored, wordsOf } from "@wcs/domain/resource/Resource"
import { type JsonObject, type Path, put } from "@wcs/domain/shared/Json"
import { Schema } from "effect"
import { jsonOf } from "../engine/StoredJson.ts"
import { wordsText } from "./SearchRows.ts"
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
  readonly columns: ReadonlyArray<string>
  /** The same as text of a SELECT. */
  readonly selected: string
  /** The columns of rows `r` that `found` needs, in its order. */
  readonly sought: string
  /** The resource of a row's values. */
  readonly found: (values: ReadonlyArray<unknown>) => Found<Fields>
  /** Decodes a row. Dies if the row does not fit the definition. */
  readonly decode: (row: ResourceRow) => Stored<Fields>
  /** The columns of a new row. */
  readonly inserted: (tenantId: string, stored: Stored<Fields>) => Record<string, string | number | null>
  /** The columns that differ. Indexes of other columns stay untouched. */
  readonly updated: (before: Stored<Fields>, after: Stored<Fields>) => Record<string, string | number | null>
}

interface Apart {
  readonly column: string
  readonly path: Path
}

/** The columns of `Found` and `Stored`, without those that are apart. */
const base = ["id", "version", "created_at", "updated_at", "deleted_at", "document"] as const

/**
 * Returns a document with the values that are apart. They fill one empty object of it. Returns `undefined` if the
 * document has no such object, or several.
 */
const makeRestore = (apart: ReadonlyArray<Apart>) => {
  const places = new Set(apart.map(({ path }) => path.at(-2)))
  const [place] = places
  if (place === undefined || places.size > 1) return (document: string) => (apart.length === 0 ? document : undefined)
  const keys = apart.map(({ path }) => JSON.stringify(path.at(-1)))
  const empty = `"${place}":{}`
  return (document: string, values: ReadonlyArray<unknown>): string | undefined => {
    const at = document.indexOf(empty)
    if (at === -1 || document.includes(empty, at + 1)) return undefined
    const end = at + empty.length - 1
    const members = keys.map((key, index) => `${key}:${values[index] === "" ? "null" : JSON.stringify(values[index])}`)
    return `${document.slice(0, end)}${members.join(",")}${document.slice(end)}`
  }
}

const make = <Fields extends JsonObject>(resource: Resource<Fields>): ResourceTable<Fields> => {
  const columns = Object.keys(resource.columns)
  const apart = Object.entries(resource.columns).flatMap(([column, { apart, path }]) =>
    apart === true ? [{ column, path }] : []
  )
  const selected = [...base, ...apart.map(({ column }) => column)]
  const untilColumn = resource.verbatim?.until
  const sought = [
    ...[...selected, "checksum"],
    ...(untilColumn === undefined ? [] : [untilColumn]),
    ...(resource.addresses === undefined ? [] : ["unreachable"])
  ]
  const untilAt = untilColumn === undefined ? -1 : sought.lastIndexOf(untilColumn)
  const reachAt = sought.indexOf("unreachable")
  const restore = makeRestore(apart)
  const shape = shapeOf(resource.fields.ast)
  const basis = fnv1a(shape.text)
  // Checks ran at the write. A rule that became stricter must not hide stored data.
  const decodeFields = Schema.decodeUnknownSync(resource.fields, { disableChecks: true })

  const documentOf = ({ fields }: Stored<Fields>): string =>
    JSON.stringify(apart.reduce<JsonObject>((document, { path }) => put(document, path, undefined), fields))

  /** Covers the shape, too: a document of another shape, or one that was damaged, has another checksum. */
  const checksumOf = (document: string): number => fnv1a(document, basis)

  const fieldsOf = (row: ResourceRow): Fields => {
    const fields = apart.reduce(
      (rest, { column, path }) => put(rest, path, row[column] === "" ? null : String(row[column])),
      jsonOf(row.document, `the document of ${row.id}`)
    )
    return shape.fits(fields) ? (fields as Fields) : decodeFields(fields)
  }

  const valuesOf = (stored: Stored<Fields>): Record<string, string | number | null> => {
    const document = documentOf(stored)
    return {
      version: stored.version,
      updated_at: stored.updatedAt,
      deleted_at: stored.deletedAt,
      document,
      checksum: checksumOf(document),
      ...(resource.searched === undefined ? {} : { words: wordsText(wordsOf(resource, stored.fields)) }),
      ...Object.fromEntries(columns.map((column) => [column, columnValue(resource, column, stored.fields)]))
    }
  }

  const insertedValuesOf = (stored: Stored<Fields>) => {
    const values = valuesOf(stored)
    return resource.searched === undefined ? values : { ...values, words_of: values["checksum"] ?? null }
  }

  const decode = (row: ResourceRow): Stored<Fields> => ({
    id: row.id,
    version: Number(row["version"]),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    deletedAt: row["deleted_at"] === null ? null : Number(row["deleted_at"]),
    fields: fieldsOf(row)
  })

  const found = (values: ReadonlyArray<unknown>): Found<Fields> => {
    const [id, version, createdAt, updatedAt, deletedAt, document] = values
    const checksum = values[selected.length]
    const text = String(document)
    return {
      id: String(id),
      version: Number(version),
      createdAt: Number(createdAt),
      updatedAt: Number(updatedAt),
      deletedAt: deletedAt === null ? null : Number(deletedAt),
      text:
        checksumOf(text) === Number(checksum) ? restore(text, values.slice(base.length, selected.length)) : undefined,
      until: String(values[untilAt] ?? ""),
      isUnreachable: values[reachAt] === "true",
      stored: () => decode(Object.fromEntries(selected.map((column, index) => [column, values[index]])) as ResourceRow)
    }
  }

  return {
    name: resource.type,
    columns: selected.map((column) => `r.${column}`),
    selected: selected.map((column) => `r.${column}`).join(", "),
    sought: sought.map((column) => `r.${column}`).join(", "),
    found,
    decode,
    inserted: (tenantId, stored) => ({
      tenant_id: tenantId,
      id: stored.id,
      created_at: stored.createdAt,
      ...insertedValuesOf(stored)
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
