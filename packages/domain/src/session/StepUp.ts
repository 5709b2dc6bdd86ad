import { Data, Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Instant } from "../shared/Instant.ts"
import { isFresh } from "./Session.ts"

/** The bearer is not a browser session. No token creates or changes a login. */
export class NotASession extends Data.TaggedError("NotASession") {}

/** The last authentication is older than the step-up limit. The user must authenticate again. */
export class StepUpNeeded extends Data.TaggedError("StepUpNeeded") {}

/** The step-up rule of a call that creates or changes secrets or logins. */
export interface StepUp {
  /** Whether tokens may also make the call. A token cannot authenticate again. */
  readonly takesTokens: boolean
}

/** The bearers with a user's login. All others are tokens that the service issued, or passwords. */
const loginBearers: ReadonlyArray<Caller["Service"]["bearer"]["kind"]> = ["session", "external"]

/**
 * Checks a caller by the rule. A session needs a recent authentication (RFC 9470). An external provider's access token
 * never counts as recent. Otherwise secrets created with the token could outlive the limit of a session.
 */
export const check = (
  { takesTokens }: StepUp,
  { authenticatedAt, bearer }: Pick<Caller["Service"], "authenticatedAt" | "bearer">,
  now: Instant
): Result.Result<void, NotASession | StepUpNeeded> => {
  if (!loginBearers.includes(bearer.kind)) return takesTokens ? Result.void : Result.fail(new NotASession())
  return isFresh({ authenticatedAt: authenticatedAt ?? 0 }, now) ? Result.void : Result.fail(new StepUpNeeded())
}
