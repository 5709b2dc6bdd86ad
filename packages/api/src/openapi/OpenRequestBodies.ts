import { at, isObject, type JsonObject, type JsonValue, type Path, put } from "@wcs/domain/shared/Json"

const reference = /"#\/components\/schemas\/([^"]+)"/g

/** The places of all request bodies and of the schemas that they refer to. */
const placesOf = (document: JsonObject): ReadonlyArray<Path> => {
  const places: Array<Path> = []
  for (const [path, operations] of Object.entries(document["paths"] ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      if (isObject(operation) && "requestBody" in operation) places.push(["paths", path, method, "requestBody"])
    }
  }
  const found = new Set<string>()
  // The loop appends to `places`, so it also visits nested references.
  for (const place of places) {
    for (const [, name = ""] of JSON.stringify(at(document, place) ?? null).matchAll(reference)) {
      if (!found.has(name)) places.push(["components", "schemas", name])
      found.add(name)
    }
  }
  return places
}

const opened = (schema: JsonValue): JsonValue => {
  if (Array.isArray(schema)) return schema.map(opened)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).filter(([word, inner]) => word !== "additionalProperties" || inner !== false)
  return Object.fromEntries(entries.map(([word, inner]) => [word, opened(inner)]))
}

/**
 * Allows unknown fields in request bodies: the server ignores them (DECISIONS.md#resources), so generated clients
 * must not refuse them.
 */
export const openRequestBodies = (document: JsonObject): JsonObject =>
  placesOf(document).reduce((rest, place) => put(rest, place, opened(at(rest, place) ?? {})), document)
