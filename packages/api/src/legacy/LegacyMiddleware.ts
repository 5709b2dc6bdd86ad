import type { LegacyCall } from "@wcs/domain/legacy/LegacyAccess"
import type { LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { LegacyErrors } from "./LegacyError.ts"

/** The legacy call of an endpoint. Its access rule is in the domain's `LegacyAccess`. */
export const LegacyCallOf = Context.Reference<LegacyCall | undefined>("@wcs/api/LegacyCall", {
  defaultValue: () => undefined
})

interface Gate {
  provides: LegacyCaller
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

/** Refuses query parameters that the endpoint's schema does not allow. Runs last. */
export class CheckLegacyParameters extends HttpApiMiddleware.Service<CheckLegacyParameters>()(
  "@wcs/api/legacy/CheckParameters",
  { error: LegacyErrors[400] }
) {}
