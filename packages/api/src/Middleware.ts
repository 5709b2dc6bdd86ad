import type { Caller } from "@wcs/domain/access/Caller"
import type { CurrentTenant } from "@wcs/domain/access/Tenant"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { ResponseHeaders } from "./ResponseHeaders.ts"
import { Unauthorized, wireErrors } from "./WireError.ts"

/** Hands on what the edge knows of the request. Runs first of these. */
export class Begin extends HttpApiMiddleware.Service<Begin, { provides: RequestId | ResponseHeaders }>()(
  "@wcs/api/Begin"
) {}

/** Tells whose surface is addressed, by the host (§1). Runs after `Begin`. */
export class ResolveTenant extends HttpApiMiddleware.Service<
  ResolveTenant,
  { provides: CurrentTenant; requires: RequestId }
>()("@wcs/api/ResolveTenant") {}

/** Tells who calls, by the bearer token (§5.2, item 1). Runs after `ResolveTenant`. */
export class Authenticate extends HttpApiMiddleware.Service<
  Authenticate,
  { provides: Caller; requires: CurrentTenant | RequestId | ResponseHeaders }
>()("@wcs/api/Authenticate", {
  security: { bearer: HttpApiSecurity.bearer },
  error: [Unauthorized, wireErrors.TOO_MANY_REQUESTS]
}) {}

/** Counts the call against the budget of its tier (§8). Runs after `Authenticate`, before `Authorize`. */
export class LimitRate extends HttpApiMiddleware.Service<
  LimitRate,
  { requires: Caller | RequestId | ResponseHeaders }
>()("@wcs/api/LimitRate", { error: wireErrors.TOO_MANY_REQUESTS }) {}

/** Asks for the endpoint's privileges, before the body is read or anything is looked up (§5.2, item 7). */
export class Authorize extends HttpApiMiddleware.Service<Authorize, { requires: Caller | RequestId }>()(
  "@wcs/api/Authorize",
  { error: wireErrors.FORBIDDEN }
) {}

/** Answers what the endpoint refuses, and parameters that cannot be read, in the envelope. Runs last. */
export class AnswerRefusals extends HttpApiMiddleware.Service<AnswerRefusals, { requires: RequestId }>()(
  "@wcs/api/AnswerRefusals",
  { error: wireErrors.INVALID_ARGUMENT }
) {}
