import { Contract } from "@wcs/api/Contract"
import { newerRoot } from "@wcs/api/NewerSurface"
import { AccessTokens } from "@wcs/domain/access/AccessToken"
import { Tenancy } from "@wcs/domain/access/Tenancy"
import { Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { documentPaths } from "./DocumentPaths.ts"
import { route } from "./pipeline/Route.ts"
import { Unavailable } from "./refusal/HttpRefusal.ts"
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

/** The OpenAPI 3.1 document. It is public, generated at the first request, and cached. */
const openApi = Effect.map(
  Effect.cached(
    Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Contract), { headers: untilTheNextRelease }))
  ),
  (document) => route("GET", documentPaths.openApi, () => document)
)

/** The maximum number of parallel downloads of the reference page, which is large and public. */
const downloadsMax = 32

/** Size of each chunk. A client that stops reading keeps one chunk in memory, not the whole page. */
const pieceBytes = 64 * 1024

const inPieces = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.body._tag !== "Uint8Array") return response
  const { body: bytes, contentType } = response.body
  const starts = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) => index * pieceBytes)
  const pieces = Stream.rechunk(
    Stream.map(Stream.fromIterable(starts), (start) => bytes.subarray(start, start + pieceBytes)),
    1
  )
  return HttpServerResponse.stream(pieces, {
    status: response.status,
    contentType,
    contentLength: bytes.length,
    headers: untilTheNextRelease
  })
}

/** The reference page. It limits parallel downloads, and sends the page in chunks. */
const reference = Effect.gen(function* () {
  // The library has the page only as a router.
  const page = yield* HttpRouter.toHttpEffect(
    HttpApiScalar.layer(Contract, {
      path: documentPaths.reference,
      scalar: { withDefaultFonts: false, authentication: { preferredSecurityScheme: "bearer" } } // default fonts come from a third party
    })
  )
  let underWay = 0
  return route("GET", documentPaths.reference, () => {
    if (underWay >= downloadsMax) return Effect.fail(new Unavailable({ retryAfterSeconds: 5 }))
    underWay++
    // The scope of the request closes when the response is sent or the client disconnects.
    return Effect.addFinalizer(() =>
      Effect.sync(() => {
        underWay--
      })
    ).pipe(Effect.andThen(Effect.orDie(page)), Effect.map(inPieces))
  })
})

/** The documents outside both surfaces. They need no token. */
export const make = Effect.all([jwks, authorizationServer, openApi, reference])
