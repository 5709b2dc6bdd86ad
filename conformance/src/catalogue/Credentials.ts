import { must } from "./Rule.ts"

/** CRD: credentials. */
export const credentials = [
  must("CRD-01", "§4.2").byAnswers("Creating a credential is 201 with a `Location`."),
  must("CRD-02", "§2.2 §4.2").byAnswers("The response to a create has a `meta.correlationId`."),
  must("CRD-03", "§2.2").byAnswers("A credential's id is `cred_<id>`, new for every create."),
  must("CRD-04", "§2.2 §4.2").byAnswers(
    "`GET credentials/{id}` shows `attributes.owners` with the keys `worker` and `applicant`."
  ),
  must("CRD-05", "§2.2").byAnswers(
    "A slot is empty or holds the id of one owner of its own kind, never more than one."
  ),
  must("CRD-06", "§4.2").byAnswers(
    "`GET credentials?ownerExternalId=` returns exactly the credentials of that owner in `data`, and a `meta`. A list " +
      "that shows a new one only later is a warning."
  ),
  must("CRD-07", "§4.2").byPair("An unknown `ownerExternalId` is 200 with an empty `data`."),
  must("CRD-08", "§4.2").byAnswers("Creates are not idempotent: a second create never returns the first id."),
  must("CRD-09", "§4.2 §6").byAnswers("Creating a verifiable credential automatically starts a first verification."),
  must("CRD-10", "§2.2").byAnswers("An applicant's id is `app_<id>`.")
]
