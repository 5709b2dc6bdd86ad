import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { newerRoot } from "../NewerSurface.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const scheme = {
  type: "oauth2",
  description: "An access token of the token endpoint, for an API client (RFC 6749, section 4.4). There are no scopes.",
  flows: { clientCredentials: { tokenUrl: `${newerRoot}/oauth/token`, scopes: {} } }
}

/** Adds the client credentials flow to operations with a bearer token. */
export const describeGrants = (document: JsonObject): JsonObject =>
  withComponents(
    mapOperations(document, (operation) => {
      const { security } = operation
      const alternatives = Array.isArray(security) ? security : []
      return alternatives.some((one) => isObject(one) && "bearer" in one)
        ? { ...operation, security: [...alternatives, { oauth2: [] }] }
        : operation
    }),
    "securitySchemes",
    { oauth2: scheme }
  )
