import type { Place } from "../server/Place.ts"
import { cross, each, type Fault, row, rows } from "./Rows.ts"

const slots = ["worker", "applicant"]
const paths = {
  link: "POST /credentials/{id}/link",
  unlink: "POST /credentials/{id}/unlink",
  transfer: "POST /credentials/{id}/transfer"
} as const
const links = each("endpoint", [paths.link])
const unlinks = each("endpoint", [paths.unlink])
const transfers = each("endpoint", [paths.transfer])
const bySlot = (places: ReadonlyArray<Place>) => cross(places, each("slot", slots))
const ofWorker = (places: ReadonlyArray<Place>) => cross(places, each("slot", ["worker"]))
const ofApplicant = (places: ReadonlyArray<Place>) => cross(places, each("slot", ["applicant"]))
const flaws = ["an unknown type", "a near type", "no type", "no id", "an empty id", "no reference", "another form"]

const ownership: ReadonlyArray<Fault> = [
  ...rows("OWN-01 wrong-value", "a link is not stored", each("slot", ["worker"], links[0])),
  ...rows("OWN-02 wrong-value", "a link is not stored", each("slot", ["applicant"], links[0])),
  ...rows("OWN-01 status", "a link into an empty slot is refused", ofWorker(links)),
  ...rows("OWN-02 status", "a link into an empty slot is refused", ofApplicant(links)),
  ...rows("OWN-01 wrong-value", "a link empties the other slot", ofWorker(links)),
  ...rows("OWN-02 wrong-value", "a link empties the other slot", ofApplicant(links)),
  ...rows("OWN-01 status", "an operation is 202", each("done", ["linked"], links[0])),
  ...rows("OWN-03 status", "an operation is 202", each("done", ["noop"], links[0])),
  ...rows("OWN-03 status", "a repeated link is refused", ofWorker(links)),
  ...rows("OWN-15 status", "a repeated link is refused", ofApplicant(links)),
  ...rows("OWN-03 changed", "a repeated link empties the slot", ofWorker(links)),
  ...rows("OWN-15 changed", "a repeated link empties the slot", ofApplicant(links)),
  ...rows("AUT-10 status", "a repeated link is refused", each("kind", ["personal"], links[0])),
  ...rows("OWN-04 status", "a link replaces the owner", bySlot(links)),
  ...rows("OWN-04 status", "a link of another owner is a no-op", bySlot(links)),
  ...rows("OWN-04 changed", "a refused link replaces the owner", bySlot(links)),
  ...rows("AUT-10 status", "a link replaces the owner", each("kind", ["personal"], links[0])),
  ...rows("OWN-05 wrong-value", "a conflict gives no advice", bySlot(links)),
  ...rows("OWN-06 status", "an owner of another kind is accepted", links),
  ...rows("OWN-09 wrong-value", "a conflict names no owner", bySlot(transfers)),
  ...rows("OWN-04 status", "another status", bySlot(each("status", ["409"], links[0]))),
  ...rows("OWN-04 wrong-value", "a code of another row", bySlot(each("status", ["409"], links[0]))),
  ...rows("OWN-07 status", "a transfer is refused", bySlot(transfers)),
  ...rows("OWN-07 wrong-value", "a transfer is not stored", bySlot(transfers)),
  ...rows("OWN-07 wrong-value", "a transfer empties the other slot", bySlot(transfers)),
  ...rows("OWN-07 status", "an operation is 202", each("done", ["transferred"], transfers[0])),
  ...rows("OWN-08 status", "a transfer needs no right owner", bySlot(transfers)),
  ...rows("OWN-08 status", "a transfer from another owner is a no-op", bySlot(transfers)),
  ...rows("OWN-08 changed", "a refused transfer is stored", bySlot(transfers)),
  ...rows("OWN-08 status", "another status", bySlot(each("status", ["409"], transfers[0]))),
  ...rows("OWN-08 wrong-value", "a code of another row", bySlot(each("status", ["409"], transfers[0]))),
  ...rows("OWN-10 status", "a repeated transfer is refused", ofWorker(transfers)),
  ...rows("OWN-21 status", "a repeated transfer is refused", ofApplicant(transfers)),
  ...rows("OWN-10 changed", "a repeated transfer goes back", ofWorker(transfers)),
  ...rows("OWN-21 changed", "a repeated transfer goes back", ofApplicant(transfers)),
  ...rows("AUT-10 status", "a repeated transfer is refused", each("kind", ["personal"], transfers[0])),
  ...rows("OWN-11 status", "unlinking one of two is refused", bySlot(unlinks)),
  ...rows("OWN-11 wrong-value", "an unlink is not stored", bySlot(unlinks)),
  ...rows("OWN-11 wrong-value", "an unlink empties both slots", bySlot(unlinks)),
  ...rows("OWN-21 changed", "unlinking another owner empties the slot", bySlot(unlinks)),
  ...rows("OWN-12 status", "the last owner is unlinked", bySlot(unlinks)),
  ...rows("OWN-12 changed", "a refused unlink empties the slot", bySlot(unlinks)),
  ...rows("OWN-12 status", "unlinking the last owner is a no-op", bySlot(unlinks)),
  ...rows("OWN-14 status", "unlinking an empty slot is refused", bySlot(unlinks)),
  ...rows("OWN-14 changed", "unlinking an empty slot empties the other", bySlot(unlinks)),
  ...rows("OWN-14 status", "an operation is 202", each("done", ["noop"], unlinks[0])),
  ...rows(
    "OWN-16 status",
    "a wrong reference is accepted",
    cross(each("part", ["owner"]), cross([...links, ...unlinks], each("flaw", flaws)))
  ),
  ...rows(
    "OWN-16 status",
    "a wrong reference is accepted",
    cross(
      each("part", ["from", "to"], transfers[0]),
      each("flaw", ["an unknown type", "no type", "no id", "no reference"])
    )
  ),
  ...rows("OWN-17 status", "the slot is not locked", cross(bySlot(links), each("other", ["held"]))),
  ...rows("OWN-18 missing", "the slot is not locked", ofWorker(unlinks)),
  ...rows("OWN-23 missing", "the slot is not locked", ofApplicant(unlinks)),
  ...rows("OWN-23 wrong-value", "the slot is not locked", ofWorker(transfers)),
  ...rows("OWN-19 wrong-value", "the slot is not locked", ofApplicant(transfers)),
  ...rows("OWN-20 status", "an unknown credential is accepted", each("endpoint", Object.values(paths))),
  ...rows("OWN-21 wrong-value", "a link is not stored", cross(links, each("before", ["unlink", "transfer", "link"]))),
  ...rows(
    "OWN-21 wrong-value",
    "a transfer is not stored",
    cross(transfers, each("before", ["link", "unlink", "transfer"]))
  ),
  ...rows("OWN-21 wrong-value", "an unlink is not stored", cross(unlinks, each("before", ["link", "transfer"]))),
  ...rows("OWN-21 status", "a link replaces the owner", cross(links, each("before", ["unlink", "transfer"]))),
  ...rows(
    "OWN-21 status",
    "the last owner is unlinked",
    cross(unlinks, each("before", ["transfer", "unlink", "link"]))
  ),
  ...rows(
    "OWN-21 wrong-value",
    "a transfer needs no right owner",
    cross(transfers, each("before", ["transfer", "link", "unlink"]))
  ),
  ...rows(
    "AUT-10 status",
    "a second delete is 404",
    each("endpoint", ["DELETE /credentials/{id}"], { kind: "personal" })
  )
]

