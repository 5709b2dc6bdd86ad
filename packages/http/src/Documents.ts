import { NewerSurface } from "@wcs/api/NewerSurface"
import { AccessTokens } from "@wcs/domain/AccessToken"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"

/** `/.well-known/jwks.json`: the public keys by which access tokens can be verified (RFC 7517). */
const jwks = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const accessTokens = yield* AccessTokens
    yield* router.add(
      "GET",
      "/.well-known/jwks.json",
      Effect.map(accessTokens.jwks, (keys) =>
        HttpServerResponse.jsonUnsafe({ keys }, { headers: { "cache-control": "public, max-age=300" } })
      )
    )
  })
)

/** `/openapi.json`: the contract (OpenAPI 3.1). */
const openApi = HttpRouter.add(
  "GET",
  "/openapi.json",
  Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(NewerSurface)))
)

/** What stands outside both surfaces: no tenant, no token (decisions, opening). */
export const layer = Layer.mergeAll(jwks, openApi, HttpApiScalar.layer(NewerSurface, { path: "/docs" }))
