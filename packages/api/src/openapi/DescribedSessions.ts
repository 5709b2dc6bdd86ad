import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const scheme = {
  type: "apiKey",
  in: "cookie",
  name: "__Host-wcs",
  description:
    "The session of a person who logged in at /login. It counts only without Authorization, with the header " +
    "`X-WCS-Console: 1`, and from the service's own origin."
}

/** An OpenAPI document whose operations with a bearer token take a session too, or a session only. */
export const describeSessions = (endpoints: ReadonlyArray<Endpoint>, document: JsonObject): JsonObject => {
  const known = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  const described = mapOperations(document, (operation) => {
    const endpoint = known.get(String(operation["operationId"]))
    const security = Array.isArray(operation["security"]) ? operation["security"] : []
    const takesBearer = security.some((one) => isObject(one) && "bearer" in one)
    if (!takesBearer) return operation
    const tokens = endpoint?.stepUp?.takesTokens === false ? [] : security
    return { ...operation, security: [...tokens, { session: [] }] }
  })
  return withComponents(described, "securitySchemes", { session: scheme })
}
