import type { CurrentTenant } from "@wcs/domain/access/Tenant"
import type { LegacyCall } from "@wcs/domain/legacy/LegacyAccess"
import type { LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { LegacyErrors } from "./LegacyError.ts"
import type { ResponseHeaders } from "./ResponseHeaders.ts"

/** Which call of the legacy surface an endpoint is: what stands before it is a row of the domain's. */
export const LegacyCallOf = Context.Reference<LegacyCall | undefined>("@wcs/api/LegacyCall", {
  defaultValue: () => undefined
})

interface Gate {
  provides: LegacyCaller
  requires: CurrentTenant | RequestId | ResponseHeaders
}

const error = [LegacyErrors[401], LegacyErrors[403], LegacyErrors[429], LegacyErrors[503]] as const

const legacyBasic = HttpApiSecurity.basic
const legacyBearer = HttpApiSecurity.bearer

/** Tells who calls by email and password, and whether they may. Runs after `ResolveTenant`, as the others do. */
export class ByBasic extends HttpApiMiddleware.Service<ByBasic, Gate>()("@wcs/api/legacy/ByBasic", {
  security: { legacyBasic },
  error
}) {}

/** The same by a legacy token. */
export class ByBearer extends HttpApiMiddleware.Service<ByBearer, Gate>()("@wcs/api/legacy/ByBearer", {
  security: { legacyBearer },
  error
}) {}

/** The same by either. */
export class ByBasicOrBearer extends HttpApiMiddleware.Service<ByBasicOrBearer, Gate>()(
  "@wcs/api/legacy/ByBasicOrBearer",
  { security: { legacyBasic, legacyBearer }, error }
) {}

/** Answers parameters that cannot be read, in the surface's own shape. Runs last. */
export class AnswerUnreadable extends HttpApiMiddleware.Service<AnswerUnreadable, { requires: RequestId }>()(
  "@wcs/api/legacy/AnswerUnreadable",
  { error: LegacyErrors[400] }
) {}
