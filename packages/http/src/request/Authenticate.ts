import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import * as LoginCookies from "../login/LoginCookies.ts"
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

/** Provides the caller, or answers 401. The edge counts each 401 by address. */
export const make = Effect.map(
  Authentication,
  (authentication): Step =>
    () =>
    (call) => {
      const tenant = call.service(CurrentTenant)
      const { headers } = call.request
      const { authorization } = headers
      // The cookie is used only without `Authorization`. An invalid bearer token never falls back to the cookie.
      const found =
        authorization === undefined && isConsoleCall(call.request)
          ? authentication.authenticateSessionAt(
              tenant,
              Redacted.value(LoginCookies.read(call.request, "session")),
              call.now
            )
          : authentication.authenticateAt(tenant, bearerOf(authorization ?? ""), call.now)
      return Effect.mapBothEager(found, {
        onFailure: () => withoutBearer,
        onSuccess: (caller) => call.continueAs(caller, withoutBearer)
      })
    }
)
