import type { Schema } from "effect"

/** Any JSON value. */
export type Json = Schema.Json

/** The parsed JSON; undefined if the text is not JSON. */
export const parse = (text: string): Json | undefined => {
  if (text === "") return undefined // many bodies are empty, and an exception is slow
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value at a dotted path, with array elements by index; undefined if absent. */
export const at = (value: Json | undefined, path: string): Json | undefined =>
  path === ""
    ? value
    : path.split(".").reduce<Json | undefined>((inner, key) => {
        if (Array.isArray(inner)) return inner[Number(key)]
        return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
      }, value)

/** Whether two values are equal, ignoring the order of keys. */
export const equals = (left: Json | undefined, right: Json | undefined): boolean => {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equals(item, right[index]))
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key]))
    )
  }
  return left === right
}

/** Every string in a value, with its position. */
export const textsIn = (value: Json | undefined): ReadonlyArray<readonly [at: string, text: string]> => {
  const found: Array<readonly [at: string, text: string]> = []
  // no recursion: a body may be nested more deeply than the stack allows
  const open: Array<readonly [position: string, value: Json | undefined]> = [["", value]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [position, one] = next
    if (typeof one === "string") found.push([position, one])
    const inner = Array.isArray(one) || isObject(one) ? Object.entries(one) : []
    for (const [key, member] of inner.toReversed()) open.push([position === "" ? key : `${position}.${key}`, member])
  }
  return found
}
