import { at, isObject, type JsonObject, type JsonValue, type Path } from "@wcs/domain/shared/Json"

/** A value at or beyond a constraint of a schema. */
export interface Probe {
  /** The place of the value in the body: names and indexes. */
  readonly path: Path
  /** The keyword of the constraint; `null` for null in an optional field, `control` for a control character. */
  readonly keyword: string
  /** `undefined` removes the value. */
  readonly value: JsonValue | undefined
  readonly isAccepted: boolean
}

/** Follows references into a document. */
export type Resolve = (schema: JsonValue | undefined) => JsonObject

export const makeResolve = (document: JsonObject): Resolve => {
  const resolve: Resolve = (schema) => {
    const reference = at(schema, ["$ref"])
    if (typeof reference === "string") return resolve(at(document, reference.split("/").slice(1)))
    return isObject(schema) ? schema : {}
  }
  return resolve
}

const isNull = (schema: JsonObject): boolean => schema["type"] === "null"

const listOf = (value: JsonValue | undefined): ReadonlyArray<JsonValue> => (Array.isArray(value) ? value : [])

/** The branch of a union that describes a value: by type, and for objects by their required fields. */
const branchOf = (schema: JsonObject, value: JsonValue | undefined, resolve: Resolve): JsonObject => {
  const branches = listOf(schema["anyOf"]).map(resolve)
  if (branches.length === 0) return schema
  const isObjectOf = (branch: JsonObject) =>
    isObject(value) && listOf(branch["required"]).every((name) => typeof name === "string" && name in value)
  const [first = schema] = branches.filter((branch) => !isNull(branch))
  return (
    branches.find((branch) =>
      Array.isArray(value)
        ? branch["type"] === "array"
        : isObject(value)
          ? branch["type"] === "object" && isObjectOf(branch)
          : branch["type"] === typeof value
    ) ?? first
  )
}

/** The least value that a schema accepts. */
const least = (schema: JsonObject, resolve: Resolve): JsonValue => {
  const plain = branchOf(schema, undefined, resolve)
  const [word] = listOf(plain["enum"])
  if (word !== undefined) return word
  switch (plain["type"]) {
    case "object": {
      const required = listOf(plain["required"]).map(String)
      return Object.fromEntries(
        required.map((name) => [name, least(resolve(at(plain, ["properties", name])), resolve)])
      )
    }
    case "array":
      return plain["minItems"] === undefined ? [] : [least(resolve(plain["items"]), resolve)]
    case "integer":
      return typeof plain["minimum"] === "number" ? plain["minimum"] : 1
    case "boolean":
      return true
    case "string":
      return leastText(plain)
    default:
      return null
  }
}

const leastText = ({ allOf, format, pattern }: JsonObject): string => {
  if (JSON.stringify([pattern, allOf]).includes("@")) return "x@y"
  const [, prefix] = /^\^(\w+_)\[0-9A-Za-z\]\{16\}\$$/.exec(String(pattern)) ?? []
  if (prefix !== undefined) return `${prefix}${"0".repeat(16)}`
  if (format === "date-time") return "2026-03-02T10:00:00Z"
  return format === "date" ? "2026-03-02" : "x"
}

/** A text of this length like another one, which stays a valid URL or address. */
const lengthened = (text: string, length: number, isUrl: boolean): string =>
  isUrl ? text.padEnd(length, "a") : text.padStart(length, "a")

const ofText = (schema: JsonObject, value: string) => {
  const { format, maxLength, minLength, pattern } = schema
  const isUrl = format === "uri"
  const found: Array<readonly [string, JsonValue, boolean]> = [["type", 7, false]]
  if (typeof minLength === "number") {
    found.push(["minLength", value.slice(0, minLength - 1), false])
    if (pattern === "\\S" && schema["allOf"] === undefined)
      found.push(["minLength", "x".repeat(minLength), true], ["pattern", " ", false])
  }
  if (typeof maxLength === "number") {
    found.push(["maxLength", lengthened(value, maxLength, isUrl), true])
    found.push(["maxLength", lengthened(value, maxLength + 1, isUrl), false])
  }
  if (typeof pattern === "string" && pattern !== "\\S") {
    const wrong = ["!", `${value}!`, ""].find((text) => !new RegExp(pattern, "u").test(text))
    found.push(["pattern", wrong ?? "", false])
  }
  if (format === "date") found.push(["format", "2026-02-30", false], ["format", "2024-02-29", true])
  if (format === "date-time") found.push(["format", "2026-03-02", false], ["format", "2026-03-02T10:00:00Z", true])
  if (isUrl) found.push(["format", "not a URL", false])
  return found
}

