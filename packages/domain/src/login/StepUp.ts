import { Data, Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Instant } from "../shared/Instant.ts"
import { isFresh } from "./Session.ts"

/** The bearer is not the session of a person: no token makes or changes a login. */
export class NotASession extends Data.TaggedError("NotASession") {}

/** The person has to log in again: the last proof is older than the step-up limit. */
export class StepUpNeeded extends Data.TaggedError("StepUpNeeded") {}

/** The rule of a call that makes or changes secrets or logins. */
export interface StepUp {
  /** Whether tokens may make the call too. Nobody can ask a token to log in again. */
  readonly takesTokens: boolean
}

/** A person logged in for these bearers. All others are tokens that the service issued, or passwords. */
const loginBearers: ReadonlyArray<Caller["Service"]["bearer"]["kind"]> = ["session", "external"]

/**
 * Checks a caller against the rule. A session needs a recent proof of its person (RFC 9470). An access token of an
 * external identity provider proves an older login: otherwise its secrets would outlive the limit of a session.
 */
export const check = (
  { takesTokens }: StepUp,
  { authenticatedAt, bearer }: Pick<Caller["Service"], "authenticatedAt" | "bearer">,
  now: Instant
): Result.Result<void, NotASession | StepUpNeeded> => {
  if (!loginBearers.includes(bearer.kind)) return takesTokens ? Result.void : Result.fail(new NotASession())
  return isFresh({ authenticatedAt: authenticatedAt ?? 0 }, now) ? Result.void : Result.fail(new StepUpNeeded())
}
