import type { StepUp } from "@wcs/domain/login/StepUp"
import { Context } from "effect"

/**
 * The step-up rule of an endpoint, as an annotation that `Authorize` reads. An endpoint without one takes sessions and
 * tokens of any age.
 */
export const StepUpOf = Context.Reference<StepUp | undefined>("@wcs/api/StepUp", { defaultValue: () => undefined })

/** For calls that mint or rotate secrets. */
export const freshSessionOrToken: StepUp = { takesTokens: true }

/** For calls that make or change logins: no token makes a login. */
export const freshSession: StepUp = { takesTokens: false }
