import * as Api from "@wcs/api/LegacyMiddleware"
import { LegacyCallOf } from "@wcs/api/LegacyMiddleware"
import { ResponseHeaders, setQuota } from "@wcs/api/ResponseHeaders"
import { Unauthenticated } from "@wcs/domain/access/Authentication"
import { Caller } from "@wcs/domain/access/Caller"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { authorize, type LegacyGuard, type LegacyScheme, legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import { LegacyAuthentication, LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Refusal } from "../refusal/RefusalText.ts"
import * as BasicCredentials from "../request/BasicCredentials.ts"
import { countCall } from "../request/LimitRate.ts"
import { Peers } from "../request/Peers.ts"
import { answerOn, legacyUnauthorized } from "../Surface.ts"

const bearerForm = /^bearer +(\S+) *$/i

const make = Effect.gen(function* () {
  const authentication = yield* LegacyAuthentication
  const limiter = yield* RateLimiter
  const codes = yield* ErrorCodes
  const peers = yield* Peers
  const rules = yield* PrivilegeRules

  /** Authenticates the caller by a scheme that the call accepts. */
  const authenticate = Effect.fnUntraced(function* (guard: LegacyGuard, tenantId: string, address: string) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { authorization } = headers
    const takes = (scheme: LegacyScheme) => guard.schemes.includes(scheme)
    const token = takes("Bearer") ? bearerForm.exec(authorization ?? "")?.[1] : undefined
    if (token !== undefined) return yield* authentication.bearer(tenantId, Redacted.make(token))
    const login = takes("Basic") ? BasicCredentials.read(authorization) : Option.none()
    if (Option.isNone(login)) return yield* new Unauthenticated()
    return yield* authentication.basic(tenantId, { ...login.value, address })
  })

  const refuse = (refusal: Refusal) =>
    Effect.map(RequestId, (requestId) => answerOn("legacy", codes, refusal, requestId))

  /** Runs authentication, rate limit and authorization before the call (DECISIONS.md#access). */
  return <E, R>(
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
  ) => {
    const call = Context.get(endpoint.annotations, LegacyCallOf)
    // An endpoint without a guard refuses every call.
    if (call === undefined) return Effect.die(new Error(`legacy.${endpoint.identifier} has no guard`))
    const guard: LegacyGuard = legacyCalls[call]
    return Effect.gen(function* () {
      const { address } = peers.of(yield* HttpServerRequest.HttpServerRequest)
      const { id: tenantId } = yield* CurrentTenant
      const found = yield* Effect.result(authenticate(guard, tenantId, address))
      if (Result.isFailure(found)) {
        if (found.failure._tag === "RateLimited") setQuota(yield* ResponseHeaders, found.failure.quota)
        return found.failure._tag === "Unauthenticated"
          ? legacyUnauthorized(guard.schemes) // the edge counts this response by address
          : yield* refuse(found.failure)
      }
      const { caller, user } = found.success
      const allowed = yield* Effect.result(
        Effect.andThen(
          Effect.provideService(countCall(limiter, "standard"), Caller, caller),
          Effect.fromResult(authorize(rules, guard, user, caller.account, caller.privileges))
        )
      )
      return Result.isFailure(allowed)
        ? yield* refuse(allowed.failure)
        : yield* Effect.provideService(httpEffect, LegacyCaller, found.success)
    })
  }
})

/** The middleware of the legacy surface. */
export const layer = Layer.mergeAll(
  Layer.effect(
    Api.ByBasic,
    Effect.map(make, (gate) => ({ legacyBasic: gate }))
  ),
  Layer.effect(
    Api.ByBearer,
    Effect.map(make, (gate) => ({ legacyBearer: gate }))
  ),
  Layer.effect(
    Api.ByBasicOrBearer,
    // The first scheme handles both. The header shows which one was used.
    Effect.map(make, (gate) => ({ legacyBasic: gate, legacyBearer: gate }))
  )
)
