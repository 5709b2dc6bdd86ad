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
const bySlot = (places: ReadonlyArray<Readonly<Record<string, string>>>) => cross(places, each("slot", slots))
const flaws = ["an unknown type", "a near type", "no type", "no id", "an empty id", "no reference", "another form"]

const ownership: ReadonlyArray<Fault> = [
  ...rows("OWN-01", "a link is not stored", each("slot", ["worker"], links[0])),
  ...rows("OWN-02", "a link is not stored", each("slot", ["applicant"], links[0])),
  ...rows("OWN-01", "a link into an empty slot is refused", bySlot(links)),
  ...rows("OWN-02", "a link empties the other slot", bySlot(links)),
  ...rows("OWN-01", "an operation is 202", each("done", ["linked"], links[0])),
  ...rows("OWN-03", "an operation is 202", each("done", ["noop"], links[0])),
  ...rows("OWN-03", "a repeated link is refused", bySlot(links)),
  ...rows("OWN-03", "a repeated link empties the slot", bySlot(links)),
  ...rows("OWN-03", "a repeated link is refused", each("kind", ["personal"], links[0])),
  ...rows("OWN-04", "a link replaces the owner", bySlot(links)),
  ...rows("OWN-04", "a link of another owner is a no-op", bySlot(links)),
  ...rows("OWN-04", "a refused link replaces the owner", bySlot(links)),
  ...rows("OWN-04", "a link replaces the owner", each("kind", ["personal"], links[0])),
  ...rows("OWN-04", "another status", bySlot(each("status", ["409"], links[0]))),
  ...rows("OWN-04", "a code of another row", bySlot(each("status", ["409"], links[0]))),
  ...rows("OWN-07", "a transfer is refused", bySlot(transfers)),
  ...rows("OWN-07", "a transfer is not stored", bySlot(transfers)),
  ...rows("OWN-07", "a transfer empties the other slot", bySlot(transfers)),
  ...rows("OWN-07", "an operation is 202", each("done", ["transferred"], transfers[0])),
  ...rows("OWN-08", "a transfer needs no right owner", bySlot(transfers)),
  ...rows("OWN-08", "a transfer from another owner is a no-op", bySlot(transfers)),
  ...rows("OWN-08", "a refused transfer is stored", bySlot(transfers)),
  ...rows("OWN-08", "another status", bySlot(each("status", ["409"], transfers[0]))),
  ...rows("OWN-08", "a code of another row", bySlot(each("status", ["409"], transfers[0]))),
  ...rows("OWN-10", "a repeated transfer is refused", bySlot(transfers)),
  ...rows("OWN-10", "a repeated transfer goes back", bySlot(transfers)),
  ...rows("OWN-10", "a repeated transfer is refused", each("kind", ["personal"], transfers[0])),
  ...rows("OWN-11", "unlinking one of two is refused", bySlot(unlinks)),
  ...rows("OWN-11", "an unlink is not stored", bySlot(unlinks)),
  ...rows("OWN-11", "an unlink empties both slots", bySlot(unlinks)),
  ...rows("OWN-11", "unlinking another owner empties the slot", bySlot(unlinks)),
  ...rows("OWN-12", "the last owner is unlinked", bySlot(unlinks)),
  ...rows("OWN-12", "a refused unlink empties the slot", bySlot(unlinks)),
  ...rows("OWN-12", "unlinking the last owner is a no-op", bySlot(unlinks)),
  ...rows("OWN-14", "unlinking an empty slot is refused", bySlot(unlinks)),
  ...rows("OWN-14", "an operation is 202", each("done", ["noop"], unlinks[0])),
  ...rows(
    "OWN-16",
    "a wrong reference is accepted",
    cross(each("part", ["owner"]), cross([...links, ...unlinks], each("flaw", flaws)))
  ),
  ...rows(
    "OWN-16",
    "a wrong reference is accepted",
    cross(
      each("part", ["from", "to"], transfers[0]),
      each("flaw", ["an unknown type", "no type", "no id", "no reference"])
    )
  ),
  ...rows("OWN-17", "the slot is not locked", cross(bySlot(links), each("other", ["held"]))),
  ...rows("OWN-18", "the slot is not locked", bySlot(unlinks)),
  ...rows("OWN-23", "the slot is not locked", bySlot(transfers)),
  ...rows("OWN-20", "an unknown credential is accepted", each("endpoint", Object.values(paths))),
  ...rows("OWN-21", "a link is not stored", cross(links, each("before", ["unlink", "transfer", "link"]))),
  ...rows("OWN-21", "a transfer is not stored", cross(transfers, each("before", ["link", "unlink", "transfer"]))),
  ...rows("OWN-21", "an unlink is not stored", cross(unlinks, each("before", ["link", "transfer"]))),
  ...rows("OWN-21", "a link replaces the owner", cross(links, each("before", ["unlink", "transfer"]))),
  ...rows("OWN-21", "the last owner is unlinked", cross(unlinks, each("before", ["transfer", "unlink", "link"]))),
  ...rows(
    "OWN-21",
    "a transfer needs no right owner",
    cross(transfers, each("before", ["transfer", "link", "unlink"]))
  ),
  ...rows("OWN-22", "a second delete is 404", each("endpoint", ["DELETE /credentials/{id}"], { kind: "personal" }))
]

const both = each("endpoint", ["POST /credentials/link", "POST /credentials/transfer"])
const bulkLink = both[0] ?? {}
const bulkTransfer = both[1] ?? {}
const indexes = each("index", ["first", "second", "last", "between"])

