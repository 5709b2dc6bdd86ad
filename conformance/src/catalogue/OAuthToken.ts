import { may, must, should } from "./Rule.ts"

/** OAU: the OAuth token endpoint. */
export const oauthToken = [
  must("OAU-01", "§4.2").byAnswers("A form with `grant_type=client_credentials`, the client id and the secret is 200."),
  must("OAU-02", "§4.2").byAnswers(
    "The form is also 200 if a Basic header has the client id and secret, and the form does not."
  ),
  must("OAU-03", "§2.2").byAnswers("The `access_token` is a JWT: three parts separated by dots."),
  must("OAU-04", "§2.2").byAnswers("The `token_type` is `Bearer`."),
  must("OAU-05", "§2.2").byAnswers(
    "`expires_in` is a positive integer of seconds. The API accepts the token for that time."
  ),
  should("OAU-06", "§2.2 §8").byAnswers("`expires_in` is 3600, or the lifetime that the profile declares."),
  must("OAU-07", "§4.2").byAnswers(
    "Client credentials in the body override a Basic header: valid ones in the body are 200 beside an invalid header."
  ),
  must("OAU-08", "§4.2").byPair(
    "Client credentials in the body override a Basic header: invalid ones in the body are 401 beside a valid header."
  ),
  must("OAU-09", "§7.2").byPair(
    "A request with valid client credentials and no `grant_type` is 400 `unsupported_grant_type`."
  ),
  must("OAU-10", "§5.2 §7.2").byPair(
    "Any other `grant_type` (`password`, `authorization_code`, `refresh_token`) with valid client credentials is " +
      "400 `unsupported_grant_type`."
  ),
  must("OAU-11", "§7.2").byPair("An unknown client id is 401 `invalid_client`."),
  must("OAU-12", "§7.2").byPair("A known client id with a wrong secret is 401 `invalid_client`."),
  must("OAU-13", "§7.2").byPair("A revoked client is 401 `invalid_client`."),
  must("OAU-14", "§7.2").byAnswers(
    'The response to failed Basic authentication has `WWW-Authenticate: Basic realm="service-oauth"`.'
  ),
  must("OAU-15", "§7.2").byEveryExchange(
    "Errors of the token endpoint have the strings `error` and `error_description` and are not in the envelope."
  ),
  must("OAU-16", "§5.2").byAnswers("No response of the token endpoint contains a refresh token."),
  must("OAU-17", "§5.2").byAnswers("Every client id starts with the name of the service and `_oauth_`."),
  must("OAU-18", "§5.2", "newer").byAnswers(
    "OAuth clients have no scopes. Tokens of all clients act as one account that has every privilege."
  ),
  should("OAU-19", "§5.2").byAnswers(
    "A client renews a token by requesting another. The new token works, and the earlier one works until it expires."
  ),
  should("OAU-20", "§4.2").byPair("The token endpoint rejects a JSON body with a 4xx in its own error shape."),
  must("OAU-21", "§5.2").elsewhere(
    "client library",
    "A client reads `expires_in` and renews a token by requesting a new one."
  ),
  may("OAU-22", "§4.2", "newer").byAnswers(
    "The paths `oauth/<provider>/…` set up integrations and authenticate no callers. The API answers 401 " +
      "to a bearer token that they returned."
  ),
  must("OAU-23", "§5.2", "newer").byAnswers(
    "The secret of an OAuth client is shown once, when the client is created. No later response shows it. A lost " +
      "secret requires a new client.",
    "console"
  ),
  should("OAU-24", "§5.2").byAnswers("A response that contains a token has `Cache-Control: no-store`.")
]
