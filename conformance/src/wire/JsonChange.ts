import { isObject, type Json } from "../text/Json.ts"

/** The value without the part at a dotted path; unchanged if there is none. */
export const without = (value: Json, path: string): Json => {
  const [key = "", ...rest] = path.split(".")
  if (!isObject(value) || !Object.hasOwn(value, key)) return value
  const { [key]: inner, ...others } = value
  return rest.length === 0 || inner === undefined ? others : { ...value, [key]: without(inner, rest.join(".")) }
}

/** The value with a replacement at a dotted path; creates missing objects on the way. */
export const withValue = (value: Json, path: string, replacement: Json): Json => {
  const [key = "", ...rest] = path.split(".")
  const outer = isObject(value) ? value : {}
  return {
    ...outer,
    [key]: rest.length === 0 ? replacement : withValue(outer[key] ?? {}, rest.join("."), replacement)
  }
}

const isTime = (value: Json): boolean => typeof value === "string" && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)

/** Keys that describe a write and not the resource. */
const aboutTheWrite = /^(?:requestId|correlationId|version|revision|etag)$|(?:At|Time|Timestamp)$/

/** The value without times and request ids, which may differ after a repeated write. */
export const timeless = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(timeless)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, inner]) => !aboutTheWrite.test(key) && !isTime(inner))
  return Object.fromEntries(kept.map(([key, inner]) => [key, timeless(inner)]))
}

/** The values of a body that are no objects, by their dotted positions. */
export const leavesOf = (body: Json, position = ""): ReadonlyArray<readonly [position: string, value: Json]> =>
  isObject(body)
    ? Object.entries(body).flatMap(([key, one]) => leavesOf(one, position === "" ? key : `${position}.${key}`))
    : [[position, body]]
