import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { entriesOf, mapEntries, mapOperations, operationsOf, withComponents } from "./Operations.ts"

/** A part of an operation, and what it would be called if several had it. */
type Part = readonly [name: string, part: JsonObject]

/** The names of the parts that stand more than once, by their text. The first that wants a name has it. */
const namesOf = (parts: ReadonlyArray<Part>): ReadonlyMap<string, string> => {
  const seen = new Set<string>()
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [name, part] of parts) {
    const text = JSON.stringify(part)
    if (seen.has(text) && !names.has(text) && !taken.has(name)) {
      names.set(text, name)
      taken.add(name)
    }
    seen.add(text)
  }
  return names
}

const componentsOf = (names: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries([...names].map(([text, name]): [string, JsonValue] => [name, JSON.parse(text)]))

const referring = (kind: string, names: ReadonlyMap<string, string>) => (part: JsonObject) => {
  const name = names.get(JSON.stringify(part))
  return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
}

/** What a response is called: by the schemas that its body can be. */
const nameOf = (response: JsonObject): string => {
  const schemas = JSON.stringify(response["content"] ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  return [...schemas].map(([, name]) => name).join("_or_") || "NoContent"
}

const parametersOf = (operation: JsonObject): ReadonlyArray<JsonObject> =>
  Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isObject) : []

/** An OpenAPI document in which a response or a parameter that several operations share stands once. */
export const shareParts = (document: JsonObject): JsonObject => {
  const operations = operationsOf(document)
  const responses = namesOf(
    operations.flatMap((operation) =>
      entriesOf(operation["responses"]).map(([, response]): Part => [nameOf(response), response])
    )
  )
  const parameters = namesOf(
    operations.flatMap((operation) =>
      parametersOf(operation).map((parameter): Part => [String(parameter["name"]), parameter])
    )
  )
  const shared = mapOperations(document, (operation) => ({
    ...operation,
    parameters: parametersOf(operation).map(referring("parameters", parameters)),
    responses: mapEntries(operation["responses"], referring("responses", responses))
  }))
  return withComponents(
    withComponents(shared, "responses", componentsOf(responses)),
    "parameters",
    componentsOf(parameters)
  )
}
