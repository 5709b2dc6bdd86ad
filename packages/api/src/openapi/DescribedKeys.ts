import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"

const isDescription = (schema: JsonValue): boolean => isObject(schema) && Object.keys(schema).join() === "description"

/** Moves the descriptions in `allOf` beside the other keywords. The last one wins. */
const flat = (schema: JsonObject): JsonObject => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const described = allOf.findLast(isDescription)
  if (!isObject(described)) return schema
  const others = allOf.filter((one) => !isDescription(one))
  const [only] = others
  const kept = others.length === 0 ? {} : { allOf: others }
  const isReference = others.length === 1 && isObject(only) && "$ref" in only && Object.keys(rest).length === 0
  return { ...rest, ...(isReference ? only : kept), ...described }
}

const within = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(within)
  return isObject(value) ? describeKeys(value) : value
}

/**
 * Writes the description of a key beside the schema of the field. The generator writes it as `allOf: [schema, {
 * description }]`, which client generators read as another type.
 */
export const describeKeys = (schema: JsonObject): JsonObject =>
  flat(Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, within(inner)])))
