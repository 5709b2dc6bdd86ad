/** A JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | ReadonlyArray<JsonValue> | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** The path of a value in a document: `["attributes", "owners"]`. */
export type Path = ReadonlyArray<string>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the value at a path, or `undefined`. Ignores inherited properties. */
export const at = (document: JsonValue | undefined, path: Path): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document
  )

/** A document that is edited path by path. */
export interface Draft {
  /** Returns the document with the edits so far. */
  readonly current: () => JsonObject
  /** Sets the value at a path. `undefined` removes the value. */
  readonly put: (path: Path, value: JsonValue | undefined) => void
}

type Writable = Record<string, JsonValue>

/** Starts edits of a document without changing it. Each changed object is copied once, at its first edit. */
export const draftOf = (document: JsonObject): Draft => {
  const copies = new Set<JsonObject>()
  let current = document

  const writable = (object: JsonObject): Writable => {
    const copy = copies.has(object) ? object : { ...object }
    copies.add(copy)
    return copy as Writable
  }

  const edited = (object: JsonObject, path: Path, value: JsonValue | undefined): JsonObject => {
    const [key, ...rest] = path
    if (key === undefined) return object
    const inner = at(object, [key])
    if (value === undefined && (rest.length === 0 ? inner === undefined : !isObject(inner))) return object
    const next = rest.length === 0 ? value : edited(isObject(inner) ? inner : {}, rest, value)
    if (next === inner) return object
    const copy = writable(object)
    if (next === undefined) delete copy[key]
    else copy[key] = next
    return copy
  }

  return {
    current: () => current,
    put: (path, value) => {
      current = edited(current, path, value)
    }
  }
}

/** Returns the document with the value set at the path, or removed if `undefined`. */
export const put = (document: JsonObject, path: Path, value: JsonValue | undefined): JsonObject => {
  const draft = draftOf(document)
  draft.put(path, value)
  return draft.current()
}

/** Returns whether two documents are equal, ignoring the order of keys. */
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

/**
 * Returns the first `most` paths of `sent` that `understood` lacks, because the decoder dropped them. Null is skipped,
 * because it counts as absent.
 */
export const excess = (
  sent: JsonValue,
  understood: JsonValue | undefined,
  within: Path,
  most: number
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (value: JsonValue, kept: JsonValue | undefined, path: Path): void => {
    if (Array.isArray(value)) {
      const others = Array.isArray(kept) ? kept : []
      for (const [index, inner] of value.entries()) {
        if (found.length >= most) return
        visit(inner, others[index], [...path, String(index)])
      }
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (found.length >= most) return
        if (isObject(kept) && Object.hasOwn(kept, key)) visit(value[key] ?? null, kept[key], [...path, key])
        else if (value[key] !== null) found.push([...path, key].join("."))
      }
    }
  }
  visit(sent, understood, within)
  return found
}
