import { type Call, refuse } from "./Call.ts"
import { typeOf } from "./Forms.ts"
import { someOdd } from "./Odd.ts"
import { type Fields, isFields, resourcesOf } from "./World.ts"

// Reads the fields of a JSON body.

/** Refuses a value that is no text. */
const noText = (call: Call, field: string, value: unknown): string => {
  const place = { field, type: typeOf(value) }
  if (call.at("a value of another type is accepted", place)) return String(value)
  if (call.at("a value of another type is a broken rule", place)) throw refuse.broken(`${field} must be a text.`)
  if (call.at("a value of another type fails", place)) throw new TypeError(`${field} is no text`)
  throw refuse.malformed(`${field} must be a text.`, "type")
}

/** A text field. */
export const text = (call: Call, from: Fields, name: string, isRequired = false): string | undefined => {
  const value = from[name]
  if (value === undefined || value === null || (value === "" && isRequired)) {
    const place = { field: name, given: value === undefined ? "nothing" : value === null ? "null" : "an empty text" }
    if (!isRequired || call.at("a required field may be missing", place)) return undefined
    if (call.at("a missing field is a broken rule", place)) throw refuse.broken(`${name} is required.`)
    if (call.at("a missing field fails", place)) throw new TypeError(`${name} is undefined`)
    throw refuse.malformed(`${name} is required.`)
  }
  if (typeof value !== "string") return noText(call, name, value)
  if (value.length > 2000) throw refuse.malformed(`${name} is too long.`)
  if (value.includes("'") && call.at("a quote in a text empties the table", { field: name }))
    resourcesOf(call.tenant, "worker").clear()
  const isBroken = (odd: string) => odd !== "plain" && call.at("an odd value breaks the call", { odd, field: name })
  if (someOdd(value, isBroken)) {
    throw Object.assign(refuse.broken("invalid byte sequence"), { status: 500, code: "DATABASE_ERROR", reason: "odd" })
  }
  return value
}

/** The texts of a body by their names; the first ones are required. */
export const texts = (call: Call, from: Fields, required: ReadonlyArray<string>, optional: ReadonlyArray<string>) => {
  const read = [
    ...required.map((name) => [name, text(call, from, name, true)] as const),
    ...optional.map((name) => [name, text(call, from, name)] as const)
  ]
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

/** An object in a body, read by a call. */
export const objectIn = (call: Call, from: Fields, name: string): Fields => {
  const value = from[name]
  if (value === undefined || value === null || isFields(value)) return inside(from, name)
  const place = { field: name, type: typeOf(value) }
  if (call.at("a value of another type is accepted", place))
    return name === "identity" ? { displayName: `${value}` } : {}
  if (call.at("a value of another type fails", place)) throw new TypeError(`${name} is no object`)
  throw refuse.malformed(`${name} must be an object.`, "type")
}

/** An object inside a body. */
export const inside = (from: Fields, name: string): Fields => {
  const value = from[name]
  if (value === undefined || value === null) return {}
  if (!isFields(value)) throw refuse.malformed(`${name} must be an object.`, "type")
  return value
}
