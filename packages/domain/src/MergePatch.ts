import { isObject, type JsonObject, type JsonValue } from "./Json.ts"

/** Applies a JSON Merge Patch: absent keeps, `null` removes, objects merge, all else replaces (RFC 7396, section 2). */
export const apply = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isObject(patch)) return patch
  const merged = new Map<string, JsonValue>(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, apply(merged.get(key), value))
  }
  // From entries: a key such as `__proto__` becomes a plain property and nothing more.
  return Object.fromEntries(merged) as JsonObject
}
