import { must, should } from "./Rule.ts"

/** DEL: soft delete and compliance checks. */
export const deletion = [
  must("DEL-01", "§3 §7.1").byAnswers("Delete is 204 without a body."),
  must("DEL-02", "§3").byAnswers("A second delete of the same resource is a 2xx and changes nothing."),
  must("DEL-03", "§3").byAnswers("DEL-01 and DEL-02 hold in every group that has DELETE."),
  must("DEL-04", "§2.2").byAnswers("The id of a compliance check is the code that it was created with."),
  must("DEL-05", "§3 §7.1").byAnswers("Creating a compliance check with an existing code is 409 `DUPLICATE_ID`."),
  must("DEL-06", "§3 §7.1").byAnswers(
    "The code of a soft-deleted compliance check stays reserved: 409 `DUPLICATE_ID`."
  ),
  should("DEL-07", "§3").byAnswers("A second delete is 204 again.")
]
