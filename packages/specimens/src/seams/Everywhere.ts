import { isObject, type Json } from "@wcs/conformance/text/Json"

/** A value that is an object. */
export type JsonObject = { readonly [key: string]: Json }

/** Changes every object in a value, innermost first. */
export const everywhere =
  (change: (object: JsonObject) => Json) =>
  (value: Json): Json => {
    if (Array.isArray(value)) return value.map(everywhere(change))
    if (!isObject(value)) return value
    const inner = Object.entries(value).map(([key, one]): [string, Json] => [key, everywhere(change)(one)])
    return change(Object.fromEntries(inner))
  }

/** An object with these fields only. */
export const only = (object: JsonObject, ...names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))

/** An object without these fields. */
export const without = (object: JsonObject, ...names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
