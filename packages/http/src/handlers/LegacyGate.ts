import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Unauthenticated } from "@wcs/domain/access/Unauthenticated"
import { authorize, type LegacyGuard, type LegacyScheme, legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import { LegacyAuthentication, LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import { Effect, Option, Redacted } from "effect"
import type { Call, Ending } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"
import { setQuota } from "../pipeline/ResponseHeaders.ts"
import * as BasicCredentials from "../request/BasicCredentials.ts"
import { countCall } from "../request/LimitRate.ts"
import { legacyUnauthorized } from "../Surface.ts"

const bearerForm = /^bearer +(\S+) *$/i

/** The step of the legacy surface: authentication, rate limit and authorization (DECISIONS.md#access). */
export const make = Effect.gen(function* () {
  const authentication = yield* LegacyAuthentication
  const limiter = yield* RateLimiter
  const rules = yield* PrivilegeRules

  /** Authenticates the caller by a scheme that the call accepts. */
  const authenticate = ({ schemes }: LegacyGuard, call: Call) => {
    const { authorization } = call.request.headers
    const takes = (scheme: LegacyScheme) => schemes.includes(scheme)
    const token = takes("Bearer") ? bearerForm.exec(authorization ?? "")?.[1] : undefined
    const tenant = call.service(CurrentTenant)
    if (token !== undefined) return authentication.bearer(tenant, Redacted.make(token))
    const login = takes("Basic") ? BasicCredentials.read(authorization) : Option.none()
    if (Option.isSome(login)) call.claimed = login.value.username
    return Option.isNone(login)
      ? Effect.fail(new Unauthenticated())
      : authentication.basic(tenant, { ...login.value, address: call.address })
  }

  const step: Step = ({ legacyCall }) => {
    if (legacyCall === undefined) throw new Error("an endpoint of the legacy surface has no access rule")
    const guard: LegacyGuard = legacyCalls[legacyCall]
    return (call) =>
      Effect.gen(function* () {
        const found = yield* Effect.mapError(authenticate(guard, call), (refusal): Ending => {
          if (refusal._tag === "RateLimited") setQuota(call.headers, refusal.quota)
          // The edge counts this response by address.
          return refusal._tag === "Unauthenticated" ? legacyUnauthorized(guard.schemes) : refusal
        })
        const { caller, user } = found
        call.continueAs(caller, legacyUnauthorized(guard.schemes))
        yield* countCall(limiter, "standard", call, caller)
        yield* Effect.fromResult(authorize(rules, guard, user, caller.account, caller.privileges))
        call.needs = guard.privileges
        call.provide(LegacyCaller, found)
      })
  }
  return step
})
