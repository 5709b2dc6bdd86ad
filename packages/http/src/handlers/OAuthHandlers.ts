import { NewerSurface } from "@wcs/api/NewerSurface"
import { ResponseHeaders, setQuota } from "@wcs/api/ResponseHeaders"
import { type RateLimited, RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { type IssuedToken, TokenExchange } from "@wcs/domain/access/TokenExchange"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Cause, Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Unavailable } from "../refusal/HttpRefusal.ts"
import { headersOf } from "../refusal/RefusalText.ts"
import { countNameless } from "../request/LimitRate.ts"
import { Peers } from "../request/Peers.ts"
import { mediaTypeOf, readText } from "../request/RequestBody.ts"
import { answerOn, failureOn, tokenError } from "../Surface.ts"
import * as GrantForm from "./GrantForm.ts"

/** The maximum size of the form (DECISIONS.md#resources). */
const formLimitBytes = 16 * 1024

const formType = "application/x-www-form-urlencoded"

/** Reads the form. A body of another type counts as an empty form (DECISIONS.md#access). */
const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (mediaTypeOf(request.headers["content-type"]) !== formType) return new URLSearchParams()
  return new URLSearchParams(yield* readText(request, formLimitBytes))
})

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

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "oauth",
  Effect.fn(function* (handlers) {
    const exchange = yield* TokenExchange
    const peers = yield* Peers
    const limiter = yield* RateLimiter
    const codes = yield* ErrorCodes

    const refuse = (refusal: RateLimited | Unavailable) =>
      Effect.map(RequestId, (requestId) => answerOn("token", codes, refusal, requestId))

    /** Refuses an unreadable grant and counts the failure (RTL-08). */
    const unreadable = Effect.fnUntraced(function* (
      description: string,
      status = 400,
      headers: Readonly<Record<string, string>> = {}
    ) {
      const { address } = peers.of(yield* HttpServerRequest.HttpServerRequest)
      const answer = tokenError(status, "invalid_request", description, headers)
      return yield* countNameless(limiter, address).pipe(Effect.as(answer), Effect.catchTag("RateLimited", refuse))
    })

    const grant = Effect.fnUntraced(function* (form: URLSearchParams) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const headers = yield* ResponseHeaders
      const tenant = yield* CurrentTenant
      const repeated = GrantForm.repeatedParameter(form)
      if (repeated !== undefined) {
        return yield* unreadable(`${repeated.slice(0, 100)} must not be repeated.`)
      }
      const said = GrantForm.read(form, request.headers["authorization"])
      return yield* exchange.exchange({ tenantId: tenant.id, address: peers.of(request).address, ...said }).pipe(
        Effect.tap(({ quota }) => Effect.sync(() => setQuota(headers, quota))),
        Effect.tapError(({ quota }) => Effect.sync(() => setQuota(headers, quota))),
        Effect.map(tokenAnswer),
        Effect.catchTags({
          UnsupportedGrantType: () => Effect.succeed(unsupportedGrantType),
          InvalidClient: ({ viaBasic }) => Effect.succeed(invalidClient(viaBasic)),
          RateLimited: refuse
        })
      )
    })

    const token = readForm.pipe(
      Effect.flatMap(grant),
      Effect.catchTags({
        PayloadTooLarge: (refusal) =>
          unreadable(`The form is larger than ${refusal.limitBytes} bytes.`, 413, headersOf(refusal)),
        MalformedBody: ({ reason }) => unreadable(`The form ${reason}.`),
        Unavailable: refuse
      }),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logError("the token endpoint failed", cause).pipe(
              Effect.andThen(RequestId),
              Effect.map((requestId) => failureOn("token", requestId))
            )
      )
    )
    return handlers.handleRaw("token", () => token)
  })
)
