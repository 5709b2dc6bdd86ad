import { GuardOf } from "@wcs/api/Guard"
import * as Api from "@wcs/api/Middleware"
import { Caller } from "@wcs/domain/Caller"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { PrivilegeRules } from "@wcs/domain/Privilege"
import { RequestId } from "@wcs/domain/RequestId"
import { Context, Effect, Layer, Result } from "effect"
import { answerOf } from "./Refused.ts"

export const layer: Layer.Layer<Api.Authorize, never, PrivilegeRules | ErrorCodes> = Layer.effect(
  Api.Authorize,
  Effect.gen(function* () {
    const rules = yield* PrivilegeRules
    const codes = yield* ErrorCodes
    return (httpEffect, { endpoint, group }) => {
      const guard = Context.get(endpoint.annotations, GuardOf)
      // An endpoint that nobody thought to guard serves nobody.
      if (guard === undefined) return Effect.die(new Error(`${group.identifier}.${endpoint.identifier} has no guard`))
      return Effect.flatMap(Caller, ({ account, privileges }) => {
        const allowed = rules.authorize(account, privileges, guard.privileges)
        return Result.isSuccess(allowed)
          ? httpEffect
          : Effect.map(RequestId, (requestId) => answerOf(codes, allowed.failure, requestId))
      })
    }
  })
)
