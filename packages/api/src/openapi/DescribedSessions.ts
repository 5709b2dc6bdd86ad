import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const scheme = {
  type: "apiKey",
  in: "cookie",
  name: "__Host-wcs",
  description:
    "The session cookie of a login at /login. At another port than 443, the name ends with the port: `__Host-wcs-8443`. It is accepted only without an Authorization header, with the header " +
    "`X-WCS-Console: 1`, and from the origin of the service."
}

/** Adds the session cookie to operations with a bearer token. Some accept only the cookie. */
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
