import type { Caller } from "@wcs/domain/access/Caller"
import type { CurrentTenant } from "@wcs/domain/access/Tenant"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { type HttpApiEndpoint, type HttpApiGroup, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { ResponseHeaders } from "./ResponseHeaders.ts"
import { Unauthorized, wireErrors } from "./WireError.ts"

/** Provides the request id and the response headers. Runs first. */
export class Begin extends HttpApiMiddleware.Service<Begin, { provides: RequestId | ResponseHeaders }>()(
  "@wcs/api/Begin"
) {}

/** Resolves the tenant from the host (§1). Runs after `Begin`. */
export class ResolveTenant extends HttpApiMiddleware.Service<
  ResolveTenant,
  { provides: CurrentTenant; requires: RequestId }
>()("@wcs/api/ResolveTenant") {}

/** Authenticates the caller by the bearer token (§5.2, item 1). Runs after `ResolveTenant`. */
export class Authenticate extends HttpApiMiddleware.Service<
  Authenticate,
  { provides: Caller; requires: CurrentTenant | RequestId | ResponseHeaders }
>()("@wcs/api/Authenticate", {
  security: { bearer: HttpApiSecurity.bearer },
  error: [Unauthorized, wireErrors.TOO_MANY_REQUESTS]
}) {}

/** Counts the call against the rate limit of its tier (§8). Runs after `Authenticate`. */
export class LimitRate extends HttpApiMiddleware.Service<
  LimitRate,
  { requires: Caller | RequestId | ResponseHeaders }
>()("@wcs/api/LimitRate", { error: wireErrors.TOO_MANY_REQUESTS }) {}

/** Checks the privileges before the body is read and before any lookup (§5.2, item 7). */
export class Authorize extends HttpApiMiddleware.Service<Authorize, { requires: Caller | RequestId }>()(
  "@wcs/api/Authorize",
  { error: wireErrors.FORBIDDEN }
) {}

/** Answers refusals and invalid parameters in the error envelope. Runs last. */
export class AnswerRefusals extends HttpApiMiddleware.Service<AnswerRefusals, { requires: RequestId }>()(
  "@wcs/api/AnswerRefusals",
  { error: wireErrors.INVALID_ARGUMENT }
) {}

/** Adds the middleware of every authenticated call, in the order of execution from the last to the first. */
export const guarded = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints>
) =>
  group
    .middleware(AnswerRefusals)
    .middleware(Authorize)
    .middleware(LimitRate)
    .middleware(Authenticate)
    .middleware(ResolveTenant)
    .middleware(Begin)
