import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ResolveTenant } from "../Middleware.ts"

/** The form-encoded body of the token endpoint (§4.2). No other endpoint accepts forms. */
const GrantForm = Schema.Struct({
  grant_type: Schema.Literal("client_credentials").annotate({
    description: "The only grant type (RFC 6749, section 4.4)."
  }),
  client_id: Schema.optionalKey(Schema.String).annotate({
    description: "Id of the API client, `wcs_oauth_…`. May be in the Basic header instead. The body wins."
  }),
  client_secret: Schema.optionalKey(Schema.String).annotate({
    description: "Secret of the API client, `wcs_secret_…`. May be in the Basic header instead. The body wins."
  })
}).annotate({ identifier: "OAuthGrant" })

/** The token response (§2.2). */
export const Token = Schema.Struct({
  access_token: Schema.String.annotate({
    description: "A JWT for the Authorization header. Keep it secret, and do not read its content."
  }),
  token_type: Schema.Literal("Bearer").annotate({ description: "The scheme of the Authorization header." }),
  expires_in: Schema.Int.annotate({
    description: "Lifetime of the token in seconds. There is no refresh token: request a new one before the end."
  })
}).annotate({ identifier: "OAuthToken" })

/** The codes of the token endpoint's errors, with their causes and the advice to the caller. */
export const oauthCodes = {
  unsupported_grant_type: {
    when: "`grant_type` is missing or wrong, or the body is not a form.",
    remedy: "Send `grant_type=client_credentials` with the `Content-Type` `application/x-www-form-urlencoded`."
  },
  invalid_request: {
    when: "The form is malformed, too large or repeats a parameter, or no tenant uses this host (404).",
    remedy: "Correct the form or the host."
  },
  invalid_client: {
    when: "The id or the secret is missing or wrong, or the client was revoked or has expired.",
    remedy: "Check both. If the secret is lost, create a new client."
  },
  temporarily_unavailable: {
    when: "The rate limit is used up (429), or the service is overloaded or its database unavailable (503).",
    remedy: "Wait for the seconds in `Retry-After`, then send the request again."
  },
  server_error: {
    when: "The service failed unexpectedly.",
    remedy: "Send the request again. Report the `X-Request-Id` if the error stays."
  }
} as const

const oauthError = <const Code extends keyof typeof oauthCodes>(code: Code, status: number) =>
  Schema.Struct({
    error: Schema.Literal(code).annotate({ description: "Cause of the error, for programs (RFC 6749, section 5.2)." }),
    error_description: Schema.String.annotate({ description: "Cause of the error, for people. The text may change." })
  }).annotate({
    identifier: `oauth_${code}`,
    description: `${oauthCodes[code].when} ${oauthCodes[code].remedy}`,
    httpApiStatus: status
  })

/** The errors of the token endpoint (§7.2; RFC 6749, section 5.2). It never uses the envelope. */
export const oauthErrors = [
  oauthError("unsupported_grant_type", 400),
  oauthError("invalid_request", 400),
  oauthError("invalid_client", 401),
  oauthError("invalid_request", 404),
  oauthError("invalid_request", 413),
  oauthError("temporarily_unavailable", 429),
  oauthError("server_error", 500),
  oauthError("temporarily_unavailable", 503)
] as const

/** `POST /oauth/token` (§4.2). */
export class OAuthApi extends HttpApiGroup.make("oauth")
  .add(
    HttpApiEndpoint.post("token", "/oauth/token", {
      payload: GrantForm.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: Token,
      error: oauthErrors
    }).annotate(OpenApi.Summary, "Exchange a client secret for an access token")
  )
  .middleware(ResolveTenant) {}
