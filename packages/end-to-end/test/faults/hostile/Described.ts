import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"

/** A JSON Schema, with its references resolved at the top. */
export type Schema = JsonObject

/** A query parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly schema: Schema
}

/** An operation of an OpenAPI document. */
export interface Operation {
  /** Its `operationId`. */
  readonly id: string
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  readonly query: ReadonlyArray<Parameter>
  /** The media types of the body with their schema; empty if the operation takes none. */
  readonly bodies: ReadonlyArray<readonly [mediaType: string, schema: Schema]>
}

/** The operations of an OpenAPI document, and the way to resolve its references. */
export interface Described {
  readonly operations: ReadonlyArray<Operation>
  readonly resolve: (schema: JsonValue | undefined) => Schema
}

const objectOf = (value: JsonValue | undefined): JsonObject => (value !== undefined && isObject(value) ? value : {})

const listOf = (value: JsonValue | undefined): ReadonlyArray<JsonValue> => (Array.isArray(value) ? value : [])

/** Reads what a client may send from an OpenAPI document. */
export const described = (document: JsonObject): Described => {
  const resolve = (value: JsonValue | undefined): JsonObject => {
    const reference = objectOf(value)["$ref"]
    if (typeof reference !== "string") return objectOf(value)
    return resolve(
      reference
        .split("/")
        .slice(1)
        .reduce((part: JsonValue | undefined, key) => objectOf(part)[key], document)
    )
  }
  const operations = Object.entries(objectOf(document["paths"])).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).map(([method, value]): Operation => {
      const operation = objectOf(value)
      const parameters = listOf(operation["parameters"]).map(resolve)
      const content = objectOf(resolve(operation["requestBody"])["content"])
      return {
        id: String(operation["operationId"]),
        method: method.toUpperCase(),
        path,
        query: parameters
          .filter((parameter) => parameter["in"] === "query")
          .map((parameter) => ({ name: String(parameter["name"]), schema: resolve(parameter["schema"]) })),
        bodies: Object.entries(content).map(([mediaType, one]) => [mediaType, resolve(objectOf(one)["schema"])])
      }
    })
  )
  return { operations, resolve }
}
