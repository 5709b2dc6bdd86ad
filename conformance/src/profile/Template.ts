import { isObject, type Json } from "../text/Json.ts"

const whole = /^\{\{(\w+)\}\}$/
const part = /\{\{(\w+)\}\}/g

/** The values of the names in a template. undefined removes the property or element. */
export type Values = Readonly<Record<string, Json | undefined>>

const standsFor = <A>(values: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/**
 * Fills in a template. A text that is a single name becomes the value itself, of any type. Properties and elements
 * without a value are removed.
 */
export const fill = (template: Json, values: Values): Json => filled(template, values) ?? null

const filled = (template: Json, values: Values): Json | undefined => {
  if (typeof template === "string") {
    const name = whole.exec(template)?.[1]
    if (name !== undefined) return standsFor(values, name)
    return template.replaceAll(part, (_, inner: string) => String(standsFor(values, inner) ?? ""))
  }
  if (Array.isArray(template)) return template.map((item) => filled(item, values)).filter((item) => item !== undefined)
  if (!isObject(template)) return template
  const entries = Object.entries(template).map(([key, inner]) => [key, filled(inner, values)] as const)
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined))
}

/** Fills in a path and escapes the values. */
export const fillPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(part, (_, name: string) => encodeURIComponent(standsFor(values, name) ?? ""))
