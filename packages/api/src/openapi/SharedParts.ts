import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { entriesOf, mapEntries, mapOperations, operationsOf, withComponents } from "./Operations.ts"

/** A part of an operation, with its name as a shared component. */
type Part = readonly [name: string, part: JsonObject]

/** Names for parts that occur more than once, by their JSON. The first part with a name keeps it. */
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

/** Names a response after its body schemas. */
const nameOf = (response: JsonObject, status: string): string => {
  const schemas = JSON.stringify(response["content"] ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  return [...schemas].map(([, name]) => name).join("_or_") || (status === "304" ? "NotModified" : "NoContent")
}

const parametersOf = (operation: JsonObject): ReadonlyArray<JsonObject> =>
  Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isObject) : []

/** Moves responses and parameters that several operations share to the components. */
export const shareParts = (document: JsonObject): JsonObject => {
  const operations = operationsOf(document)
  const responses = namesOf(
    operations.flatMap((operation) =>
      entriesOf(operation["responses"]).map(([status, response]): Part => [nameOf(response, status), response])
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
