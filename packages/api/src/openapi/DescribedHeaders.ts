import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { mapEntries, mapOperations, withComponents } from "./Operations.ts"

const integer = { type: "integer", minimum: 0 }
const text = { type: "string" }

/** What answers carry beside their bodies (§4.2, 7 and 8). */
const headers = {
  "X-Request-Id": {
    description: "The server's own id of this request, a ULID.",
    required: true,
    schema: { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" }
  },
  "X-Client-Request-Id": {
    description: "The X-Request-Id that was sent, where it was a UUID or a ULID.",
    schema: text
  },
  "X-RateLimit-Limit": {
    description: "How many calls there are in all, in each window of time.",
    required: true,
    schema: integer
  },
  "X-RateLimit-Remaining": { description: "How many of them are left.", required: true, schema: integer },
  "X-RateLimit-Reset": { description: "Seconds until there are all of them again.", required: true, schema: integer },
  "Retry-After": { description: "Seconds to wait before trying again.", required: true, schema: integer },
  "WWW-Authenticate": { description: "How to authenticate (RFC 9110, section 11.6.1).", required: true, schema: text },
  Location: { description: "The path of what was created, from the root.", required: true, schema: text }
} as const

type Name = keyof typeof headers

const rateLimit: ReadonlyArray<Name> = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]

const always = (name: Name): readonly [Name, JsonObject] => [name, { $ref: `#/components/headers/${name}` }]

const sometimes = (name: Name, when: string): readonly [Name, JsonObject] => {
  const { description, schema } = headers[name]
  return [name, { description: `${description} ${when}`, schema }]
}

/** The challenge of the token endpoint is for attempts by Basic alone (§7.2). */
const challenge = (isGuarded: boolean) =>
  isGuarded ? always("WWW-Authenticate") : sometimes("WWW-Authenticate", "Only where the client came by Basic.")

const headersAt = (status: string, isGuarded: boolean, isCreated: boolean): JsonObject =>
  Object.fromEntries([
    always("X-Request-Id"),
    always("X-Client-Request-Id"),
    ...rateLimit.map(always),
    ...(status === "401" ? [challenge(isGuarded)] : []),
    ...(status === "429" || status === "503" ? [always("Retry-After")] : []),
    ...(isCreated ? [always("Location")] : [])
  ])

const isGuarded = ({ security }: JsonObject): boolean => Array.isArray(security) && security.length > 0

/** An OpenAPI document whose every response names the headers that it carries. */
export const describeHeaders = (document: JsonObject): JsonObject =>
  withComponents(
    mapOperations(document, (operation) => ({
      ...operation,
      responses: mapEntries(operation["responses"], (response, status) => ({
        ...response,
        headers: headersAt(status, isGuarded(operation), isObject(response["headers"]))
      }))
    })),
    "headers",
    headers
  )
