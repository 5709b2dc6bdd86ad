import { isObject, type JsonObject } from "@wcs/domain/shared/Json"

/** The place of an operation in an OpenAPI document. */
export interface Place {
  /** In OpenAPI form: `/openapi/v1/workers/{id}`. */
  readonly path: string
  /** In lower case. */
  readonly method: string
}

/** The entries whose values are objects. */
export const entriesOf = (value: unknown): ReadonlyArray<readonly [string, JsonObject]> =>
  isObject(value) ? Object.entries(value).flatMap(([key, one]) => (isObject(one) ? [[key, one] as const] : [])) : []

/** Changes each entry whose value is an object and drops all others. */
export const mapEntries = (value: unknown, change: (one: JsonObject, key: string) => JsonObject): JsonObject =>
  Object.fromEntries(entriesOf(value).map(([key, one]) => [key, change(one, key)]))

/** Returns all operations of an OpenAPI document. */
export const operationsOf = (document: JsonObject): ReadonlyArray<JsonObject> =>
  entriesOf(document["paths"]).flatMap(([, item]) => entriesOf(item).map(([, operation]) => operation))

/** Changes each operation of an OpenAPI document. */
export const mapOperations = (
  document: JsonObject,
  change: (operation: JsonObject, place: Place) => JsonObject
): JsonObject => ({
  ...document,
  paths: mapEntries(document["paths"], (item, path) =>
    mapEntries(item, (operation, method) => change(operation, { path, method }))
  )
})

/** Adds components of a kind. */
export const withComponents = (document: JsonObject, kind: string, added: JsonObject): JsonObject => {
  const components = isObject(document["components"]) ? document["components"] : {}
  const present = isObject(components[kind]) ? components[kind] : {}
  return { ...document, components: { ...components, [kind]: { ...present, ...added } } }
}
