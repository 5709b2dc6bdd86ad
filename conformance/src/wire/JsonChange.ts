import { isObject, type Json } from "./Json.ts"

/** The value with what stands at a dotted path left out; itself where nothing stands there. */
export const without = (value: Json, path: string): Json => {
  const [key = "", ...rest] = path.split(".")
  if (!isObject(value) || !Object.hasOwn(value, key)) return value
  const { [key]: inner, ...others } = value
  return rest.length === 0 || inner === undefined ? others : { ...value, [key]: without(inner, rest.join(".")) }
}

/** The value with another one at a dotted path; objects on the way are made where they are missing. */
export const withValue = (value: Json, path: string, replacement: Json): Json => {
  const [key = "", ...rest] = path.split(".")
  const outer = isObject(value) ? value : {}
  return {
    ...outer,
    [key]: rest.length === 0 ? replacement : withValue(outer[key] ?? {}, rest.join("."), replacement)
  }
}

const isTime = (value: Json): boolean => typeof value === "string" && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)

/** Keys of what tells about a write rather than about the resource. */
const aboutTheWrite = /^(?:requestId|correlationId|version|revision|etag)$|(?:At|Time|Timestamp)$/

/** The value without the times and the ids of requests in it: what a write that is said twice may leave different. */
export const timeless = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(timeless)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, inner]) => !aboutTheWrite.test(key) && !isTime(inner))
  return Object.fromEntries(kept.map(([key, inner]) => [key, timeless(inner)]))
}
