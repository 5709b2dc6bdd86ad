import type { RateLimited } from "@wcs/domain/access/RateLimitTier"
import type { Unauthenticated } from "@wcs/domain/access/Unauthenticated"
import type { NoHalfLogin, SingleSignOnRequired } from "@wcs/domain/login/Login"
import type { AlreadyEnrolled, WrongCode } from "@wcs/domain/second-factor/SecondFactors"
import { textOf } from "@wcs/domain/service/Refusals"
import { stepUpLimitMillis } from "@wcs/domain/session/Session"
import type { NotASession, StepUpNeeded } from "@wcs/domain/session/StepUp"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import type { NoInvite } from "@wcs/domain/user/Invites"
import type { PasswordsBusy } from "@wcs/domain/user/Passwords"
import { HttpServerResponse } from "effect/http"
import { envelope, headersOf } from "../refusal/Refused.ts"

/** The refusals of a login, or of a change to the user's own login. */
export type LoginRefusal =
  | Unauthenticated
  | NoHalfLogin
  | NoInvite
  | SingleSignOnRequired
  | NotASession
  | StepUpNeeded
  | WrongCode
  | AlreadyEnrolled
  | InvalidArgument
  | PasswordsBusy
  | RateLimited

/** The response to a refusal, for pages and programs. */
export interface LoginProblem {
  readonly status: 400 | 401 | 404 | 422 | 429 | 503
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

/** The challenge for a more recent authentication (RFC 9470, section 3). */
export const stepUpChallenge = `Session error="insufficient_user_authentication", max_age=${stepUpLimitMillis / 1000}`

const unauthorized = (message: string, headers: LoginProblem["headers"] = {}): LoginProblem => ({
  status: 401,
  message,
  headers
})

export const problemOf = (refusal: LoginRefusal): LoginProblem => {
  switch (refusal._tag) {
    case "Unauthenticated":
      return unauthorized("The email or the password is wrong.")
    case "WrongCode":
      return unauthorized("The code is wrong or was used before. Wait for the next code.")
    case "NoInvite": {
      const message =
        "The link was used, has expired, or was replaced. Ask your administrator for a new link. " +
        "If you did not use the link yourself, say so: another person may have."
      return { status: 404, message, headers: {} }
    }
    case "SingleSignOnRequired":
      return unauthorized(`Log in through ${refusal.offer.name}.`)
    case "NoHalfLogin":
    case "NotASession":
      return unauthorized("Log in first.")
    case "StepUpNeeded":
      return unauthorized("Confirm your identity first: the last authentication is too old.", {
        "www-authenticate": stepUpChallenge
      })
    case "AlreadyEnrolled":
      return { status: 422, message: "This account already has an authenticator app.", headers: {} }
    case "InvalidArgument":
      return { status: 400, message: textOf(refusal), headers: {} }
    case "RateLimited":
      return { status: 429, message: textOf(refusal), headers: headersOf(refusal) }
    case "PasswordsBusy":
      return { status: 503, message: textOf(refusal), headers: headersOf(refusal) }
  }
}

const codes = {
  400: "INVALID_ARGUMENT",
  404: "NOT_FOUND",
  422: "UNPROCESSABLE",
  429: "TOO_MANY_REQUESTS",
  503: "UNAVAILABLE"
} as const

/** Builds the JSON response: the error envelope, except for 401, which has no code (§7.1). */
export const jsonOf = (
  { headers, message, status }: LoginProblem,
  requestId: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(
    status === 401
      ? HttpServerResponse.jsonUnsafe({ message }, { status })
      : envelope(status, { code: codes[status], message, requestId }),
    headers
  )
