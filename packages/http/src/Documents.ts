import { Contract } from "@wcs/api/Contract"
import { newerRoot } from "@wcs/api/NewerSurface"
import { AccessTokens } from "@wcs/domain/access/AccessToken"
import { Tenancy } from "@wcs/domain/access/Tenancy"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Context, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { Unavailable } from "./refusal/HttpRefusal.ts"
import { answerOf } from "./refusal/Refused.ts"
import { tenantOfRequest } from "./request/ResolveTenant.ts"
import { ownOrigin } from "./request/SameOrigin.ts"

/** The paths of the documents. They support only GET. */
export const documentPaths = {
  jwks: "/.well-known/jwks.json",
  authorizationServer: "/.well-known/oauth-authorization-server",
  openApi: "/openapi.json",
  reference: "/docs"
} as const

const untilTheNextRelease = { "cache-control": "public, max-age=3600" }

/** The public keys for the verification of access tokens (RFC 7517). */
const jwks = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const accessTokens = yield* AccessTokens
    yield* router.add(
      "GET",
      documentPaths.jwks,
      Effect.map(accessTokens.jwks, (keys) =>
        HttpServerResponse.jsonUnsafe({ keys }, { headers: { "cache-control": "public, max-age=300" } })
      )
    )
  })
)

/** The metadata of the token endpoint at the host of the tenant (RFC 8414). */
const authorizationServer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const codes = yield* ErrorCodes
    const tenantOf = tenantOfRequest(yield* Tenancy)
    yield* router.add(
      "GET",
      documentPaths.authorizationServer,
      Effect.gen(function* () {
        yield* tenantOf
        const issuer = ownOrigin(yield* HttpServerRequest.HttpServerRequest)
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
      }).pipe(Effect.catch((refusal) => Effect.map(RequestId, (requestId) => answerOf(codes, refusal, requestId))))
    )
  })
)

/** The OpenAPI 3.1 document. It is public, generated at the first request, and cached. */
const openApi = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const document = yield* Effect.cached(
      Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Contract), { headers: untilTheNextRelease }))
    )
    yield* router.add("GET", documentPaths.openApi, document)
  })
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

/** Middleware of the reference page: limits parallel downloads and sends the page in chunks. */
const paced = HttpRouter.middleware(
  Effect.gen(function* () {
    const codes = yield* ErrorCodes
    let underWay = 0
    return (httpEffect) =>
      Effect.gen(function* () {
        if (underWay >= downloadsMax) {
          const context = yield* Effect.context<never>() // provided by the edge
          return answerOf(codes, new Unavailable({ retryAfterSeconds: 5 }), Context.getUnsafe(context, RequestId))
        }
        underWay++
        // The scope of the request closes when the response is sent or the client disconnects.
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            underWay--
          })
        )
        return inPieces(yield* httpEffect)
      })
  })
)

const reference = HttpApiScalar.layer(Contract, {
  path: documentPaths.reference,
  scalar: { withDefaultFonts: false, authentication: { preferredSecurityScheme: "bearer" } } // default fonts come from a third party
}).pipe(Layer.provide(paced.layer))

/** The documents outside both surfaces. They need no token. */
export const layer = Layer.mergeAll(jwks, authorizationServer, openApi, reference)
