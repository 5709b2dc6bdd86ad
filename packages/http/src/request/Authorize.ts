import { Caller } from "@wcs/domain/access/Caller"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import * as StepUp from "@wcs/domain/session/StepUp"
import { Clock, Effect, Result } from "effect"
import { stepUpChallenge } from "../login/LoginProblem.ts"
import type { Ending } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"
import { unauthorized } from "./Authenticate.ts"

/** Fails if the login does not satisfy the step-up rule. */
const checkStepUp = (rule: StepUp.StepUp, caller: Caller["Service"]): Effect.Effect<void, Ending> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.mapError(Effect.fromResult(StepUp.check(rule, caller, now)), (refusal) =>
      refusal._tag === "StepUpNeeded" ? unauthorized(stepUpChallenge) : refusal
    )
  )

/** Refuses a caller without the privileges of the guard, or without the login that the endpoint requires. */
export const make = Effect.map(
  PrivilegeRules,
  (rules): Step =>
    ({ guard, stepUp }) => {
      if (guard === undefined) throw new Error("an endpoint without a guard cannot be authorized")
      return (call) => {
        const caller = call.service(Caller)
        const allowed = rules.authorize(caller.account, caller.privileges, guard.privileges)
        if (Result.isFailure(allowed)) return Effect.fail(allowed.failure)
        call.needs = guard.privileges
        return stepUp === undefined ? Effect.void : checkStepUp(stepUp, caller)
      }
    }
)
