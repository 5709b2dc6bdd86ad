import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"

const isLimitOfNumbers = (key: string, value: JsonValue): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const plain = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key, inner]) => !isLimitOfNumbers(key, inner))
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner)]))
}

/** Removes the limits of JavaScript's integers, which the generator adds to every integer. */
export const plainIntegers = (document: JsonObject): JsonObject => plain(document) as JsonObject
