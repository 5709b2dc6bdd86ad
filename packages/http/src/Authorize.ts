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
      return Effect.gen(function* () {
        const { account, privileges } = yield* Caller
        const allowed = rules.authorize(account, privileges, guard.privileges)
        if (Result.isFailure(allowed)) return answerOf(codes, allowed.failure, yield* RequestId)
        return yield* httpEffect
      })
    }
  })
)
