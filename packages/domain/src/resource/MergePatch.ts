import { isObject, type JsonValue } from "../shared/Json.ts"

/**
 * Applies a JSON Merge Patch (RFC 7396, section 2). An absent field is kept, `null` removes a field, an object is
 * merged, and any other value replaces the field.
 */
export const apply = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isObject(patch)) return patch
  const merged: Record<string, JsonValue> = isObject(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    const value = patch[key] ?? null
    if (value === null) delete merged[key]
    else define(merged, key, apply(Object.hasOwn(merged, key) ? merged[key] : undefined, value))
  }
  return merged
}

/** Sets an own property. Plain assignment to `__proto__` would set the prototype. */
const define = (object: Record<string, JsonValue>, key: string, value: JsonValue): void => {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
  } else {
    object[key] = value
  }
}
