import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/Json"
import { mapEntries, mapOperations, withComponents } from "./Operations.ts"

/** Parts of operations that are the same in several of them, each under a name of its own. */
class Shared {
  readonly #kind: string
  readonly #seen = new Map<string, number>()
  readonly #named = new Map<string, string>()

  constructor(kind: string) {
    this.#kind = kind
  }

  /** Hands a part in, to be counted. */
  count(part: JsonValue): void {
    const text = JSON.stringify(part)
    this.#seen.set(text, (this.#seen.get(text) ?? 0) + 1)
  }

  /** A reference to the part, or the part itself where nobody else has it, or another has its name. */
  refer(part: JsonObject, name: string): JsonObject {
    const text = JSON.stringify(part)
    if ((this.#seen.get(text) ?? 0) < 2) return part
    const holder = this.#named.get(name) ?? text
    this.#named.set(name, holder)
    return holder === text ? { $ref: `#/components/${this.#kind}/${name}` } : part
  }

  get components(): JsonObject {
    return Object.fromEntries([...this.#named].map(([name, text]): [string, JsonValue] => [name, JSON.parse(text)]))
  }
}

/** What a response is called: by the schemas that its body can be. */
const nameOf = (response: JsonObject): string => {
  const names = [...JSON.stringify(response["content"] ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)]
  return names.length === 0 ? "NoContent" : names.map(([, name]) => name).join("_or_")
}

const parametersOf = (operation: JsonObject): ReadonlyArray<JsonObject> =>
  Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isObject) : []

/** An OpenAPI document in which a response or parameter that several operations share stands once. */
export const shareParts = (document: JsonObject): JsonObject => {
  const responses = new Shared("responses")
  const parameters = new Shared("parameters")
  mapOperations(document, (operation) => {
    mapEntries(operation["responses"], (response) => {
      responses.count(response)
      return response
    })
    for (const parameter of parametersOf(operation)) parameters.count(parameter)
    return operation
  })
  const shared = mapOperations(document, (operation) => ({
    ...operation,
    parameters: parametersOf(operation).map((parameter) => parameters.refer(parameter, String(parameter["name"]))),
    responses: mapEntries(operation["responses"], (response) => responses.refer(response, nameOf(response)))
  }))
  return withComponents(withComponents(shared, "responses", responses.components), "parameters", parameters.components)
}
