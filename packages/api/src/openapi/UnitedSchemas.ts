import { at, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"

const renamed = (value: JsonValue, names: ReadonlyMap<string, string>): JsonValue => {
  if (Array.isArray(value)) return value.map((inner) => renamed(inner, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string" ? (names.get(inner) ?? inner) : renamed(inner, names)
    ])
  )
}

const root = "#/components/schemas/"

/**
 * Merges duplicate schemas. The generator adds a new name (`WorkerAnswer_1`) for each set of annotations, even if the
 * JSON schema is the same.
 */
export const uniteSchemas = (document: JsonObject): JsonObject => {
  const schemas = at(document, ["components", "schemas"])
  if (!isObject(schemas)) return document
  const names = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const plain = name.replace(/_\d+$/, "")
    if (plain !== name && JSON.stringify(schemas[plain]) === JSON.stringify(schema))
      names.set(root + name, root + plain)
  }
  const kept = Object.entries(schemas).filter(([name]) => !names.has(root + name))
  const components = {
    ...(isObject(document["components"]) ? document["components"] : {}),
    schemas: Object.fromEntries(kept)
  }
  return renamed({ ...document, components }, names) as JsonObject
}
