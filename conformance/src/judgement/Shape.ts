import { isObject, type Json } from "../text/Json.ts"

const kindOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value)

const inside = (where: string, key: string): string => (where === "" ? key : `${where}.${key}`)

/**
 * Returns the path at which two responses differ in shape, or undefined. Names and types count, values do not. null
 * matches any type. Lists are compared up to the shorter length.
 */
export const differenceInShape = (left: Json | undefined, right: Json | undefined, where = ""): string | undefined => {
  if (left === undefined || right === undefined) return left === right ? undefined : where
  if (left === null || right === null) return undefined
  if (kindOf(left) !== kindOf(right)) return where
  if (Array.isArray(left) && Array.isArray(right)) {
    return firstOf(left.slice(0, right.length), (item, index) =>
      differenceInShape(item, right[index], inside(where, String(index)))
    )
  }
  if (!isObject(left) || !isObject(right)) return undefined
  return firstOf([...new Set([...Object.keys(left), ...Object.keys(right)])], (key) =>
    differenceInShape(left[key], right[key], inside(where, key))
  )
}

const firstOf = <A>(items: ReadonlyArray<A>, f: (item: A, index: number) => string | undefined): string | undefined => {
  for (const [index, item] of items.entries()) {
    const found = f(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
