import { Contract } from "@wcs/api/Contract"
import { newerRoot } from "@wcs/api/NewerSurface"
import { AccessTokens } from "@wcs/domain/access/AccessToken"
import { hostName, isHostName } from "@wcs/domain/access/Tenant"
import { Tenancy } from "@wcs/domain/token/Tenancy"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { documentPaths } from "./DocumentPaths.ts"
import type { Call } from "./pipeline/Call.ts"
import { route } from "./pipeline/Route.ts"
import * as ReferencePage from "./ReferencePage.ts"
import { tenantOfCall } from "./request/ResolveTenant.ts"
import { ownOrigin } from "./request/SameOrigin.ts"

const untilTheNextRelease = { "cache-control": "public, max-age=3600" }

/** The public keys for the verification of access tokens (RFC 7517). */
const jwks = Effect.map(AccessTokens, (accessTokens) =>
  route("GET", documentPaths.jwks, () =>
    Effect.map(accessTokens.jwks, (keys) =>
      HttpServerResponse.jsonUnsafe({ keys }, { headers: { "cache-control": "public, max-age=300" } })
    )
  )
)

/** The metadata of the token endpoint at the host of the tenant (RFC 8414). */
const authorizationServer = Effect.map(Tenancy, (tenancy) => {
  const tenantOf = tenantOfCall(tenancy)
  return route("GET", documentPaths.authorizationServer, (call) =>
    Effect.map(tenantOf(call), () => {
      const issuer = ownOrigin(call.request)
      const metadata = {
        issuer,
        token_endpoint: `${issuer}${newerRoot}/oauth/token`,
        jwks_uri: `${issuer}${documentPaths.jwks}`,
        grant_types_supported: ["client_credentials"],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        service_documentation: `${issuer}${documentPaths.reference}`
      }
      return HttpServerResponse.jsonUnsafe(metadata, { headers: untilTheNextRelease })
    })
  )
})

/** Returns the document with the URLs of the server and the token endpoint on the host of the call. */
const at = (document: string, { request }: Call): string => {
  const isHost = isHostName(hostName(request.headers["host"] ?? ""))
  const inUrl = isHost ? ownOrigin(request) : "" // without a usable host, the URLs stay relative
  return document
    .replace('"url":"/"', () => `"url":"${isHost ? inUrl : "/"}"`)
    .replace('"tokenUrl":"/', () => `"tokenUrl":"${inUrl}/`)
}

/** The OpenAPI 3.1 document. It is public, and generated at the first request. */
const openApi = Effect.map(Effect.cached(Effect.sync(() => JSON.stringify(OpenApi.fromApi(Contract)))), (document) =>
  route("GET", documentPaths.openApi, (call) =>
    Effect.map(document, (text) =>
      HttpServerResponse.text(at(text, call), { contentType: "application/json", headers: untilTheNextRelease })
    )
  )
)

/** The documents outside both surfaces. They need no token. */
export const make = Effect.all([jwks, authorizationServer, openApi, ReferencePage.make])
