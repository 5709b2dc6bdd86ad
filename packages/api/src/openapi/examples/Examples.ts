import { at, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { mapEntries, mapOperations } from "../Operations.ts"
import answers from "./Answers.json" with { type: "json" }
import { type ExampleRequest, requests } from "./Requests.ts"

/** The recorded answers of operations, of refusals and of events, by name. */
export const recorded: Readonly<Record<string, JsonValue>> = answers

const requestId = "01KJQ3T5D8Y4W2000000000001"

const wire = (code: string, message: string) => ({ error: { code, message, requestId } })
const legacy = (status: number, message: string, field: string | null = null) => ({ status, message, field })
const oauth = (error: string, description: string) => ({ error, error_description: description })

const busy = "The service is busy. Try again in 5 seconds."
const tooMany = "Rate limit exceeded. Try again in 17 seconds."

/** Answers that no caller can cause at will, or that differ at each recording. */
const unrecorded: Readonly<Record<string, JsonValue>> = {
  PRECONDITION_FAILED: wire(
    "PRECONDITION_FAILED",
    'The resource was changed: its ETag is "4-mk1s2f3g". Read the resource again before you change it.'
  ),
  TOO_MANY_REQUESTS: wire("TOO_MANY_REQUESTS", tooMany),
  INTERNAL: wire("INTERNAL", "Internal error."),
  UNAVAILABLE: wire("UNAVAILABLE", busy),
  LegacyError403: legacy(403, "The account is not verified.", "authorization"),
  LegacyError413: legacy(413, "The body is larger than 1048576 bytes."),
  LegacyError415: legacy(415, "The Content-Type must be application/json."),
  LegacyError429: legacy(429, tooMany),
  LegacyError500: legacy(500, "Internal error."),
  LegacyError503: legacy(503, busy),
  oauth_invalid_request: oauth("invalid_request", "The body is not valid."),
  oauth_temporarily_unavailable: oauth("temporarily_unavailable", busy),
  oauth_server_error: oauth("server_error", "Internal error.")
}

const errors: Readonly<Record<string, JsonValue>> = { ...recorded, ...unrecorded }

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
    const own = recorded[operation]
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

const withBody = (operation: JsonObject, example: JsonObject | undefined): JsonObject => {
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
    const { body, path } = requests[name] ?? {}
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
    return withBody(withParameters({ ...operation, responses }, path), body)
  })
}
