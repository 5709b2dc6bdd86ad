import { must, observe, should } from "./Rule.ts"

/** OWN: ownership of one credential. */
export const ownership = [
  must("OWN-01", "§3").byAnswers("Linking a worker into an empty worker slot is 200, and the slot holds that worker."),
  must("OWN-02", "§3").byAnswers(
    "Linking an applicant into an empty applicant slot is 200, and the slot holds that applicant. The worker slot " +
      "is unchanged."
  ),
  must("OWN-03", "§3").byAnswers("Linking the owner that the slot already holds is 200 and changes nothing."),
  must("OWN-04", "§3 §7.1").byPair(
    "Linking another owner into an occupied slot is 409 `ALREADY_LINKED`. The slot is unchanged."
  ),
  should("OWN-05", "§7.1").byAnswers(
    "The message of a 409 `ALREADY_LINKED` advises using transfer. A different text is only a warning (§9)."
  ),
  should("OWN-06", "§3").byPair("An owner reference whose type and id disagree (`worker` with an `app_` id) is a 4xx."),
  must("OWN-07", "§3").byAnswers("A transfer whose `from` is the current owner is 200, and the slot then holds `to`."),
  must("OWN-08", "§3 §7.1").byPair(
    "A transfer whose `from` is not the current owner is 409 `OWNER_MISMATCH`, unless the slot already holds " +
      "`to`. The slot is unchanged."
  ),
  should("OWN-09", "§7.1").byAnswers(
    "The message of a 409 `OWNER_MISMATCH` names the current owner. A different text is only a warning (§9)."
  ),
  must("OWN-10", "§3").byAnswers(
    "A transfer to the owner that the slot already holds changes nothing: a repeated transfer succeeds. (With a " +
      "`from` that never held the slot: SIL-07.)"
  ),
  must("OWN-11", "§3").byAnswers("Unlinking one of two owners empties that slot and leaves the other unchanged."),
  must("OWN-12", "§3 §8").byPair("Unlinking the only remaining owner is a 4xx. The slot is unchanged."),
  observe("OWN-13", "§3").recorded("Whether the refusal to unlink the last owner suggests soft delete.", {
    beside: ["OWN-12", "OWN-22"]
  }),
  must("OWN-14", "§3").byAnswers("Unlinking an empty slot is 200 and changes nothing."),
  must("OWN-15", "§4.2").byAnswers(
    "Link, unlink and transfer are idempotent: a repeated call is a 2xx and leaves the same state as one call."
  ),
  must("OWN-16", "§2.2").byPair(
    "An owner reference has an `id` and a `type`, `applicant` or `worker`. Another type or a missing part is a 4xx."
  ),
  must("OWN-17", "§3").byAnswers(
    "Of two concurrent links of different owners exactly one succeeds. The other is 409 `ALREADY_LINKED`."
  ),
  must("OWN-18", "§3 §8").byAnswers("After concurrent unlinks of both slots, one owner remains."),
  should("OWN-19", "§3").byAnswers(
    "Any mix of concurrent links, unlinks, transfers and reads of a credential is linearizable: some sequential " +
      "order explains every response."
  ),
  must("OWN-20", "§4.2").byPair("Link, unlink, transfer and verify of an unknown credential are 404."),
  must("OWN-21", "§3").byAnswers(
    "After any sequence of operations, the slots are as the transition table in §3 says. The cells that it leaves " +
      "open are excepted (SIL-06, 07, 08, 17, 28)."
  ),
  must("OWN-22", "§3").byAnswers("A credential whose last owner cannot be unlinked can be soft-deleted instead: 204."),
  must("OWN-23", "§3 §8").byAnswers(
    "After concurrent operations, each slot has at most one owner and at least one owner remains. Some sequential " +
      "order of the accepted operations explains the slots."
  )
]
