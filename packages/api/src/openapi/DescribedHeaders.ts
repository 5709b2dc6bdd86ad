import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import { mapEntries, mapOperations, withComponents } from "./Operations.ts"

const integer = { type: "integer", minimum: 0 }
const text = { type: "string" }

/** The response headers (§4.2, 7 and 8). */
const headers = {
  "X-Request-Id": {
    description: "Id of this request, assigned by the server: a ULID.",
    required: true,
    schema: { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" }
  },
  "X-Client-Request-Id": {
    description: "The X-Request-Id of the request, if it is a UUID or a ULID.",
    schema: text
  },
  "X-RateLimit-Limit": {
    description:
      "Number of calls allowed per time window. Each call counts for its caller and for the organization; the headers describe the limit with fewer calls left.",
    required: true,
    schema: integer
  },
  "X-RateLimit-Remaining": {
    description: "Number of calls left in the current time window.",
    required: true,
    schema: integer
  },
  "X-RateLimit-Reset": { description: "Seconds until the limit resets.", required: true, schema: integer },
  "Retry-After": { description: "Seconds to wait before a retry.", required: true, schema: integer },
  "WWW-Authenticate": { description: "How to authenticate (RFC 9110, section 11.6.1).", required: true, schema: text },
  ETag: {
    description:
      "Entity tag of the resource, for If-Match. Changes with every change of the resource. " +
      "Absent if the answer includes other resources.",
    schema: text
  },
  Location: { description: "Path of the created resource, from the root.", required: true, schema: text }
} as const

type Name = keyof typeof headers

const rateLimit: ReadonlyArray<Name> = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]

const always = (name: Name): readonly [Name, JsonObject] => [name, { $ref: `#/components/headers/${name}` }]

const sometimes = (name: Name, when: string): readonly [Name, JsonObject] => {
  const { description, schema } = headers[name]
  return [name, { description: `${description} ${when}`, schema }]
}

/** The token endpoint sends a challenge only to clients that used Basic (§7.2). */
const challenge = (isGuarded: boolean) =>
  isGuarded
    ? always("WWW-Authenticate")
    : sometimes("WWW-Authenticate", "Present only if the client used Basic authentication.")

const tagged: ReadonlyArray<string> = ["200", "201", "304"]

const headersAt = (status: string, isGuarded: boolean, isCreated: boolean, isTagged: boolean): JsonObject =>
  Object.fromEntries([
    always("X-Request-Id"),
    always("X-Client-Request-Id"),
    ...rateLimit.map(always),
    ...(status === "401" ? [challenge(isGuarded)] : []),
    ...(status === "429" || status === "503" ? [always("Retry-After")] : []),
    ...(isTagged && tagged.includes(status) ? [always("ETag")] : []),
    ...(isCreated ? [always("Location")] : [])
  ])

const isGuarded = ({ security }: JsonObject): boolean => Array.isArray(security) && security.length > 0

/** Adds the headers of each response. */
export const describeHeaders = (endpoints: ReadonlyArray<Endpoint>) => {
  const tagging = new Set(endpoints.flatMap(({ name, tags }) => (tags.isShown ? [name] : [])))
  return (document: JsonObject): JsonObject =>
    withComponents(
      mapOperations(document, (operation) => {
        const isTagged = tagging.has(String(operation["operationId"]))
        return {
          ...operation,
          responses: mapEntries(operation["responses"], (response, status) => ({
            ...response,
            headers: headersAt(status, isGuarded(operation), isObject(response["headers"]), isTagged)
          }))
        }
      }),
      "headers",
      headers
    )
}
