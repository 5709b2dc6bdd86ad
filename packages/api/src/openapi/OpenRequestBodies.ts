import { at, isObject, type JsonObject, type JsonValue, type Path, put } from "@wcs/domain/shared/Json"

const reference = /"#\/components\/schemas\/([^"]+)"/g

/** Where the document describes what is sent: in its operations, and in the schemas that these refer to. */
const placesOf = (document: JsonObject): ReadonlyArray<Path> => {
  const places: Array<Path> = []
  for (const [path, operations] of Object.entries(document["paths"] ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      if (isObject(operation) && "requestBody" in operation) places.push(["paths", path, method, "requestBody"])
    }
  }
  const found = new Set<string>()
  // Grows as it is walked: a schema that is referred to refers to others.
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
 * An OpenAPI document whose request bodies may hold what it does not describe: fields that nobody knows are ignored
 * (DECISIONS.md#resources), and a client generated from the document must not refuse to send them.
 */
export const openRequestBodies = (document: JsonObject): JsonObject =>
  placesOf(document).reduce((rest, place) => put(rest, place, opened(at(rest, place) ?? {})), document)