const both = each("endpoint", ["POST /credentials/link", "POST /credentials/transfer"])
const bulkLink = both[0] ?? {}
const bulkTransfer = both[1] ?? {}
const counts = ["total", "succeeded", "failed"]
const at = (place: Place, ...indexes: ReadonlyArray<string>) => each("index", indexes, place)

const envelopes: ReadonlyArray<Fault> = [
  ...rows("BLK-01 missing", "a count is missing", each("name", counts, bulkLink)),
  ...rows("BLK-02 missing", "a count is missing", each("name", counts, bulkTransfer)),
  ...rows("BLK-07 wrong-type", "a count is a text", cross(both, each("name", counts))),
  ...rows("BLK-07 wrong-value", "the total has one more", both),
  ...rows("BLK-03 missing", "an item has no credentialId", [
    ...at(bulkLink, "first", "last"),
    ...at(bulkTransfer, "first", "last")
  ]),
  ...rows("BLK-04 missing", "an item has no credentialId", at(bulkLink, "second")),
  ...rows("BLK-16 missing", "an item has no credentialId", at(bulkTransfer, "second")),
  ...rows("BLK-03 wrong-value", "an item has another word", [
    { ...bulkLink, done: "linked" },
    { ...bulkLink, done: "noop" },
    { ...bulkTransfer, done: "transferred" },
    { ...bulkTransfer, done: "noop" }
  ]),
  ...rows("BLK-03 wrong-value", "a skipped item has another word", [
    { ...bulkLink, code: "ALREADY_LINKED" },
    { ...bulkTransfer, code: "OWNER_MISMATCH" },
    { ...bulkLink, code: "NOT_FOUND" }
  ]),
  ...row("BLK-13 wrong-value", "a skipped item has another word", { ...bulkTransfer, code: "NOT_FOUND" }),
  ...rows("BLK-06 missing", "a skipped item has no error", cross(both, each("index", ["first", "second", "last"]))),
  ...rows("BLK-06 missing", "an item's error is a text", both),
  ...rows("BLK-06 missing", "an item's error has no code", both),
  ...rows("BLK-06 missing", "an item's error has no message", [
    { ...bulkLink, code: "NOT_FOUND" },
    { ...bulkLink, code: "ALREADY_LINKED" },
    { ...bulkTransfer, code: "NOT_FOUND" },
    { ...bulkTransfer, code: "OWNER_MISMATCH" }
  ]),
  ...rows(
    "BLK-06 unexpected",
    "an item that is not skipped has an error",
    cross(both, each("index", ["first", "second"]))
  )
]

