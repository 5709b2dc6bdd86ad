import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Begin, ResolveTenant } from "../Middleware.ts"

/** The body of the token endpoint: form-encoded, the one place that takes it (§4.2). */
const GrantForm = Schema.Struct({
  grant_type: Schema.Literal("client_credentials"),
  client_id: Schema.optionalKey(Schema.String),
  client_secret: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OAuthGrant" })

/** The token response (§2.2). */
export const Token = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int.annotate({ description: "Seconds." })
}).annotate({ identifier: "OAuthToken" })

const oauthError = <const Code extends string>(code: Code, status: number) =>
  Schema.Struct({ error: Schema.Literal(code), error_description: Schema.String }).annotate({
    identifier: `oauth_${code}`,
    httpApiStatus: status
  })

/** The endpoint's own shape of error (§7.2; RFC 6749, section 5.2), never the envelope. */
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
    }).annotate(OpenApi.Summary, "Exchange a client's secret for an access token")
  )
  .middleware(ResolveTenant)
  .middleware(Begin) {}
