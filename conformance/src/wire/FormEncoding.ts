import { isObject, type Json } from "./Json.ts"

/** How nested names are written in forms: `identity[displayName]` or `identity.displayName`. */
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

/** What a JSON body says, as the fields of a form. */
export const formOf = (body: Json, style: Style): Readonly<Record<string, string>> =>
  Object.fromEntries(fieldsOf(body, style, ""))