const ofNumber = ({ maximum, minimum }: JsonObject) => {
  const found: Array<readonly [string, JsonValue, boolean]> = [
    ["type", "text", false],
    ["type", 1.5, false]
  ]
  if (typeof minimum === "number") found.push(["minimum", minimum - 1, false], ["minimum", minimum, true])
  if (typeof maximum === "number") found.push(["maximum", maximum + 1, false], ["maximum", maximum, true])
  return found
}

const ofItems = (schema: JsonObject, items: ReadonlyArray<JsonValue>, item: JsonValue) => {
  const { maxItems, minItems, uniqueItems } = schema
  const first = items[0] ?? item
  const found: Array<readonly [string, JsonValue, boolean]> = [["type", "text", false]]
  if (minItems === 1) found.push(["minItems", [], false], ["minItems", [first], true])
  if (uniqueItems === true) found.push(["uniqueItems", [first, first], false])
  if (typeof maxItems === "number" && uniqueItems !== true) {
    found.push(["maxItems", Array.from({ length: maxItems }, () => first), true])
    found.push(["maxItems", Array.from({ length: maxItems + 1 }, () => first), false])
  }
  return found
}

/** Values at and beyond each constraint of a scalar. */
export const valuesOf = (
  schema: JsonObject,
  value: JsonValue
): ReadonlyArray<readonly [string, JsonValue, boolean]> => {
  if (schema["enum"] !== undefined) return [["enum", "NONSENSE", false]]
  switch (schema["type"]) {
    case "string":
      return ofText(schema, typeof value === "string" ? value : "x")
    case "integer":
      return ofNumber(schema)
    case "boolean":
      return [["type", "text", false]]
    default:
      return []
  }
}

/** Values at and beyond every constraint of a body, each in a body that is valid otherwise. */
export const probesOf = (
  unresolved: JsonValue | undefined,
  example: JsonValue | undefined,
  resolve: Resolve,
  path: Path = []
): ReadonlyArray<Probe> => {
  const schema = branchOf(resolve(unresolved), example, resolve)
  const value = example ?? least(schema, resolve)
  const here = (found: ReadonlyArray<readonly [string, JsonValue | undefined, boolean]>) =>
    found.map(([keyword, probed, isAccepted]) => ({ path, keyword, value: probed, isAccepted }))
  if (schema["type"] === "array") {
    const items = Array.isArray(value) ? value : []
    const item = items[0] ?? least(resolve(schema["items"]), resolve)
    return [...here(ofItems(schema, items, item)), ...probesOf(schema["items"], item, resolve, [...path, "0"])]
  }
  if (schema["type"] === "string") return here([["control", `${value}\0`, false], ...valuesOf(schema, value)])
  if (schema["type"] !== "object") return here(valuesOf(schema, value))
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = listOf(schema["required"])
  const present = Object.keys(properties).map((name): Probe => {
    const place = [...path, name]
    return required.includes(name)
      ? { path: place, keyword: "required", value: undefined, isAccepted: false }
      : { path: place, keyword: "null", value: null, isAccepted: true }
  })
  return [
    ...present,
    ...(path.length === 0 ? [] : here([["type", "text", false]])),
    ...Object.entries(properties).flatMap(([name, property]) => {
      const plain = branchOf(resolve(property), undefined, resolve)
      const isOurs = at(property, ["readOnly"]) === true || plain["readOnly"] === true
      return isOurs ? [] : probesOf(property, at(value, [name]), resolve, [...path, name])
    })
  ]
}

/** The body with another value at a path. Missing objects and arrays on the way are made. */
export const withValue = (
  body: JsonValue | undefined,
  [key, ...rest]: Path,
  value: JsonValue | undefined
): JsonValue | undefined => {
  if (key === undefined) return value
  if (/^\d+$/.test(key)) {
    const items = Array.isArray(body) ? [...body] : []
    items[Number(key)] = withValue(items[Number(key)], rest, value)
    return items
  }
  const { [key]: inner, ...others } = isObject(body) ? body : {}
  const next = withValue(inner, rest, value)
  return next === undefined ? others : { ...others, [key]: next }
}
