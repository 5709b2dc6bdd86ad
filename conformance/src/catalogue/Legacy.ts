import { may, must, observe, should } from "./Rule.ts"

/** LEG: the legacy surface. */
export const legacy = [
  must("LEG-01", "§2.1 §4.1").byAnswers(
    "`GET users/me` with Basic returns the user: integer `id`, `email`, `first_name`, `surname`, `organization`."
  ),
  must("LEG-02", "§2.1").byAnswers("With Basic, the user's `organization` has `id` and `name` and no other fields."),
  must("LEG-03", "§2.1").byAnswers("With Bearer, the user also has a boolean `is_verified`."),
  must("LEG-04", "§2.1").byAnswers(
    "With Bearer, the user's `organization` is complete: integer `id`, `name`, `abn`, boolean `is_active`."
  ),
  must("LEG-05", "§2.1 §4.1").byAnswers(
    "`POST users/{id}/token` with Basic and no body returns `token`, `iat` and `exp`. The `id` is the one from " +
      "`users/me`."
  ),
  must("LEG-06", "§2.1").byAnswers("The `token` is a JWT: three parts separated by dots."),
  must("LEG-07", "§2.1").byAnswers(
    "The response body and the JWT payload both have integer `iat` and `exp` in Unix seconds. `iat` is before `exp`."
  ),
  should("LEG-08", "§5.1 §8").byAnswers(
    "The token lifetime (`exp` minus `iat`) is 30 days, or the lifetime that the profile declares."
  ),
  must("LEG-09", "§4.1").byPair("`GET` on the token path is 404."),
  must("LEG-10", "§4.1").byPair("The token path with an unknown user id is 404. (Another user's id: SIL-24.)"),
  must("LEG-11", "§2.1 §4.1").byAnswers(
    "`GET organizations/me` with Bearer returns the organization of `users/me`: integer `id`, `name`, `abn`, " +
      "boolean `is_active`. (More fields: SIL-22.)"
  ),
  must("LEG-12", "§4.1").byAnswers(
    "`POST scan` with Bearer and the strings `type`, `identifier`, `first_name` and `surname` is 2xx."
  ),
  must("LEG-13", "§4.1").byAnswers("`GET constituents` with Bearer is not 401, 404 or 5xx."),
  should("LEG-14", "§5.1").byPair("Basic on `organizations/me`, `scan` and `constituents` is 401 or 403."),
  must("LEG-15", "§4.1 §5.1").byAnswers(
    "Bearer is accepted on `users/me`, `organizations/me`, `scan` and `constituents`. (The token path: SIL-24.)"
  ),
  must("LEG-16", "§5.1 §7.3").byAnswers(
    "An invalid bearer token is 401. The body has `status` 401, a `message`, and `field` equal to `authentication`."
  ),
  must("LEG-17", "§5.1 §7.3").byPair("An expired bearer token is 401 with the body of LEG-16."),
  should("LEG-18", "§5.1 §7.3").byPair("A request without credentials is 401, and so is one with a wrong password."),
  may("LEG-19", "§5.1").byPair(
    "If a deployment can revoke tokens before their expiry, a revoked token is 401 with the body of LEG-16."
  ),
  must("LEG-20", "§5.1").byPair("A call that the user's role does not permit is 403."),
  must("LEG-21", "§5.1").byPair("A call to another organization's resource is 403."),
  must("LEG-22", "§5.1").byPair(
    "An unverified account gets 403 on `organizations/me`, `scan` and `constituents`, or already on the token " +
      "exchange. (Which: SIL-24.)"
  ),
  should("LEG-23", "§5.1").elsewhere(
    "client library",
    "A client requests a new token after a 401. It may do so earlier, when fewer than 5 minutes remain."
  ),
  observe("LEG-24", "§5.1").recorded(
    "Whether an earlier, unexpired token stays valid after the same user obtains a new one.",
    { beside: ["LEG-19"] }
  ),
  must("LEG-25", "§5.1").elsewhere("client library", "A client sends Basic only to `users/me` and the token path."),
  must("LEG-26", "§7.3").byEveryExchange(
    "Every 401 of the legacy surface has a body with `status`, `message` and `field`, where `status` is 401."
  ),
  must("LEG-27", "§2.1").byAnswers("`email` equals the user name sent with Basic, ignoring letter case."),
  should("LEG-28", "§1").byAnswers(
    "A user with the lowest role can also exchange Basic for a token. `users/me` shows the user one organization."
  ),
  should("LEG-29", "§2.1").byAnswers(
    "`iat` and `exp` of the response body equal those of the JWT. `iat` is within 5 minutes of the `Date` header."
  ),
  must("LEG-30", "§5.1").byPair("A wrong password never gets a 2xx on `users/me` or the token path."),
  must("LEG-31", "§5.1").byPair("A token that the profile declares revoked never gets a 2xx.")
]
