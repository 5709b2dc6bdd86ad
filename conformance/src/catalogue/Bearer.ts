import { may, must, should } from "./Rule.ts"

/** AUT: bearer authentication on the newer surface. */
export const bearer = [
  must("AUT-01", "§5.2").byPair("A call without an `Authorization` header is 401 in every group."),
  must("AUT-02", "§5.2").byPair("An `Authorization` header without the Bearer prefix is 401: Basic, or a token alone."),
  must("AUT-03", "§5.2").byAnswers("The Bearer prefix is case-insensitive: `bearer`, `BEARER`, `BeArEr`."),
  must("AUT-04", "§7.1").byPair(
    "A malformed token is 401: random text, a truncated JWT, a changed payload or signature, `alg: none`."
  ),
  must("AUT-05", "§7.1").byPair("An expired token is 401."),
  should("AUT-06", "§7.1").byAnswers(
    "A 401 has the message `Unauthorized to perform this action`. A different text is only a warning (§9)."
  ),
  must("AUT-07", "§7.1").byAnswers("A 401 has no error `code`, because it is raised before the envelope is built."),
  must("AUT-08", "§5.2").byAnswers("The same header accepts a personal access token."),
  must("AUT-09", "§5.2").byPair("A personal token has exactly the privileges of the user who created it."),
  must("AUT-10", "§5.2").byAnswers(
    "All endpoints treat both kinds of token the same. A call has the same status and shape with either."
  ),
  must("AUT-11", "§5.2").byAnswers(
    "During a rotation the old personal token and the new one are both valid, until the old one is revoked."
  ),
  must("AUT-12", "§5.2").byPair("A revoked personal token is 401. Other tokens stay valid."),
  must("AUT-13", "§5.2").byAnswers(
    "A personal token is shown once, when it is created. No later response shows it.",
    "console"
  ),
  may("AUT-14", "§5.2").byAnswers(
    "A deployment with an external identity provider also accepts bearer tokens of that provider."
  ),
  must("AUT-15", "§5.2").byAnswers(
    "Multifactor authentication does not apply to the API. A token of an enrolled user works like any other."
  ),
  must("AUT-16", "§5.2").byAnswers("The web application supports login by SAML single sign-on.", "console"),
  must("AUT-17", "§5.2").byAnswers(
    "The web application supports login with TOTP codes of six digits that change every 30 seconds.",
    "console"
  )
]
