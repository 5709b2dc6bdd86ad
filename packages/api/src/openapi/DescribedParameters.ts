import { at, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { mapOperations } from "./Operations.ts"

const flag = { type: "boolean" }
const time = { type: "string", format: "date-time" }

/** The types of the parameters that every list has. */
const ofEveryList: JsonObject = {
  pageSize: { type: "integer", minimum: 1 },
  page: { type: "integer", minimum: 1 },
  includeDeleted: flag,
  includeTotal: flag,
  from: time,
  to: time,
  updatedAfter: time,
  updatedBefore: time
}

const componentOf = (document: JsonObject, schema: JsonValue | undefined): JsonValue | undefined => {
  const reference = at(schema, ["$ref"])
  return typeof reference === "string" ? at(document, reference.split("/").slice(1)) : schema
}

/** The fields of the listed items, including those in `attributes` of credentials. */
const listedFields = (document: JsonObject, operation: JsonObject): JsonObject => {
  const answer = at(operation, ["responses", "200", "content", "application/json", "schema"])
  const listed = at(componentOf(document, answer), ["properties", "data", "items"])
  const fields = at(componentOf(document, listed), ["properties"])
  const attributes = at(fields, ["attributes", "properties"])
  return { ...(isObject(fields) ? fields : {}), ...(isObject(attributes) ? attributes : {}) }
}

/** Whether a schema is an enumeration or a boolean. */
const hasFewValues = (document: JsonObject, schema: JsonValue | undefined): schema is JsonObject => {
  const plain = componentOf(document, schema)
  return at(plain, ["type"]) === "boolean" || at(plain, ["enum"]) !== undefined
}

/** Adds the type of each query parameter. A filter with the name of a listed field gets the type of the field. */
export const describeParameters = (document: JsonObject): JsonObject =>
  mapOperations(document, (operation) => {
    const fields = listedFields(document, operation)
    const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isObject) : []
    return {
      ...operation,
      parameters: parameters.map(({ schema, ...parameter }) => {
        const name = String(parameter["name"])
        const field = hasFewValues(document, fields[name]) ? fields[name] : undefined
        const { description, ...text } = isObject(schema) ? schema : {}
        const typed = parameter["in"] === "query" ? (ofEveryList[name] ?? field) : undefined
        return { ...parameter, ...(description === undefined ? {} : { description }), schema: typed ?? text }
      })
    }
  })
