import { at, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { mapEntries, mapOperations, type Place, withComponents } from "./openapi/Operations.ts"

const root = "#/components/schemas/"

const bodyOf = (operation: JsonValue | undefined): JsonValue | undefined =>
  at(operation, ["requestBody", "content", "application/json", "schema"])

/** The merge patch schema of a resource: every field is optional and may be `null` (RFC 7396). */
const patchOf = (schema: JsonObject): JsonObject => {
  if (!isObject(schema["properties"])) return schema
  const { required: _required, ...rest } = schema
  return {
    ...rest,
    properties: mapEntries(schema["properties"], (property) => {
      const isNullable =
        Array.isArray(property["anyOf"]) && property["anyOf"].some((one) => at(one, ["type"]) === "null")
      if (isNullable) return property
      const { description, ...described } = property
      return { anyOf: [patchOf(described), { type: "null" }], ...(description === undefined ? {} : { description }) }
    })
  }
}

/** The name of the PUT body schema at the same path, if any. */
const replacedBy = (document: JsonObject, { path }: Place): string | undefined => {
  const reference = at(bodyOf(at(document, ["paths", path, "put"])), ["$ref"])
  return typeof reference === "string" ? reference.slice(root.length) : undefined
}

/**
 * Describes each merge patch by the PUT body at the same path: `WorkerPatch` from `WorkerWrite`. The endpoint itself
 * accepts any JSON object, and the domain checks the result.
 */
export const describePatches = (document: JsonObject): JsonObject => {
  const patches: Record<string, JsonObject> = {}
  const patched = mapOperations(document, (operation, place) => {
    const replacing = place.method === "patch" ? replacedBy(document, place) : undefined
    const whole = replacing === undefined ? undefined : at(document, ["components", "schemas", replacing])
    if (replacing === undefined || !isObject(whole)) return operation
    const name = `${replacing.replace(/(Write|Replace)$/, "")}Patch`
    patches[name] = patchOf(whole)
    const content = mapEntries(at(operation, ["requestBody", "content"]), () => ({ schema: { $ref: root + name } }))
    return { ...operation, requestBody: { required: true, content } }
  })
  return withComponents(patched, "schemas", patches)
}
