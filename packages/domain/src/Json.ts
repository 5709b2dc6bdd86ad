/** JSON as it is parsed (RFC 8259). */
export type JsonValue = null | boolean | number | string | ReadonlyArray<JsonValue> | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Where a value stands in a document: `["attributes", "owners"]`. */
export type Path = ReadonlyArray<string>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value at a path, `undefined` where there is none. Inherited properties are not seen. */
export const at = (document: JsonValue | undefined, path: Path): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document
  )

/** The document with the value at the path, or without it where the value is `undefined`. */
export const put = (document: JsonObject, path: Path, value: JsonValue | undefined): JsonObject => {
  const [key, ...rest] = path
  if (key === undefined) return document
  if (rest.length > 0) {
    const inner = document[key]
    if (value === undefined && !isObject(inner)) return document
    return { ...document, [key]: put(isObject(inner) ? inner : {}, rest, value) }
  }
  if (value !== undefined) return { ...document, [key]: value }
  const { [key]: _removed, ...others } = document
  return others
}

/** Whether two documents say the same, the order of keys apart. */
export const equals = (one: JsonValue | undefined, two: JsonValue | undefined): boolean => {
  if (one === two) return true
  if (Array.isArray(one) && Array.isArray(two)) {
    return one.length === two.length && one.every((value, index) => equals(value, two[index]))
  }
  if (!isObject(one) || !isObject(two)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(two).length &&
    keys.every((key) => Object.hasOwn(two, key) && equals(one[key], two[key]))
  )
}

/** The paths in `sent` that `understood` has not: what a decoder left out. */
export const excess = (
  sent: JsonValue,
  understood: JsonValue | undefined,
  within: Path = []
): ReadonlyArray<string> => {
  if (Array.isArray(sent)) {
    const kept = Array.isArray(understood) ? understood : []
    return sent.flatMap((value, index) => excess(value, kept[index], [...within, String(index)]))
  }
  if (!isObject(sent)) return []
  return Object.entries(sent).flatMap(([key, value]) =>
    isObject(understood) && Object.hasOwn(understood, key)
      ? excess(value, understood[key], [...within, key])
      : [[...within, key].join(".")]
  )
}
