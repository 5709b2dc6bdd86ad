import { NewerSurface } from "@wcs/api/NewerSurface"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { type IssuedToken, TokenExchange } from "@wcs/domain/token/TokenExchange"
import { Effect, Option, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { setQuota } from "../pipeline/ResponseHeaders.ts"
import { headersOf } from "../refusal/Refused.ts"
import { countNameless } from "../request/LimitRate.ts"
import { mediaTypeOf, readText } from "../request/RequestBody.ts"
import { ownOrigin } from "../request/SameOrigin.ts"
import { tokenError } from "../Surface.ts"
import * as GrantForm from "./GrantForm.ts"

/** The maximum size of the form (DECISIONS.md#resources). */
const formLimitBytes = 16 * 1024

const formType = "application/x-www-form-urlencoded"

/** Reads the form. A body of another type counts as an empty form (DECISIONS.md#access). */
const readForm = (call: Call) =>
  mediaTypeOf(call.request.headers["content-type"]) === formType
    ? Effect.map(readText(call, formLimitBytes), (text) => new URLSearchParams(text))
    : Effect.succeed(new URLSearchParams())

const tokenAnswer = ({ accessToken, expiresInSeconds }: IssuedToken) =>
  HttpServerResponse.jsonUnsafe(
    { access_token: Redacted.value(accessToken), token_type: "Bearer", expires_in: expiresInSeconds },
    // RFC 6749, section 5.1; OAU-24.
    { headers: { "cache-control": "no-store", pragma: "no-cache" } }
  )

/** RFC 6749, section 5.2: the challenge is sent only if the client used Basic (§7.2; OAU-14). */
const invalidClient = (viaBasic: boolean) =>
  tokenError(
    401,
    "invalid_client",
    "client_id or client_secret is missing or wrong, or the client was revoked or has expired.",
    viaBasic ? { "www-authenticate": 'Basic realm="service-oauth"' } : {}
  )

const unsupportedGrantType = tokenError(
  400,
  "unsupported_grant_type",
  `grant_type must be client_credentials, in a body of Content-Type ${formType}.`
)

export const make = Effect.gen(function* () {
  const exchange = yield* TokenExchange
  const limiter = yield* RateLimiter

  /** Refuses an unreadable grant and counts the failure (RTL-08). */
  const unreadable = (call: Call, description: string, status = 400, headers: Readonly<Record<string, string>> = {}) =>
    Effect.as(countNameless(limiter, call), tokenError(status, "invalid_request", description, headers))

  const grant = (call: Call, form: URLSearchParams) => {
    const repeated = GrantForm.repeatedParameter(form)
    if (repeated !== undefined) return unreadable(call, `${repeated.slice(0, 100)} must not be repeated.`)
    const said = GrantForm.read(form, call.request.headers["authorization"])
    if (Option.isSome(said.client)) call.claimed = said.client.value.clientId
    const { id: tenantId } = call.service(CurrentTenant)
    return exchange.exchange({ tenantId, issuer: ownOrigin(call.request), address: call.address, ...said }).pipe(
      Effect.tap(({ quota }) => Effect.sync(() => setQuota(call.headers, quota))),
      Effect.tapError(({ quota }) => Effect.sync(() => setQuota(call.headers, quota))),
      Effect.map(tokenAnswer),
      Effect.catchTags({
        UnsupportedGrantType: () => Effect.succeed(unsupportedGrantType),
        InvalidClient: ({ viaBasic }) => Effect.succeed(invalidClient(viaBasic))
      })
    )
  }

  return handlersOf(NewerSurface, "oauth", {
    token: (call: Call) =>
      readForm(call).pipe(
        Effect.flatMap((form) => grant(call, form)),
        Effect.catchTags({
          PayloadTooLarge: (refusal) =>
            unreadable(call, `The form is larger than ${refusal.limitBytes} bytes.`, 413, headersOf(refusal)),
          MalformedBody: ({ reason }) => unreadable(call, `The form ${reason}.`)
        })
      )
  })
})
