import { must, should } from "./Rule.ts"

/**
 * PRV: privileges, on the entity types worker, credential, credentialCheck, captureRequest, exemption, webhook and ban.
 */
export const privileges = [
  must("PRV-01", "§5.2 §7.1").byPair("Without READ on an entity type, `GET` on its group is 403 `FORBIDDEN`."),
  must("PRV-02", "§4.2").byPair("Without CREATE on an entity type, the `POST` that creates one is 403 `FORBIDDEN`."),
  must("PRV-03", "§4.2").byPair(
    "Without UPDATE on an entity type, every PATCH and PUT of its group is 403 `FORBIDDEN`. (A method that the " +
      "group lacks: 403, 404 or 405.)"
  ),
  must("PRV-04", "§4.2").byPair(
    "Without DELETE on an entity type, `DELETE` on its group is 403 `FORBIDDEN`. (In a group without DELETE: 403, " +
      "404 or 405.)"
  ),
  must("PRV-05", "§4.2").byPair(
    "A token with one privilege may perform that operation. The other three operations are 403."
  ),
  must("PRV-06", "§5.2").byPair(
    "A privilege on one entity type grants nothing on another. This holds for every pair of types."
  ),
  must("PRV-07", "§5.2").byPair(
    "Privileges are checked first: a call that lacks one and has an invalid body is 403, not 400."
  ),
  must("PRV-08", "§5.2").byPair(
    "Privileges are checked first: a call that lacks one and names an unknown id is 403, not 404."
  ),
  must("PRV-09", "§5.2").byPair("A call that is refused because of a missing privilege changes nothing."),
  should("PRV-10", "§7.1").byAnswers(
    "The message of a 403 is `<account_urn> is unauthorized to <OPERATION> <entities>.`. It names the caller's " +
      "own URN and the refused operation. A different text is only a warning (§9)."
  ),
  must("PRV-11", "§7.1").byPair("A re-issued token with the same privileges is refused the same calls."),
  must("PRV-12", "§4.2").byPair(
    "Bans are read-only: READ permits reading them, and no privilege permits creating, changing or deleting one. " +
      '(Section 1 says "manage", the table in 4.2 says READ only; the table applies.)'
  ),
  must("PRV-13", "§4.2").byAnswers("`/workers` and `/credentials` exist: an authorized `GET` is 200."),
  should("PRV-14", "§4.2").byAnswers(
    "`/applicants` and `/screening-packages`, or the paths that the profile gives for them, exist. They are " +
      "guarded like other groups and are not 404."
  ),
  must("PRV-15", "§5.2").byAnswers(
    "The audit history attributes the actions of every OAuth client to the one service account."
  ),
  must("PRV-16", "§1 §4.2 §5.2").byPair(
    "Operations beyond plain methods are guarded too. A token without any privilege on credential gets 403 " +
      "`FORBIDDEN` for link, unlink, transfer, verify, bulk link and bulk transfer. A token without any privilege " +
      "on webhook gets it for rotate. Nothing changes."
  ),
  should("PRV-17", "§4.2").byPair("READ alone does not permit the operations of PRV-16: 403."),
  should("PRV-18", "§4.2").byAnswers(
    "`/recruitment-checks`, `/fetch-requests`, `/exemptions`, `/webhooks` and `/bans`, or the paths that the " +
      "profile gives for them, exist: not 404."
  )
]
