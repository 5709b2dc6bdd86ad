import { errorCodes, table } from "@wcs/domain/shared/ErrorCode"
import { at, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { mapEntries, mapOperations } from "../Operations.ts"
import { answers } from "./Answers.ts"
import { rareRefusals, refusals } from "./Refusals.ts"
import { type ExampleRequest, requests } from "./Requests.ts"
import { shownAs } from "./ShownAs.ts"

/** The example of a code without one of its own. */
const plain = errorCodes.map((code) => {
  const error = { code, message: table[code].when, requestId: shownAs.requestId }
  return [code, { error }] as const
})

const errors: Readonly<Record<string, JsonValue>> = { ...Object.fromEntries(plain), ...refusals, ...rareRefusals }

/** These operations show the resource as `read` or `list` does. */
const alike: ReadonlySet<string> = new Set(["list", "read", "replace", "patch"])

const namesIn = (schema: JsonValue | undefined): ReadonlyArray<string> => {
  const union = at(schema, ["anyOf"])
  const parts = Array.isArray(union) ? union : [schema]
  return parts.flatMap((part) => {
    const reference = at(part, ["$ref"])
    return typeof reference === "string" ? [reference.split("/").at(-1) ?? ""] : []
  })
}

/** The examples of a refusal: one for each code that it can have. */
const ofRefusal = (schema: JsonValue | undefined): JsonObject => {
  const known = namesIn(schema).flatMap((name) => {
    const value = errors[name]
    return value === undefined ? [] : [[name, { value }] as const]
  })
  const [first, ...others] = known
  if (first === undefined) return {}
  return others.length === 0 ? { example: first[1].value } : { examples: Object.fromEntries(known) }
}

/** Finds the example of a success. Operations with the same answer share the first one, so that they share the response. */
const makeSuccesses = () => {
  const first = new Map<string, JsonValue>()
  return (operation: string, schema: JsonValue | undefined): JsonObject => {
    const own = answers[operation]
    if (own === undefined) return {}
    const [name] = namesIn(schema)
    if (name === undefined || !alike.has(operation.split(".")[1] ?? "")) return { example: own }
    if (!first.has(name)) first.set(name, own)
    return { example: first.get(name) ?? own }
  }
}

/** The reference page prefills requests only from named examples. */
const asExample = (value: JsonValue): JsonObject => ({ examples: { example: { value } } })

const withParameters = (operation: JsonObject, path: ExampleRequest["path"] = {}): JsonObject => {
  const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isObject) : []
  return {
    ...operation,
    parameters: parameters.map((parameter) => {
      const example = parameter["in"] === "path" ? path[String(parameter["name"])] : undefined
      return example === undefined ? parameter : { ...parameter, ...asExample(example) }
    })
  }
}

const withBody = (operation: JsonObject, example: JsonValue | undefined): JsonObject => {
  const body = operation["requestBody"]
  if (!isObject(body) || example === undefined) return operation
  return {
    ...operation,
    requestBody: { ...body, content: mapEntries(body["content"], (content) => ({ ...content, ...asExample(example) })) }
  }
}

/** Adds an example to each request and response, as the server received and sent them. */
export const showExamples = (document: JsonObject): JsonObject => {
  const ofSuccess = makeSuccesses()
  return mapOperations(document, (operation) => {
    const name = String(operation["operationId"])
    const { body, path, text } = requests[name] ?? {}
    const responses = mapEntries(operation["responses"], (response, status) =>
      isObject(response["content"])
        ? {
            ...response,
            content: mapEntries(response["content"], (content) => ({
              ...content,
              ...(Number(status) < 400 ? ofSuccess(name, content["schema"]) : ofRefusal(content["schema"]))
            }))
          }
        : response
    )
    return withBody(withParameters({ ...operation, responses }, path), text ?? body)
  })
}
