import type { CurrentTenant } from "@wcs/domain/access/Tenant"
import type { LegacyCall } from "@wcs/domain/legacy/LegacyAccess"
import type { LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { LegacyErrors } from "./LegacyError.ts"
import type { ResponseHeaders } from "./ResponseHeaders.ts"

/** The legacy call of an endpoint. Its access rule is in the domain's `LegacyAccess`. */
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

/** Authenticates by email and password, and authorizes the call. Runs after `ResolveTenant`. */
export class ByBasic extends HttpApiMiddleware.Service<ByBasic, Gate>()("@wcs/api/legacy/ByBasic", {
  security: { legacyBasic },
  error
}) {}

/** Authenticates by a legacy token, and authorizes the call. Runs after `ResolveTenant`. */
export class ByBearer extends HttpApiMiddleware.Service<ByBearer, Gate>()("@wcs/api/legacy/ByBearer", {
  security: { legacyBearer },
  error
}) {}

/** Authenticates by password or legacy token, and authorizes the call. Runs after `ResolveTenant`. */
export class ByBasicOrBearer extends HttpApiMiddleware.Service<ByBasicOrBearer, Gate>()(
  "@wcs/api/legacy/ByBasicOrBearer",
  { security: { legacyBasic, legacyBearer }, error }
) {}

/** Answers invalid parameters in the error shape of the legacy surface. Runs last. */
export class AnswerUnreadable extends HttpApiMiddleware.Service<AnswerUnreadable, { requires: RequestId }>()(
  "@wcs/api/legacy/AnswerUnreadable",
  { error: LegacyErrors[400] }
) {}
