import { must, should } from "./Rule.ts"

/** BLK: bulk link and bulk transfer. */
export const bulkOwnership = [
  must("BLK-01", "§2.2 §4.2").byAnswers(
    "Bulk link is 200 with a list of items in `data`. `meta` has `total`, `succeeded`, `failed` and `requestId`."
  ),
  must("BLK-02", "§2.2").byAnswers("Bulk transfer is 200 in the same shape as bulk link."),
  must("BLK-03", "§2.2").byAnswers(
    "An item has a `credentialId`, a `status` (`linked`, `transferred`, `noop` or `skipped`) and optionally an " +
      "`error`."
  ),
  must("BLK-04", "§3").byAnswers(
    "Bulk link reports `linked` for an empty slot and `noop` for a slot that holds the same owner. For a slot " +
      "with another owner it reports `skipped` with `ALREADY_LINKED`."
  ),
  must("BLK-05", "§3").byAnswers(
    "Bulk transfer reports `transferred` if `from` owns the slot and `noop` if `to` already does. With another " +
      "owner it reports `skipped` with `OWNER_MISMATCH`. (A `from` that never held the slot: SIL-07.)"
  ),
  must("BLK-06", "§2.2").byAnswers("A skipped item has an `error` with `code` and `message`. Other items have none."),
  must("BLK-07", "§2.2").byAnswers(
    "`meta.total`, `meta.succeeded` and `meta.failed` are non-negative integers. `total` is the number of items."
  ),
  must("BLK-08", "§4.2 §8").byAnswers("A batch of 500 ids is accepted."),
  must("BLK-09", "§4.2 §8").byPair("A batch of 501 ids is a 4xx and changes nothing."),
  must("BLK-10", "§4.2").byAnswers("A bulk transfer without `credentialIds` covers all credentials that `from` owns."),
  must("BLK-11", "§4.2").byAnswers(
    "A bulk link without `credentialIds` covers all credentials that are linked to `from`."
  ),
  must("BLK-12", "§7.1").byAnswers("A batch is never 409 as a whole. It is 200 even if every item conflicts."),
  must("BLK-13", "§7.1").byAnswers("An unknown credential is a skipped item and does not fail the batch."),
  must("BLK-14", "§7.1").byAnswers("A skipped item does not stop other items."),
  must("BLK-15", "§3").byAnswers("After a batch, the slots of each credential match its item."),
  must("BLK-16", "§4.2").byAnswers("A repeated bulk transfer with `credentialIds` reports `noop` for every item."),
  must("BLK-17", "§4.2").byAnswers(
    "The bulk fetch request is 200. A failed item has `success: false` and a plain string in `error`."
  ),
  should("BLK-18", "§2.2").byAnswers(
    "`meta.failed` is the number of skipped items. `meta.succeeded` is the number of all other items."
  )
]
