import { must, should } from "./Rule.ts"

/** ENV: envelopes, statuses and codes. */
export const envelopes = [
  must("ENV-01", "§2.2").byEveryExchange(
    "Successful bodies of the newer surface have `data` and `meta`. (Not judged: the OAuth token response, §2.2, " +
      "and a flat verify response, SIL-05.)"
  ),
  must("ENV-02", "§7.1").byEveryExchange(
    "On the newer surface, these errors are in the envelope: 400, 403, 409, 422, 429, 500, and 404 of a known " +
      "path. Their `error` is an object with three strings: `code`, `message` and `requestId`. In every other error " +
      "of that surface, an `error` that is present is an object. (The token endpoint: OAU-15.)"
  ),
  must("ENV-03", "§7.1").byEveryExchange(
    "A code of the table in §7.1 appears only with its own status. An error in the envelope with a status of the " +
      "table has a code of that row. (Other statuses: SIL-21.)"
  ),
  must("ENV-04", "§7.1").byPair("Malformed JSON is 400 in the envelope."),
  must("ENV-05", "§7.1").byPair("A body without a required field is 400."),
  should("ENV-06", "§7.1").byPair(
    'A field of the wrong type (`identity.displayName: 42`, `forceRefresh: "yes"`) is 400.'
  ),
  must("ENV-07", "§7.1").byPair("Sorting by an unknown field is 400."),
  should("ENV-08", "§7.1").byPair("A malformed id or URN is 400. (404 is a warning, because ids are opaque.)"),
  must("ENV-09", "§7.1").byPair(
    "The id of a worker or credential with its last characters replaced is 404 `NOT_FOUND`. (400 is a warning, " +
      "because ids may contain a checksum.)"
  ),
  must("ENV-10", "§7.1").byPair("A request that breaks a business rule is 422 `UNPROCESSABLE`."),
  must("ENV-11", "§2.2 §4.2 §7.1").byAnswers(
    "A create in every other group is 201 with a `Location` and a new id. (The id of a compliance check is its " +
      "code: DEL-04.)"
  ),
  should("ENV-12", "§7.1").byAnswers("Hostile and random paths, queries, headers and bodies never cause a 5xx."),
  must("ENV-13", "§7.1 §9").elsewhere("client library", "Callers branch on status and code, never on message text."),
  must("ENV-14", "§4.2 §7.1 §8").elsewhere(
    "client library",
    "Callers retry a 429 no sooner than `Retry-After`. After a 5xx or a network failure they retry GET, PUT, " +
      "DELETE, link, unlink, transfer and the token request. They never resend a POST create whose response may " +
      "have been lost. They never retry a 400, 401, 403, 404 or 409 unchanged, and a 403 does not renew the token."
  ),
  must("ENV-15", "§7.1").byEveryExchange(
    "Every 500 in the run is `INTERNAL` in the envelope. (Not applicable if the run sees none.)"
  ),
  must("ENV-16", "§4.2").byAnswers(
    "PUT is idempotent: a repeated PUT has the same status and leaves the same resource. Times and request ids " +
      "may differ."
  ),
  must("ENV-17", "§4.2").byAnswers(
    "GET changes nothing: two GETs without a write between them return the same resource."
  ),
  should("ENV-18", "§7.1").byEveryExchange(
    "The message of a 500 discloses no internals: no stack, query, host or file path."
  ),
  should("ENV-19", "§7.1").elsewhere(
    "client library",
    "After a 409, callers read the state again before they send anything else."
  )
]