const bulk: ReadonlyArray<Fault> = [
  ...rows("BLK-01", "a count is missing", each("name", ["total", "succeeded", "failed"], bulkLink)),
  ...rows("BLK-02", "a count is missing", each("name", ["total", "succeeded", "failed"], bulkTransfer)),
  ...rows("BLK-07", "a count is a text", cross(both, each("name", ["total", "succeeded", "failed"]))),
  ...rows("BLK-07", "the total has one more", both),
  ...rows("BLK-03", "an item has no credentialId", cross(both, indexes.slice(0, 3))),
  ...rows(
    "BLK-03",
    "an item has another word",
    cross(both, each("done", ["linked", "transferred", "noop"])).filter(
      ({ done, endpoint }) => done === "noop" || endpoint?.includes(done === "linked" ? "link" : "transfer") === true
    )
  ),
  ...rows("BLK-03", "a skipped item has another word", [
    { ...bulkLink, code: "ALREADY_LINKED" },
    { ...bulkTransfer, code: "OWNER_MISMATCH" },
    { ...bulkLink, code: "NOT_FOUND" },
    { ...bulkTransfer, code: "NOT_FOUND" }
  ]),
  ...rows("BLK-04", "a repeated link is refused", bySlot(each("endpoint", ["POST /credentials/link"]))),
  ...rows("BLK-04", "a link into an empty slot is refused", bySlot(each("endpoint", ["POST /credentials/link"]))),
  ...rows("BLK-04", "a link replaces the owner", bySlot(each("endpoint", ["POST /credentials/link"]))),
  ...rows("BLK-04", "a refused link replaces the owner", bySlot(each("endpoint", ["POST /credentials/link"]))),
  ...rows("BLK-04", "an item's error has another code", each("code", ["ALREADY_LINKED"], bulkLink)),
  ...rows("BLK-05", "a transfer is refused", bySlot(each("endpoint", ["POST /credentials/transfer"]))),
  ...rows("BLK-05", "a transfer needs no right owner", bySlot(each("endpoint", ["POST /credentials/transfer"]))),
  ...rows("BLK-05", "a refused transfer is stored", bySlot(each("endpoint", ["POST /credentials/transfer"]))),
  ...rows("BLK-05", "an item's error has another code", each("code", ["OWNER_MISMATCH"], bulkTransfer)),
  ...rows("BLK-05", "a no-op is told as a change", cross(both, indexes.slice(0, 2))),
  ...rows("BLK-06", "a skipped item has no error", cross(both, indexes.slice(0, 3))),
  ...rows("BLK-06", "an item's error is a text", both),
  ...rows("BLK-06", "an item's error has no code", both),
  ...rows(
    "BLK-06",
    "an item's error has no message",
    cross(both, each("code", ["NOT_FOUND", "ALREADY_LINKED", "OWNER_MISMATCH"])).filter(
      ({ code, endpoint }) =>
        code === "NOT_FOUND" || endpoint?.includes(code === "ALREADY_LINKED" ? "link" : "transfer") === true
    )
  ),
  ...rows("BLK-06", "an item that is not skipped has an error", cross(both, indexes.slice(0, 2))),
  ...rows("BLK-08", "a full batch is refused", both),
  ...rows("BLK-09", "a batch of 501 is done", both),
  ...rows("BLK-09", "a batch of 501 is refused and done", both),
  ...rows("BLK-10", "a batch without ids has the first only", each("endpoint", ["POST /credentials/transfer"])),
  ...rows("BLK-10", "a batch without ids misses the last", each("endpoint", ["POST /credentials/transfer"])),
  ...rows("BLK-10", "a batch without ids has no item", each("endpoint", ["POST /credentials/transfer"])),
  ...rows("BLK-10", "a batch without ids has another credential", each("endpoint", ["POST /credentials/transfer"])),
  ...rows("BLK-11", "a batch without ids has the first only", each("endpoint", ["POST /credentials/link"])),
  ...rows("BLK-11", "a batch without ids misses the last", each("endpoint", ["POST /credentials/link"])),
  ...rows("BLK-11", "a batch without ids has no item", each("endpoint", ["POST /credentials/link"])),
  ...rows("BLK-11", "a batch without ids has another credential", each("endpoint", ["POST /credentials/link"])),
  ...rows("BLK-12", "a batch of conflicts is 409", both),
  ...rows("BLK-12", "a batch with a skipped item is 207", both),
  ...rows("BLK-13", "an unknown credential fails the batch", cross(both, indexes.slice(0, 3))),
  ...rows("BLK-14", "a skipped item stops the batch", both),
  ...rows("BLK-14", "the items after a skipped one are missing", both),
  ...rows("BLK-15", "an item is not stored", cross(both, indexes)),
  ...rows("BLK-15", "a link empties the other slot", bySlot(each("endpoint", ["POST /credentials/link"]))),
  ...rows("BLK-15", "a transfer empties the other slot", bySlot(each("endpoint", ["POST /credentials/transfer"]))),
  ...rows("BLK-15", "a change is told as a no-op", cross(both, indexes.slice(0, 2))),
  ...rows("BLK-16", "a repeated transfer is refused", bySlot(each("endpoint", ["POST /credentials/transfer"]))),
  ...row("BLK-17", "a failed item stops the batch"),
  ...row("BLK-17", "an item's error is an object"),
  ...row("BLK-17", "a failed item has no error"),
  ...row("BLK-17", "a batch is 207")
]

/** Faults of OWN and BLK. */
export const ownerFaults: ReadonlyArray<Fault> = [...ownership, ...bulk]
