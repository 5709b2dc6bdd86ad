import type { Caller } from "@wcs/domain/access/Caller"
import type { CurrentTenant } from "@wcs/domain/access/Tenant"
import { type HttpApiEndpoint, type HttpApiGroup, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { Unauthorized, wireErrors } from "./WireError.ts"

/** Resolves the tenant from the host (§1). Runs first. */
export class ResolveTenant extends HttpApiMiddleware.Service<ResolveTenant, { provides: CurrentTenant }>()(
  "@wcs/api/ResolveTenant"
) {}

/** Authenticates the caller by the bearer token (§5.2, item 1). Runs after `ResolveTenant`. */
export class Authenticate extends HttpApiMiddleware.Service<Authenticate, { provides: Caller }>()(
  "@wcs/api/Authenticate",
  { security: { bearer: HttpApiSecurity.bearer }, error: [Unauthorized, wireErrors.TOO_MANY_REQUESTS] }
) {}

/** Counts the call against the rate limit of its tier (§8). Runs after `Authenticate`. */
export class LimitRate extends HttpApiMiddleware.Service<LimitRate>()("@wcs/api/LimitRate", {
  error: wireErrors.TOO_MANY_REQUESTS
}) {}

/** Checks the privileges before the body is read and before any lookup (§5.2, item 7). */
export class Authorize extends HttpApiMiddleware.Service<Authorize>()("@wcs/api/Authorize", {
  error: wireErrors.FORBIDDEN
}) {}

/** Refuses query parameters that the endpoint's schema does not allow. Runs last. */
export class CheckParameters extends HttpApiMiddleware.Service<CheckParameters>()("@wcs/api/CheckParameters", {
  error: wireErrors.INVALID_ARGUMENT
}) {}

/** Adds the middleware of every authenticated call, in the order of execution from the last to the first. */
export const guarded = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints>
) =>
  group
    .middleware(CheckParameters)
    .middleware(Authorize)
    .middleware(LimitRate)
    .middleware(Authenticate)
    .middleware(ResolveTenant)
