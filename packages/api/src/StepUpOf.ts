import type { StepUp } from "@wcs/domain/session/StepUp"
import { Context } from "effect"

/** The step-up rule of an endpoint, read by `Authorize`. Without a rule, logins and tokens of any age are accepted. */
export const StepUpOf = Context.Reference<StepUp | undefined>("@wcs/api/StepUp", { defaultValue: () => undefined })

/** For calls that create or rotate secrets. */
export const freshSessionOrToken: StepUp = { takesTokens: true }

/** For calls that create or change logins. Tokens are refused. */
export const freshSession: StepUp = { takesTokens: false }
