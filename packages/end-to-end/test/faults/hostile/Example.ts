import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { oneOf, type Random } from "../Rounds.ts"
import type { Described } from "./Described.ts"

/**
 * Values of properties whose rules a schema cannot tell. No URL leads to a machine: the name `invalid` never resolves
 * (RFC 6761), and the service refuses the addresses.
 */
const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  url: ["https://receiver.invalid/events", "https://127.0.0.1/events", "https://[::1]/"],
  issuer: ["https://issuer.invalid"],
  ssoUrl: ["https://login.invalid/saml"],
  entityId: ["urn:example:login"],
  domains: ["one.invalid", "two.invalid"],
  emailAddress: ["ann@example.invalid"],
  email: ["bob@example.invalid"],
  personalEmail: ["ann@example.invalid"],
  workEmail: ["ann@example.invalid"],
  credentialType: ["FIRST_AID", "WWCC_NSW", "NDIS_NSW"],
  identifier: ["WWC1234501E", "WWC1234515E", "12"]
}

const dates = ["2024-02-29", "2030-05-31", "1990-04-01"]

/** Returns values that fit a schema, mostly. Ids come from `idsOf`, by their prefix. */
export const exampleOf = (
  random: Random,
  { resolve }: Described,
  idsOf: (prefix: string) => ReadonlyArray<string>
): ((schema: JsonObject) => JsonValue) => {
  const text = (name: string, schema: JsonObject): string => {
    const words = known[name]
    if (words !== undefined) return oneOf(random, words)
    const prefix = /^\^\(?([a-z]+)_\[/.exec(String(schema["pattern"] ?? ""))?.[1]
    if (prefix !== undefined) return oneOf(random, idsOf(prefix))
    if (schema["format"] === "date-time") return "2026-01-01T00:00:00Z"
    if (schema["pattern"] !== undefined) return oneOf(random, dates)
    if (name === "id") return oneOf(random, idsOf(oneOf(random, ["wkr", "app"])))
    return `${name} ${random(1000)}`.slice(0, Number(schema["maxLength"] ?? 40))
  }
  const objectOf = (schema: JsonObject, depth: number): JsonObject => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || (depth < 6 && random(2) === 0))
        .map(([name, inner]) => [name, valueFor(name, resolve(inner), depth + 1)])
    )
  }
  const valueFor = (name: string, schema: JsonObject, depth: number): JsonValue => {
    const { anyOf, enum: choices, items, type } = schema
    if (Array.isArray(choices)) return oneOf(random, choices)
    if (Array.isArray(anyOf)) return valueFor(name, resolve(oneOf(random, anyOf)), depth)
    switch (type) {
      case "string":
        return text(name, schema)
      case "integer":
      case "number":
        return Number(schema["minimum"] ?? 1) + random(5)
      case "boolean":
        return random(2) === 0
      case "array":
        return Array.from({ length: Math.max(Number(schema["minItems"] ?? 0), random(3)) }, () =>
          valueFor(name, resolve(items), depth + 1)
        )
      case "object":
        return objectOf(schema, depth)
      default:
        return null
    }
  }
  return (schema) => valueFor("", schema, 0)
}
