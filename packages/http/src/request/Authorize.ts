import { GuardOf } from "@wcs/api/Guard"
import * as Api from "@wcs/api/Middleware"
import { StepUpOf } from "@wcs/api/StepUpOf"
import { Caller } from "@wcs/domain/access/Caller"
import { type Forbidden, PrivilegeRules } from "@wcs/domain/access/Privilege"
import * as StepUp from "@wcs/domain/login/StepUp"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { stepUpChallenge } from "../login/LoginProblem.ts"
import { answerOf } from "../refusal/Refused.ts"
import { unauthorized } from "./Authenticate.ts"

export const layer: Layer.Layer<Api.Authorize, never, PrivilegeRules | ErrorCodes> = Layer.effect(
  Api.Authorize,
  Effect.gen(function* () {
    const rules = yield* PrivilegeRules
    const codes = yield* ErrorCodes

    const refuse = (refusal: Forbidden | StepUp.NotASession) =>
      Effect.map(RequestId, (requestId) => answerOf(codes, refusal, requestId))

    /** Returns the response if the login does not satisfy the step-up rule. */
    const stepUpAnswer = Effect.fnUntraced(function* (rule: StepUp.StepUp, caller: Caller["Service"]) {
      const checked = StepUp.check(rule, caller, yield* Clock.currentTimeMillis)
      if (Result.isSuccess(checked)) return undefined
      return checked.failure._tag === "StepUpNeeded" ? unauthorized(stepUpChallenge) : yield* refuse(checked.failure)
    })

    return (httpEffect, { endpoint, group }) => {
      const guard = Context.get(endpoint.annotations, GuardOf)
      // An endpoint without a guard refuses every call.
      if (guard === undefined) return Effect.die(new Error(`${group.identifier}.${endpoint.identifier} has no guard`))
      const stepUp = Context.get(endpoint.annotations, StepUpOf)
      return Effect.flatMap(Caller, (caller) => {
        const allowed = rules.authorize(caller.account, caller.privileges, guard.privileges)
        if (Result.isFailure(allowed)) return refuse(allowed.failure)
        if (stepUp === undefined) return httpEffect
        return Effect.flatMap(stepUpAnswer(stepUp, caller), (answer) =>
          answer === undefined ? httpEffect : Effect.succeed(answer)
        )
      })
    }
  })
)
