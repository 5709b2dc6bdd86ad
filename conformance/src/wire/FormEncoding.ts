import { isObject, type Json } from "../text/Json.ts"

/** The notation of nested names in forms: `identity[displayName]` or `identity.displayName`. */
export type Style = "brackets" | "dots"

const nested = {
  brackets: (outer: string, key: string) => `${outer}[${key}]`,
  dots: (outer: string, key: string) => `${outer}.${key}`
}

const fieldsOf = (value: Json, style: Style, name: string): ReadonlyArray<readonly [string, string]> => {
  if (!isObject(value) && !Array.isArray(value)) return [[name, value === null ? "" : String(value)]]
  return Object.entries(value).flatMap(([key, inner]) =>
    fieldsOf(inner, style, name === "" ? key : nested[style](name, key))
  )
}

/** The fields of a form with the content of a JSON body. */
export const formOf = (body: Json, style: Style): Readonly<Record<string, string>> =>
  Object.fromEntries(fieldsOf(body, style, ""))
