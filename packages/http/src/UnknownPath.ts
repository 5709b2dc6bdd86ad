import { endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { InvalidArgument } from "@wcs/domain/InvalidArgument"
import { RateLimiter } from "@wcs/domain/RateLimitTier"
import { RequestId } from "@wcs/domain/RequestId"
import { Tenancy } from "@wcs/domain/Tenancy"
import { CurrentTenant } from "@wcs/domain/Tenant"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"
import { BearerGate } from "./Authenticate.ts"
import { MethodNotAllowed, UnknownPath as UnknownPathRefusal } from "./HttpRefusal.ts"
import { count, countCall } from "./LimitRate.ts"
import { pathOf } from "./PathMatching.ts"
import { Peers } from "./Peers.ts"
import { tenantOfRequest } from "./ResolveTenant.ts"
import { answerOn, type Surface, surfaceOf } from "./Surface.ts"

/** A path of the contract with methods that it takes. */
interface Known {
  readonly form: RegExp
  readonly methods: ReadonlyArray<string>
}

const knownPaths: ReadonlyArray<Known> = endpointsOf(NewerSurface).map(({ method, path }) => ({
  form: new RegExp(`^${path.replaceAll(/:[^/]+/g, "[^/]+")}/?$`),
  methods: [method, ...(method === "GET" ? ["HEAD"] : [])]
}))

/** The methods that a path takes; none where nothing is there. */
export const allowedMethods = (path: string): ReadonlyArray<string> => [
  ...new Set(knownPaths.filter(({ form }) => form.test(path)).flatMap(({ methods }) => methods))
]

const bearerToken = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer)

/** Answers what no route takes. */
export class UnknownPath extends Context.Service<
  UnknownPath,
  {
    /**
     * 404, or 405 where the path takes other methods. Below the newer surface only to whoever is authenticated, and
     * counted as any call, so that these answers too carry the three headers (RTL-01).
     */
    readonly answer: Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      never,
      HttpServerRequest.HttpServerRequest | RequestId | ResponseHeaders
    >
  }
>()("@wcs/http/UnknownPath") {}

export const make = Effect.gen(function* () {
  const codes = yield* ErrorCodes
  const gate = yield* BearerGate
  const limiter = yield* RateLimiter
  const tenancy = yield* Tenancy
  const peers = yield* Peers

  const refusal = (method: string, path: string) => {
    const allowed = allowedMethods(path)
    if (allowed.length === 0) return new UnknownPathRefusal()
    return allowed.includes(method)
      ? new InvalidArgument({ field: "id", reason: "cannot be read from the path" }) // too long, or a broken %-escape
      : new MethodNotAllowed({ allowed })
  }

  const plainly = (surface: Surface, path: string) =>
    Effect.gen(function* () {
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return answerOn(surface, codes, refusal(method, path), yield* RequestId)
    })

  const authenticated = (path: string) =>
    Effect.gen(function* () {
      const tenant = yield* Effect.provideService(tenantOfRequest, Tenancy, tenancy)
      const token = yield* Effect.provideService(bearerToken, HttpServerRequest.ParsedSearchParams, {})
      const counted = Effect.andThen(countCall(limiter, "standard"), plainly("newer", path))
      return yield* Effect.provideService(gate.pass(token, counted), CurrentTenant, tenant)
    }).pipe(Effect.catch((error) => Effect.map(RequestId, (requestId) => answerOn("newer", codes, error, requestId))))

  /** Whoever calls the token endpoint has no token yet: what is amiss there is counted by the peer's address. */
  const atTokenEndpoint = (path: string) =>
    Effect.gen(function* () {
      const { address } = peers.of(yield* HttpServerRequest.HttpServerRequest)
      yield* count(limiter, "tokenFailures", address)
      return yield* plainly("token", path)
    }).pipe(Effect.catch((error) => Effect.map(RequestId, (requestId) => answerOn("token", codes, error, requestId))))

  const answer = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(request.url)
    const surface = surfaceOf(path)
    switch (surface) {
      case "newer":
        return yield* authenticated(path)
      case "token":
        return yield* atTokenEndpoint(path)
      case "legacy":
      case "outside":
        return yield* plainly(surface, path)
    }
  })

  return UnknownPath.of({ answer })
})

export const layer: Layer.Layer<UnknownPath, never, ErrorCodes | BearerGate | RateLimiter | Tenancy | Peers> =
  Layer.effect(UnknownPath, make)