const bulkSlots: ReadonlyArray<Fault> = [
  ...rows("BLK-04 wrong-value", "a repeated link is refused", ofWorker([bulkLink])),
  ...rows("OWN-21 wrong-value", "a repeated link is refused", ofApplicant([bulkLink])),
  ...rows("BLK-04 wrong-value", "a link into an empty slot is refused", ofWorker([bulkLink])),
  ...rows("BLK-11 wrong-value", "a link into an empty slot is refused", ofApplicant([bulkLink])),
  ...rows("BLK-04 wrong-value", "a link replaces the owner", ofWorker([bulkLink])),
  ...rows("OWN-21 wrong-value", "a link replaces the owner", ofApplicant([bulkLink])),
  ...rows("BLK-15 wrong-value", "a refused link replaces the owner", ofWorker([bulkLink])),
  ...rows("OWN-21 changed", "a refused link replaces the owner", ofApplicant([bulkLink])),
  ...row("BLK-04 wrong-value", "an item's error has another code", { ...bulkLink, code: "ALREADY_LINKED" }),
  ...rows("BLK-05 wrong-value", "a transfer is refused", ofWorker([bulkTransfer])),
  ...rows("OWN-21 wrong-value", "a transfer is refused", ofApplicant([bulkTransfer])),
  ...rows("BLK-05 wrong-value", "a transfer needs no right owner", ofWorker([bulkTransfer])),
  ...rows("OWN-21 wrong-value", "a transfer needs no right owner", ofApplicant([bulkTransfer])),
  ...rows("BLK-15 wrong-value", "a refused transfer is stored", ofWorker([bulkTransfer])),
  ...rows("OWN-21 changed", "a refused transfer is stored", ofApplicant([bulkTransfer])),
  ...row("BLK-05 wrong-value", "an item's error has another code", { ...bulkTransfer, code: "OWNER_MISMATCH" }),
  ...rows("OWN-21 wrong-value", "a no-op is told as a change", at(bulkLink, "first")),
  ...rows("BLK-04 wrong-value", "a no-op is told as a change", at(bulkLink, "second")),
  ...rows("BLK-16 wrong-value", "a no-op is told as a change", at(bulkTransfer, "first")),
  ...rows("BLK-05 wrong-value", "a no-op is told as a change", at(bulkTransfer, "second")),
  ...rows("BLK-15 wrong-value", "a link empties the other slot", ofWorker([bulkLink])),
  ...rows("BLK-11 wrong-value", "a link empties the other slot", ofApplicant([bulkLink])),
  ...rows("OWN-21 wrong-value", "a transfer empties the other slot", bySlot([bulkTransfer])),
  ...rows("BLK-16 wrong-value", "a repeated transfer is refused", bySlot([bulkTransfer]))
]

