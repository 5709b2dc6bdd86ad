import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import * as LoginCookies from "../login/LoginCookies.ts"
import type { Call } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"
import { isConsoleCall } from "./SameOrigin.ts"

/** The 401: a message without a code (§7.1; DECISIONS.md#resources). */
export const unauthorized = (challenge: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { message: "Unauthorized to perform this action" },
    { status: 401, headers: { "www-authenticate": challenge } }
  )

/** The 401 of a call without a valid bearer. */
export const withoutBearer = unauthorized('Bearer realm="wcs"')

/** RFC 9110, section 11.4: the scheme ignores case and ends with spaces. */
const bearerForm = /^bearer +([^ ].*)$/i

/** The bearer token. It leaves the call only as a hash or redacted. */
const bearerOf = (authorization: string): string => bearerForm.exec(authorization)?.[1] ?? ""

/** Returns the caller of a call at a time. */
export const callerOf = (authentication: Authentication["Service"], call: Call, now: Instant) => {
  const tenant = call.service(CurrentTenant)
  const { authorization } = call.request.headers
  // The cookie is used only without `Authorization`. An invalid bearer token never falls back to the cookie.
  return authorization === undefined && isConsoleCall(call.request)
    ? authentication.authenticateSessionAt(tenant, Redacted.value(LoginCookies.read(call.request, "session")), now)
    : authentication.authenticateAt(tenant, bearerOf(authorization ?? ""), now)
}

/** Provides the caller, or answers 401. The edge counts each 401 by address. */
export const make = Effect.map(
  Authentication,
  (authentication): Step =>
    () =>
    (call) =>
      Effect.mapBothEager(callerOf(authentication, call, call.now), {
        onFailure: () => withoutBearer,
        onSuccess: (caller) => call.continueAs(caller, withoutBearer)
      })
)
