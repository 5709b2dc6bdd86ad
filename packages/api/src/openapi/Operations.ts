import { isObject, type JsonObject } from "@wcs/domain/shared/Json"

/** Where an operation stands in an OpenAPI document. */
export interface Place {
  /** As the document writes it: `/openapi/v1/workers/{id}`. */
  readonly path: string
  /** In lower case. */
  readonly method: string
}

/** The objects in an object, by their keys. */
export const entriesOf = (value: unknown): ReadonlyArray<readonly [string, JsonObject]> =>
  isObject(value) ? Object.entries(value).flatMap(([key, one]) => (isObject(one) ? [[key, one] as const] : [])) : []

/** An object with each of its objects changed; what is none is left out. */
export const mapEntries = (value: unknown, change: (one: JsonObject, key: string) => JsonObject): JsonObject =>
  Object.fromEntries(entriesOf(value).map(([key, one]) => [key, change(one, key)]))

/** The operations of an OpenAPI document. */
export const operationsOf = (document: JsonObject): ReadonlyArray<JsonObject> =>
  entriesOf(document["paths"]).flatMap(([, item]) => entriesOf(item).map(([, operation]) => operation))

/** An OpenAPI document with each of its operations changed. */
export const mapOperations = (
  document: JsonObject,
  change: (operation: JsonObject, place: Place) => JsonObject
): JsonObject => ({
  ...document,
  paths: mapEntries(document["paths"], (item, path) =>
    mapEntries(item, (operation, method) => change(operation, { path, method }))
  )
})

/** An OpenAPI document with more components of a kind. */
export const withComponents = (document: JsonObject, kind: string, added: JsonObject): JsonObject => {
  const components = isObject(document["components"]) ? document["components"] : {}
  const present = isObject(components[kind]) ? components[kind] : {}
  return { ...document, components: { ...components, [kind]: { ...present, ...added } } }
}
