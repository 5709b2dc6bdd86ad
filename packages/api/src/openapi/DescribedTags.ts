import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const text = { type: "string" }

/** The headers of conditional requests (RFC 9110, section 13). */
const parameters = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "ETags, or `*`. The call changes the resource only if its present ETag is one of them, otherwise the answer is " +
      "412. Without this header the call overwrites changes that others made since you read the resource.",
    schema: text
  },
  ReadIfMatch: {
    name: "If-Match",
    in: "header",
    description: "ETags, or `*`. The answer is 412 unless the present ETag is one of them.",
    schema: text
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "ETags, or `*`. The answer is 304 without a body if the present ETag is one of them.",
    schema: text
  }
} as const

const withParameter = (operation: JsonObject, name: keyof typeof parameters): JsonObject => {
  const { parameters: present } = operation
  const added = { $ref: `#/components/parameters/${name}` }
  return { ...operation, parameters: [...(Array.isArray(present) ? present : []), added] }
}

const notModified = { "304": { description: "The resource still has this ETag. The answer has no body." } }

/** Adds the headers for conditional requests, and 304. */
export const describeTags =
  (endpoints: ReadonlyArray<Endpoint>) =>
  (document: JsonObject): JsonObject => {
    const known = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
    const described = mapOperations(document, (operation) => {
      const { method, tags } = known.get(String(operation["operationId"])) ?? {}
      if (tags?.isCompared === true) return withParameter(operation, "IfMatch")
      if (tags?.isShown !== true || method !== "GET") return operation
      const comparing = withParameter(operation, "ReadIfMatch")
      const { responses } = operation
      return tags.isWhole && isObject(responses)
        ? { ...withParameter(comparing, "IfNoneMatch"), responses: { ...responses, ...notModified } }
        : comparing
    })
    return withComponents(described, "parameters", parameters)
  }
