import * as LoginResponse from "@wcs/saml/LoginResponse"
import type { ResponseReason, ResponseRefused } from "@wcs/saml/Refusal"
import type { Login } from "@wcs/saml/ResponseRules"
import { Clock, Effect, Result } from "effect"
import type { Post } from "./corpus/Hostile.ts"

export const clockAt = (now: number): Clock.Clock =>
  Object.assign(Object.create(Clock.Clock.defaultValue()), {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now)
  })

/** Checks a post at the post's own time. */
export const check = ({ connection, now, pending, relayState, samlResponse }: Post) =>
  Effect.runSync(
    LoginResponse.check(connection, pending, { samlResponse, relayState }).pipe(
      Effect.result,
      Effect.provideService(Clock.Clock, clockAt(now))
    )
  )

/** The reason for a refusal, or `accepted`. */
export const outcomeOf = (result: Result.Result<Login, ResponseRefused>): ResponseReason["_tag"] | "accepted" =>
  Result.isFailure(result) ? result.failure.reason._tag : "accepted"
