import { endpointsOf } from "@wcs/api/Endpoints"
import type { Guard } from "@wcs/api/Guard"
import { NewerSurface } from "@wcs/api/NewerSurface"
import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { Caller } from "@wcs/domain/access/Caller"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { Tenancy } from "@wcs/domain/access/Tenancy"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Ban } from "@wcs/domain/credential/Bans"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { InvalidArgument, InvalidUrn } from "@wcs/domain/shared/InvalidArgument"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"
import { documentPaths } from "../Documents.ts"
import { MethodNotAllowed, UnknownPath as UnknownPathRefusal } from "../refusal/HttpRefusal.ts"
import { answerOn, type Surface, surfaceOf } from "../Surface.ts"
import { BearerGate } from "./Authenticate.ts"
import { countCall, countNameless } from "./LimitRate.ts"
import { pathOf } from "./PathMatching.ts"
import { Peers } from "./Peers.ts"
import { tenantOfRequest } from "./ResolveTenant.ts"

/** A known route. */
interface Known {
  readonly form: RegExp
  readonly methods: ReadonlyArray<string>
  readonly guard: Guard | undefined
}

const known = (method: string, path: string, guard: Guard | undefined): Known => ({
  form: new RegExp(`^${path.replaceAll(/:[^/]+/g, "[^/]+")}/?$`),
  methods: [method, ...(method === "GET" ? ["HEAD"] : [])],
  guard
})

const everythingKnown: ReadonlyArray<Known> = [
  ...endpointsOf(NewerSurface).map(({ guard, method, path }) => known(method, path, guard)),
  ...Object.values(documentPaths).map((path) => known("GET", path, undefined)),
  { form: /^\/console(?:\/(?!assets\/)|$)/, methods: ["GET", "HEAD"], guard: undefined }
]

const knownAt = (path: string): ReadonlyArray<Known> => everythingKnown.filter(({ form }) => form.test(path))

/** Returns the methods that a path supports. Empty if the path does not exist. */
export const allowedMethods = (path: string): ReadonlyArray<string> => [
  ...new Set(knownAt(path).flatMap(({ methods }) => methods))
]

/** Returns the route that matched but was not reached, because the id in the path is unreadable. */
const unreached = (method: string, path: string): Known | undefined =>
  knownAt(path).find(({ methods }) => methods.includes(method))

const bearerToken = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer)

/** Answers requests that match no route. */
export class UnknownPath extends Context.Service<
  UnknownPath,
  {
    /**
     * Answers 404, or 405 if the path supports other methods. On the newer surface this needs authentication and counts
     * as a call, so these responses also have the three headers (RTL-01).
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
  const tenantOf = tenantOfRequest(yield* Tenancy)
  const peers = yield* Peers
  const rules = yield* PrivilegeRules

  const refusal = (method: string, path: string) => {
    const allowed = allowedMethods(path)
    if (allowed.length === 0) return new UnknownPathRefusal()
    const known = unreached(method, path)
    if (known === undefined) return new MethodNotAllowed({ allowed })
    // The id is too long or has an invalid %-escape. Only the ids of bans are URNs.
    return known.guard?.privileges.some(({ entityType }) => entityType === Ban.type)
      ? new InvalidUrn({ field: "id" })
      : new InvalidArgument({ field: "id", reason: "is too long or has an invalid escape in the path" })
  }

  const plainly = (surface: Surface, path: string) =>
    Effect.gen(function* () {
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return answerOn(surface, codes, refusal(method, path), yield* RequestId)
    })

  /** Counts and authorizes the request like the matching call (PRV-07, PRV-08). */
  const asAnyCall = (path: string) =>
    Effect.gen(function* () {
      const { method } = yield* HttpServerRequest.HttpServerRequest
      const guard = unreached(method, path)?.guard
      yield* countCall(limiter, guard?.tier ?? "standard")
      const { account, privileges } = yield* Caller
      yield* Effect.fromResult(rules.authorize(account, privileges, guard?.privileges ?? []))
      return yield* plainly("newer", path)
    })

  const authenticated = (path: string) =>
    Effect.gen(function* () {
      const tenant = yield* tenantOf
      const token = yield* Effect.provideService(bearerToken, HttpServerRequest.ParsedSearchParams, {})
      return yield* Effect.provideService(gate.pass(token, asAnyCall(path)), CurrentTenant, tenant)
    }).pipe(Effect.catch((error) => Effect.map(RequestId, (requestId) => answerOn("newer", codes, error, requestId))))

  /** Callers of the token endpoint have no token yet, so failures count by address. */
  const atTokenEndpoint = (path: string) =>
    Effect.gen(function* () {
      yield* tenantOf
      const { address } = peers.of(yield* HttpServerRequest.HttpServerRequest)
      yield* countNameless(limiter, address)
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

export const layer: Layer.Layer<
  UnknownPath,
  never,
  ErrorCodes | BearerGate | RateLimiter | Tenancy | Peers | PrivilegeRules
> = Layer.effect(UnknownPath, make)