const missed = ["has the first only", "misses the last", "has no item", "has another credential"]

const bulk: ReadonlyArray<Fault> = [
  ...rows("BLK-08 status", "a full batch is refused", both),
  ...rows("BLK-09 status", "a batch of 501 is done", both),
  ...rows("BLK-09 changed", "a batch of 501 is refused and done", both),
  ...missed.flatMap((wrong) => [
    ...row("BLK-10 wrong-value", `a batch without ids ${wrong}`, bulkTransfer),
    ...row("BLK-11 wrong-value", `a batch without ids ${wrong}`, bulkLink)
  ]),
  ...rows("BLK-12 status", "a batch of conflicts is 409", both),
  ...rows("BLK-12 status", "a batch with a skipped item is 207", both),
  ...rows("BLK-13 status", "an unknown credential fails the batch", at(bulkLink, "first")),
  ...rows("BLK-13 missing", "an unknown credential fails the batch", at(bulkTransfer, "first")),
  ...rows("BLK-08 status", "an unknown credential fails the batch", cross(both, each("index", ["second", "last"]))),
  ...row("BLK-15 changed", "an empty list means all", bulkTransfer),
  ...rows("BLK-14 wrong-value", "a skipped item stops the batch", both),
  ...row("BLK-14 missing", "the items after a skipped one are missing", bulkLink),
  ...row("BLK-08 wrong-value", "the items after a skipped one are missing", bulkTransfer),
  ...rows("BLK-11 wrong-value", "an item is not stored", at(bulkLink, "first", "second")),
  ...rows("BLK-10 wrong-value", "an item is not stored", at(bulkTransfer, "first")),
  ...rows("BLK-16 wrong-value", "an item is not stored", at(bulkTransfer, "second")),
  ...rows("BLK-15 wrong-value", "an item is not stored", cross(both, each("index", ["last", "between"]))),
  ...rows("BLK-15 wrong-value", "a change is told as a no-op", at(bulkLink, "first")),
  ...rows("BLK-04 wrong-value", "a change is told as a no-op", at(bulkLink, "second")),
  ...rows("BLK-05 wrong-value", "a change is told as a no-op", at(bulkTransfer, "first", "second")),
  ...row("BLK-17 status", "a failed item stops the batch"),
  ...row("BLK-17 wrong-type", "an item's error is an object"),
  ...row("BLK-17 missing", "a failed item has no error"),
  ...row("BLK-17 status", "a batch is 207")
]

/** Faults of OWN and BLK. */
export const ownerFaults: ReadonlyArray<Fault> = [...ownership, ...envelopes, ...bulkSlots, ...bulk]
