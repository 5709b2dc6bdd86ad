import { Schema } from "effect"
import type { Resource } from "../resource/Resource.ts"
import type { JsonObject } from "../shared/Json.ts"

/** Returns the fields that the audit log tells of a resource with secrets; undefined if it tells of all, or of none. */
export const toldIn = ({ told }: Pick<Resource, "told">, fields: JsonObject): JsonObject | undefined =>
  told && Object.fromEntries(Object.entries(fields).filter(([key]) => told.includes(key)))

/** Returns a resource with these fields, for records that are stored only as versions. */
export const versionsOf = (
  { collection, naming, type }: Pick<Resource, "type" | "naming" | "collection">,
  fields: Schema.Struct.Fields
): Resource => ({
  ...{ type, naming, collection, fields: Schema.Struct(fields) as unknown as Resource["fields"] },
  ...{ computed: [], fixed: [], defaults: [], links: [], columns: {}, filters: {}, sorts: {} }
})

/** Returns the resource as its versions have it: with the told fields alone. */
export const toldOf = (resource: Resource): Resource => {
  const { fields, told = [] } = resource
  const members = Object.entries((fields as unknown as Schema.Struct<Schema.Struct.Fields>).fields)
  return versionsOf(resource, Object.fromEntries(members.filter(([key]) => told.includes(key))))
}
